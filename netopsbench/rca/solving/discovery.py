"""Devices and ports that tell nothing of themselves by LLDP, out of what they and their neighbours show."""

from collections.abc import Iterator

from netopsbench.fabric.labs.lldp import LLDP
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.discovery import NO_LLDP
from netopsbench.rca.solving.evidence import heard_by_none, unheard_at
from netopsbench.rca.solving.shown import Claim, Desk, claim_of
from netopsbench.records.names import Port
from netopsbench.vendors import facts as f

Cable = tuple[Port, Port]


def discovery_claims(desk: Desk) -> Iterator[Claim]:
    """Everything of these that the facts show, where LLDP runs at all."""
    shown = {node.name: desk.shown(node.name, "link_neighbors", f.LinkNeighbors) for node in desk.plan.nodes}
    if not any(each.is_running for each in shown.values() if each is not None):
        return
    for name, cables in _cables(desk).items():
        own = shown[name]
        if own is not None and not own.is_running:
            yield claim_of(name, LLDP, NO_LLDP, (name, "link_neighbors"))
            continue
        unheard = [each for each in cables if _is_unheard(desk, each)]
        peers = dict.fromkeys(there.node for _, there in cables)
        if own is None and len(peers) > 1 and len(unheard) == len(cables):
            yield Claim(Triple(node=name, object=LLDP, cause=NO_LLDP), heard_by_none(peers), may_pass=True)
        hearing = {there.node for here, there in cables if _hears(desk, there, here)}
        for here, there in unheard:
            triple = Triple(node=name, object=here.interface, cause=NO_LLDP)
            # It runs there: it says so itself, or somebody else hears it.
            for witness in (*([name] if own is not None else []), *sorted(hearing - {there.node})):
                # Where a link has only just come up again, the next word is a second away.
                yield Claim(triple, unheard_at(there.node, witness), may_pass=True)


def _cables(desk: Desk) -> dict[str, list[Cable]]:
    """Router to its cables to other routers, seen from its own end."""
    routers = {node.name for node in desk.plan.nodes if node.is_switch}
    found: dict[str, list[Cable]] = {}
    for link in desk.plan.links:
        if {link.a.node, link.b.node} <= routers:
            found.setdefault(link.a.node, []).append((link.a, link.b))
            found.setdefault(link.b.node, []).append((link.b, link.a))
    return found


def _is_unheard(desk: Desk, cable: Cable) -> bool:
    """Whether the far end is up and listens, and has no entry of the near one."""
    here, there = cable
    listening = desk.shown(there.node, "link_neighbors", f.LinkNeighbors)
    port = desk.interface(there.node, "interface_brief", there.interface)
    is_listening = listening is not None and listening.is_running and port is not None and port.is_up
    return is_listening and not _hears(desk, there, here)


def _hears(desk: Desk, listener: Port, speaker: Port) -> bool:
    """Whether a port has an entry of the device at the cable's other end."""
    shown = desk.shown(listener.node, "link_neighbors", f.LinkNeighbors)
    heard = {(each.interface, each.device) for each in shown.neighbors} if shown else set()
    return (listener.interface, speaker.node) in heard
