"""Harmless events of a fabric's life, drawn by a case's seed: what they leave behind looks like a fault's traces."""

import random
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.fabric.queries import TIERS
from netopsbench.faults import places
from netopsbench.faults.contract import SessionClaim, Step, configure, vtysh

MOST = 3
PAUSE_S = (0.05, 0.4)
HOLD_S = (0.5, 1.5)
"""zebra 8.4 doesn't notice a port that is down for a few milliseconds."""
_DRAWS = 50
_TEST_NETS = tuple(map(IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))
"""Addresses that are only for examples: no route leads there."""
_REMARKS = ("patched", "cable checked", "optic replaced", "labelled", "inventoried")


class BenignEvent(Model):
    """Something that an operator does without breaking anything."""

    what: str
    switch: str
    pause_s: float
    """Before it."""
    do: tuple[Step, ...]
    undo: tuple[Step, ...] = ()
    hold_s: float = 0.0
    """Between the two."""
    saves: tuple[str, ...] = ()
    """Switches that save their configuration then: those where it was changed."""
    is_filter: bool = False
    """Whether it needs packet filters, which not every kernel has."""
    loses: tuple[SessionClaim, ...] = ()
    """Sessions that must be lost for a moment."""


Maker = Callable[[FabricPlan, Node, random.Random], BenignEvent | None]
"""Makes an event on a switch; None when it can't be harmless there."""


def draw_events(plan: FabricPlan, seed: int) -> tuple[BenignEvent, ...]:
    """0 to 3 events, whatever happens in the case afterwards."""
    draw = random.Random(f"benign {seed}")
    switches = [node for node in plan.nodes if node.is_switch]
    wanted = draw.randint(0, MOST)
    # A maker may find no place on the drawn switch; in a fabric of one path some find none anywhere.
    found = (draw.choice(MAKERS)(plan, draw.choice(switches), draw) for _ in range(_DRAWS))
    return tuple(islice((event for event in found if event is not None), wanted))


def port_described(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """Another description on a port."""
    port = draw.choice(node.interfaces)
    words = f"description {port.peer.node} {port.peer.interface} {draw.choice(_REMARKS)}"
    return _edit(f"description of {node.name}:{port.name}", node, draw, f"interface {port.name}", words)


def neighbor_described(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """Another description on a BGP neighbor."""
    neighbors = places.neighbors_of(plan, node)
    if not neighbors:
        return None
    port, address = draw.choice(neighbors)
    words = f"neighbor {address} description {port.peer.node} {draw.choice(_REMARKS)}"
    return _edit(f"description of {node.name}'s neighbor {address}", node, draw, f"router bgp {node.asn}", words)


def prefix_listed(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """One more entry in a prefix list, for a prefix that nobody announces."""
    nets = test_nets(plan)
    if not nets:
        return None
    net, number = draw.choice(nets), 5 * draw.randint(10, 99)
    name = draw.choice(("RESERVED", "RETIRED", "LOOPBACKS"))
    line = f"ip prefix-list {name} seq {number} permit {net} le 32"
    return _edit(f"entry {number} of {node.name}'s prefix list {name}", node, draw, line)


def route_map_extended(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """One more clause behind the one that takes everything."""
    name, number = draw.choice(("FABRIC-IN", "FABRIC-OUT")), 10 * draw.randint(3, 50)
    setting = draw.choice(("set metric 50", "set local-preference 90", "set weight 10"))
    clause = f"route-map {name} permit {number}"
    return _edit(f"clause {number} of {node.name}'s route map {name}", node, draw, clause, setting)


def rule_counted(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """A filter rule that only counts, for a prefix that no packet has."""
    nets = test_nets(plan)
    if not nets:
        return None
    net, side = draw.choice(nets), draw.choice(("saddr", "daddr"))
    # Declaring what is there already does nothing. A rule that is added twice counts twice, and that is all.
    rules = (
        "add table ip filter\n"
        "add chain ip filter forward { type filter hook forward priority filter; policy accept; }\n"
        f"add rule ip filter forward ip {side} {net} counter\n"
    )
    return BenignEvent(
        what=f"counting rule on {node.name}",
        switch=node.name,
        pause_s=draw.uniform(*PAUSE_S),
        do=(Step(where=node.name, argv=("nft", "-f", "-"), stdin=rules),),
        saves=(node.name,),
        is_filter=True,
    )


def session_cleared(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """A BGP session reset, where another one carries the traffic meanwhile."""
    spare = _spare_sessions(plan, node)
    if not spare:
        return None
    _, address = draw.choice(spare)
    return BenignEvent(
        what=f"session of {node.name} with {address} cleared",
        switch=node.name,
        pause_s=draw.uniform(*PAUSE_S),
        do=(vtysh(node.name, f"clear bgp ipv4 unicast {address}"),),
        # The session needs longer to come back, so that it can be seen lost.
        hold_s=PAUSE_S[1],
        loses=(SessionClaim(switch=node.name, neighbor=address, is_established=False),),
    )


def port_bounced(plan: FabricPlan, node: Node, draw: random.Random) -> BenignEvent | None:
    """A port shut and opened, where another one carries the traffic meanwhile: switches have no unused ones."""
    spare = _spare_sessions(plan, node)
    if not spare:
        return None
    port, address = draw.choice(spare)
    return BenignEvent(
        what=f"port {node.name}:{port.name} bounced",
        switch=node.name,
        pause_s=draw.uniform(*PAUSE_S),
        do=(configure(node.name, f"interface {port.name}", "shutdown"),),
        undo=(configure(node.name, f"interface {port.name}", "no shutdown"),),
        saves=(node.name,),
        hold_s=draw.uniform(*HOLD_S),
        loses=(SessionClaim(switch=node.name, neighbor=address, is_established=False),),
    )


MAKERS: tuple[Maker, ...] = (
    port_described,
    neighbor_described,
    prefix_listed,
    route_map_extended,
    rule_counted,
    session_cleared,
    port_bounced,
)


def _edit(what: str, node: Node, draw: random.Random, *lines: str) -> BenignEvent:
    return BenignEvent(
        what=what,
        switch=node.name,
        pause_s=draw.uniform(*PAUSE_S),
        do=(configure(node.name, *lines),),
        saves=(node.name,),
    )


def test_nets(plan: FabricPlan) -> tuple[IPv4Network, ...]:
    """Those that the fabric doesn't use itself."""
    pools = plan.pools
    used = (pools.fabric_links, pools.loopbacks, pools.clients, pools.more_clients, pools.management)
    return tuple(net for net in _TEST_NETS if not any(net.overlaps(pool) for pool in used))


def _spare_sessions(plan: FabricPlan, node: Node) -> tuple[tuple[Interface, IPv4Address], ...]:
    """Sessions over links whose lower switch has another uplink."""
    spare = []
    for port, address in places.neighbors_of(plan, node):
        peer, _ = places.peer_of(plan, port)
        lower = max(node, peer, key=lambda end: TIERS[end.role])
        if len(places.ports_of(plan, lower, "uplink")) > 1:
            spare.append((port, address))
    return tuple(spare)
