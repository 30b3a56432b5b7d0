"""What is wrong with OSPF at a router's ports, out of configurations and of who is heard."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from netopsbench.fabric.plan import Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Facing
from netopsbench.rca.solving.evidence import CONFIGURED, unheard
from netopsbench.rca.solving.shown import HELLO, Claim, Desk, claim_of, interfaces_in
from netopsbench.vendors.names import Need
from netopsbench.vendors.sessions import OspfNeighbors

_SPEAKS_OSPF = re.compile(r"^router ospf\b", re.MULTILINE)
_PASSIVE = re.compile(r"^\s*passive-interface (\S+)$", re.MULTILINE)
_NETWORK = re.compile(r"^ network (\S+) area ", re.MULTILINE)
_CAUSE = "OSPF configuration error"


def ospf_claims(desk: Desk, node: Node) -> Iterator[Claim]:
    """Ports towards routers at which OSPF is configured wrong, or hears nobody although the other end is right."""
    for at in desk.ports:
        if at.node.name != node.name or not at.peer.is_switch:
            continue
        for need in CONFIGURED:
            if _is_wrong(desk, at, need):
                yield claim_of(node.name, at.port.name, _CAUSE, (node.name, need))
        yield from _unheard(desk, at)


def _is_wrong(desk: Desk, at: Facing, need: Need) -> bool:
    """OSPF that is passive, or says hello at another pace than most, towards a router that isn't seen to lack it."""
    text, theirs = desk.configured(at.node.name, need) or "", desk.configured(at.peer.name)
    if not _SPEAKS_OSPF.search(text) or (theirs is not None and not _SPEAKS_OSPF.search(theirs)):
        return False
    return not _is_right(desk, text, at.port.name)


def _is_right(desk: Desk, text: str, port: str) -> bool:
    block = interfaces_in(text).get(port, "")
    hello = HELLO.search(block)
    is_passive = port in _PASSIVE.findall(text) or "ip ospf passive" in block
    return not is_passive and (hello is None or hello[1] == desk.usual_hello)


def _unheard(desk: Desk, at: Facing) -> Iterator[Claim]:
    """OSPF runs and has no neighbor at a port that is in order; what the other end configures is right."""
    heard = desk.shown(at.node.name, "ospf_neighbors", OspfNeighbors)
    shown = desk.interface(at.node.name, "interface_detail", at.port.name)
    if heard is None or not heard.is_running or shown is None:
        return
    is_in_order = shown.is_up and str(at.port.address) in shown.addresses and shown.mtu_bytes == at.port.mtu
    if not is_in_order or any(each.interface == at.port.name for each in heard.neighbors):
        return
    triple = Triple(node=at.node.name, object=at.port.name, cause=_CAUSE)
    for need in CONFIGURED:
        theirs = desk.configured(at.peer.name, need) or ""
        covered = any(at.port.address.network.subnet_of(IPv4Network(each)) for each in _NETWORK.findall(theirs))
        addressed = f" ip address {at.peer_port.address}\n" in interfaces_in(theirs).get(at.peer_port.name, "")
        if covered and addressed and _is_right(desk, theirs, at.peer_port.name):
            # A neighbor may be lost for a moment.
            yield Claim(triple, unheard(at.node.name, at.peer.name, need), may_pass=True)
