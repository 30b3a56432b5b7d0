"""What the faults of one end of a cable have in common: commands, controls and places."""

import random
import sys
from collections.abc import Iterator, Mapping
from typing import Literal

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    WIRE,
    Change,
    Effect,
    Endpoint,
    PathClaim,
    Quality,
    ReadBack,
    SessionClaim,
    Step,
    WireEnd,
    kept,
)
from netopsbench.faults.wire_claims import probes_for
from netopsbench.records.answers import Location
from netopsbench.records.names import Port

_MOST_CONTROLS = 8
"""Of one switch."""
_CONTROL_SWITCHES = 3
Kind = Literal["loss_pct", "corruption_pct", "delay_ms"]


def impaired(plan: FabricPlan, at: Port, kind: Kind, value: float) -> Change:
    """Impair what the port sends, on its cable, and prove it there.

    Raises SpecError when the port doesn't lead to another switch.
    """
    port = fabric_port(plan, at)
    near, far = ends_of(plan, at)
    command = (sys.executable, "-P", "-m", "netopsbench.faults.wire_end")

    def step(verb: str, *words: str) -> Step:
        return Step(where=WIRE, argv=(*command, verb, near, far, *words))

    show = step("show")
    return Change(
        do=(step("set", kind, f"{value:g}"),),
        undo=(step("set", kind, "0"),),
        read_back=(ReadBack(where=WIRE, argv=show.argv, shows=f"{kind} {value:g}"),),
        counters=(show,),
        needs=("wire_rules",),
        effect=Effect(
            # The session over the link itself may come and go with what it loses.
            sessions=sessions_of(plan, queries.node(plan, at.node), but=at),
            paths=tuple(_paths(plan, at, port, Quality.model_validate({kind: value}))),
        ),
        place=Location(device=at.node, interface=at.interface),
    )


def ends_of(plan: FabricPlan, at: Port) -> tuple[WireEnd, WireEnd]:
    """The end of the cable that the port feeds, and the one that feeds its peer."""
    link = queries.link_at(plan, at)
    a_end, b_end = WireEnd(link=link.id, end="a"), WireEnd(link=link.id, end="b")
    return (a_end, b_end) if link.a == at else (b_end, a_end)


def fabric_port(plan: FabricPlan, at: Port) -> Interface:
    """The port, which must lead to another switch.

    Raises SpecError with the ports that do.
    """
    port = places.interface(plan, at, "at")
    if not places.peer_of(plan, port)[0].is_switch:
        names = [each.name for each, _ in places.neighbors_of(plan, queries.node(plan, at.node))]
        wanted = f"a port that leads to a switch: {', '.join(names) or 'there is none'}"
        raise SpecError([Problem(places.SOURCE, "at", str(at), wanted)])
    return port


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """The switch's ports that lead to other switches."""
    facing = {port.name for port, _ in places.neighbors_of(plan, node)}
    return tuple(
        {"at": f"{node.name}:{port.name}"} for port in places.ports_of(plan, node, role) if port.name in facing
    )


def sessions_of(plan: FabricPlan, node: Node, *, but: Port) -> tuple[SessionClaim, ...]:
    """Every session of a switch but the one over this port is Established."""
    return tuple(
        SessionClaim(switch=node.name, neighbor=neighbor, is_established=True)
        for port, neighbor in places.neighbors_of(plan, node)
        if port.name != but.interface
    )


def beside(plan: FabricPlan, node: Node, *, but: Interface | None = None) -> tuple[PathClaim, ...]:
    """Links of the switch to other switches, which lose nothing; some of them where there are many."""
    others = [port for port, _ in places.neighbors_of(plan, node) if but is None or port.name != but.name]
    # The first ones every time would make the one among the others stand out.
    drawn = random.Random(f"links {node.name} {but and but.name}").sample(others, min(_MOST_CONTROLS, len(others)))
    return tuple(kept(*_link(plan, node, port)) for port in drawn)


def _paths(plan: FabricPlan, at: Port, port: Interface, quality: Quality) -> Iterator[PathClaim]:
    """The link itself, and as controls other links of the switch and of its likes.

    All are probed alike, so that counters of packets don't tell where the fault is.
    """
    node = queries.node(plan, at.node)
    probes = probes_for(quality)
    is_lossy = bool(quality.loss_pct or quality.corruption_pct)
    share = "some" if is_lossy else "all"
    src, dst = _link(plan, node, port)
    yield PathClaim(src=src, dst=dst, arrives=share, returns=share, probes=probes, quality=quality)
    alike = [each for each in plan.nodes if each.role == node.role and each.name != node.name]
    drawn = random.Random(f"controls {at}").sample(alike, min(_CONTROL_SWITCHES, len(alike)))
    # In labs both ends of the link may be alike: seen from the other one it is no control.
    others = [beside(plan, each, but=_on_link(each, port.link)) for each in drawn]
    for control in (*beside(plan, node, but=port), *(path for paths in others for path in paths)):
        yield control.model_copy(update={"probes": probes, "quality": Quality()})


def _on_link(node: Node, link: str) -> Interface | None:
    """The node's port on a link, if it has one there."""
    return next((port for port in node.interfaces if port.link == link), None)


def _link(plan: FabricPlan, node: Node, port: Interface) -> tuple[Endpoint, Endpoint]:
    peer, far = places.peer_of(plan, port)
    return places.at_port(node.name, port), places.at_port(peer.name, far)
