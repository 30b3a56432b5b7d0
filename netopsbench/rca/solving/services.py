"""Root causes beside routes and ports, out of what devices show: queues, trees, VRRP, IS-IS, VXLAN, EVPN, LLDP."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from netopsbench.fabric.labs.layer2 import BRIDGE
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import between_routers, routers
from netopsbench.rca.breaking.overlay import EVPN
from netopsbench.rca.breaking.redundancy import NO_PORT_TREE, NO_TREE, NO_VRRP, VRRP
from netopsbench.rca.solving.discovery import discovery_claims
from netopsbench.rca.solving.evidence import CONFIGURED, LISTED, Look, gateways_beside, plugged_into
from netopsbench.rca.solving.shown import Claim, Desk, Seen, claim_of, interfaces_in
from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors.names import Need

_GROUP = re.compile(r"^ vrrp \d+", re.MULTILINE)
_AT_A_CABLE = " isis network point-to-point\n"
_NEIGHBOR = re.compile(r"^ neighbor (\S+) remote-as ", re.MULTILINE)
_EVPN_BLOCK = re.compile(r"^ address-family l2vpn evpn\n((?:  .*\n)*)", re.MULTILINE)
_ACTIVE = re.compile(r"^  neighbor (\S+) activate$", re.MULTILINE)


def service_claims(plan: FabricPlan, seen: Seen) -> list[Claim]:
    """Everything of these that the facts show to be wrong."""
    desk = Desk(plan, seen)
    rules = (_queues, _kept_out, _vrrp, _isis, _evpn)
    found = [each for node in routers(plan) for rule in rules for each in rule(desk, node)]
    return [*found, *_trees(desk), *_vxlans(desk), *discovery_claims(desk)]


def _queues(desk: Desk, node: Node) -> Iterator[Claim]:
    found = desk.shown(node.name, "queues", l2.PortQueues)
    for queue in found.queues if found else ():
        if queue.limit_kbps is not None and queue.dropped:
            cause = "traffic congestion occupying port bandwidth"
            yield claim_of(node.name, queue.interface, cause, (node.name, "queues"))


def _trees(desk: Desk) -> Iterator[Claim]:
    """Bridges without spanning tree where others run it, and ports that are kept out of it."""
    shown = [(node.name, desk.shown(node.name, "spanning_tree", l2.Bridges)) for node in routers(desk.plan)]
    bridges = [(name, bridge) for name, facts in shown if facts for bridge in facts.bridges]
    if not any(bridge.has_spanning_tree for _, bridge in bridges):
        return
    for name, bridge in bridges:
        look: tuple[str, Need] = (name, "spanning_tree")
        if not bridge.has_spanning_tree and bridge.name == BRIDGE:
            yield claim_of(name, bridge.name, NO_TREE, look)
        for port in bridge.ports:
            if port.is_filtered:
                yield claim_of(name, port.interface, NO_PORT_TREE, look)


def _kept_out(desk: Desk, node: Node) -> Iterator[Claim]:
    """Ports from which the packet filter keeps spanning tree."""
    found = desk.shown(node.name, "acl", f.PacketFilter)
    for rule in found.rules if found else ():
        if rule.family == "bridge" and rule.action == "drop" and f"ether daddr {l2.SPANNING_TREE}" in rule.others:
            for name in rule.out_interfaces:
                yield claim_of(node.name, name, NO_PORT_TREE, (node.name, "acl"))


def _vrrp(desk: Desk, node: Node) -> Iterator[Claim]:
    """A router without groups, on a network on which another router has some."""
    for peer in gateways_beside(desk.plan, node.name):
        theirs = [need for need, has_groups in _standing_by(desk, peer) if has_groups]
        own = [need for need, has_groups in _standing_by(desk, node.name) if not has_groups]
        for mine, other in product(own, theirs):
            yield claim_of(node.name, VRRP, NO_VRRP, (node.name, mine), (peer, other))
        yield from _alone(desk, node, peer)


def _standing_by(desk: Desk, node: str) -> Iterator[tuple[Need, bool]]:
    """Whether a router has VRRP groups, by everything that shows it."""
    if (shown := desk.shown(node, "vrrp", l2.StandbyGroups)) is not None:
        yield "vrrp", bool(shown.groups)
    for need in CONFIGURED:
        if (text := desk.configured(node, need)) is not None:
            yield need, _GROUP.search(text) is not None


def _alone(desk: Desk, node: Node, peer: str) -> Iterator[Claim]:
    """A router answers for every group, also for one in which it only stands by; the other one's cable is in order."""
    theirs = desk.shown(peer, "vrrp", l2.StandbyGroups)
    if theirs is None or len({each.priority for each in theirs.groups}) < 2:
        return
    if any(each.state != "Master" for each in theirs.groups):
        return
    by_name = {each.name: each for each in desk.plan.nodes}
    triple = Triple(node=node.name, object=VRRP, cause=NO_VRRP)
    for at, need in product(plugged_into(desk.plan, node.name, peer), LISTED):
        ports = [port.name for port in by_name[at].interfaces if port.peer.node == node.name]
        shown = [desk.interface(at, need, name) for name in ports]
        if all(each is not None and each.is_up for each in shown):
            looks = (Look(device=peer, need="vrrp"), Look(device=at, need=need))
            yield Claim(triple, frozenset(looks), may_pass=True)


def _isis(desk: Desk, node: Node) -> Iterator[Claim]:
    """IS-IS that is passive, or takes a cable for a LAN as at no other port, at a link between routers."""
    for need in CONFIGURED:
        blocks = interfaces_in(desk.configured(node.name, need) or "")
        active = {name: block for name, block in blocks.items() if " ip router isis " in block}
        is_usual = any(_AT_A_CABLE in block for block in active.values())
        for at in between_routers(desk.plan):
            block = active.get(at.port.name, "") if at.node.name == node.name else ""
            if block and (" isis passive\n" in block or (is_usual and _AT_A_CABLE not in block)):
                yield claim_of(node.name, at.port.name, "ISIS configuration error", (node.name, need))


def _evpn(desk: Desk, node: Node) -> Iterator[Claim]:
    """Neighbors to which EVPN isn't told, or VPNs that aren't told of at all."""
    for need in CONFIGURED:
        text = desk.configured(node.name, need) or ""
        block = _EVPN_BLOCK.search(text)
        if block is None:
            continue
        if set(_NEIGHBOR.findall(text)) - set(_ACTIVE.findall(block[1])):
            yield claim_of(node.name, EVPN, "L2VPN configuration error", (node.name, need))
        if "  advertise-all-vni\n" not in block[1]:
            yield claim_of(node.name, EVPN, "VPN configuration missing", (node.name, need))


def _vxlans(desk: Desk) -> Iterator[Claim]:
    """Ends of a VXLAN whose number or UDP port isn't that of most ends."""
    shown = {node.name: desk.shown(node.name, "vxlan", l2.Tunnels) for node in routers(desk.plan)}
    ends = [(name, each) for name, facts in shown.items() if facts for each in facts.tunnels]
    vni, port = _of_most([each.vni for _, each in ends]), _of_most([each.port for _, each in ends])
    looks: list[tuple[str, Need]] = [(name, "vxlan") for name in dict.fromkeys(name for name, _ in ends)]
    for name, each in ends:
        if vni not in (None, each.vni) or port not in (None, each.port):
            yield claim_of(name, each.interface, "VXLAN configuration error", *looks)


def _of_most(numbers: Sequence[int]) -> int | None:
    """The number that more than half have; None when there is none."""
    return next((each for each, count in Counter(numbers).items() if 2 * count > len(numbers)), None)
