"""The routes that BGP must arrive at when nothing is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.fabric.queries import nodes_by_name, switches

NextHops = frozenset[IPv4Address]
RouteTable = dict[str, dict[IPv4Network, NextHops]]


@dataclass(frozen=True)
class _Best:
    """What a switch holds of one origin's prefixes."""

    hops: int
    as_path: tuple[int, ...]
    next_hops: NextHops


def expected_routes(plan: FabricPlan) -> RouteTable:
    """Every switch's BGP routes with all their equal-cost next hops.

    BGP's rules: the shortest AS path wins, paths of the same length share, and a path that holds the
    receiver's own AS is refused. So spines that share an AS don't have each other's loopbacks. Own and
    directly connected prefixes are left out. Nothing is expected of a lab: its configurations are the author's.
    """
    by_name = nodes_by_name(plan)
    table: RouteTable = {each.name: {} for each in switches(plan)}
    if plan.lab is not None:
        return table
    for origin in switches(plan):
        prefixes = announced(origin)
        for name, best in _spread(by_name, origin).items():
            if best.hops:
                table[name].update(dict.fromkeys(prefixes, best.next_hops))
    return table


def announced(switch: Node) -> tuple[IPv4Network, ...]:
    """Everything that a switch originates: its loopback and its clients' prefixes."""
    own = () if switch.loopback is None else (IPv4Network(switch.loopback),)
    return (*own, *switch.announces)


def _spread(by_name: Mapping[str, Node], origin: Node) -> dict[str, _Best]:
    """Announce from `origin` outwards, one AS hop a round, until nobody learns anything new."""
    best = {origin.name: _Best(0, (), frozenset())}
    frontier = [origin.name]
    while frontier:
        offers: dict[str, list[tuple[IPv4Address, tuple[int, ...]]]] = {}
        for name in frontier:
            sender = by_name[name]
            as_path = (sender.asn or 0, *best[name].as_path)
            for port in sender.interfaces:
                receiver = by_name[port.peer.node]
                if receiver.asn is None or receiver.name in best or receiver.asn in as_path:
                    continue
                offers.setdefault(receiver.name, []).append((port.address.ip, as_path))
        for name, heard in offers.items():
            # All are equally long; which one is advertised further only matters for its AS numbers,
            # and tiers that share a number share it at the same distance.
            best[name] = _Best(len(heard[0][1]), heard[0][1], frozenset(address for address, _ in heard))
        frontier = list(offers)
    return best
