"""What holds in a healthy lab as far as its file says by itself: neighbors on one cable, hosts that reach all."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from itertools import combinations, permutations

from netopsbench.fabric.labs.plan import Baseline, ExpectedAdjacency
from netopsbench.fabric.labs.spec import Adjacency, Lab, LabRouter, Protocol
from netopsbench.records.names import Port

DAEMON_OF: dict[Protocol, str] = {"ospf": "ospfd", "isis": "isisd", "rip": "ripd", "eigrp": "eigrpd", "bgp": "bgpd"}


def baseline_of(lab: Lab) -> Baseline:
    """Adjacencies between routers that share a cable or LAN and run the same protocol, and all pairs of hosts.

    The lab's own expectations are added and taken away.
    """
    silent = {(each.protocol, frozenset(each.between)) for each in lab.expect.silent}
    pairs = dict.fromkeys((each.protocol, each.between) for each in [*_on_cables(lab), *lab.expect.adjacencies])
    routers = {name: node for name, node in lab.nodes.items() if isinstance(node, LabRouter)}
    hosts = [name for name, node in lab.nodes.items() if node.kind == "host"]
    unreachable = set(lab.expect.unreachable)
    return Baseline(
        adjacencies=tuple(
            ExpectedAdjacency(protocol=protocol, node=node, neighbor=neighbor, addresses=_addresses(routers[neighbor]))
            for protocol, pair in pairs
            if (protocol, frozenset(pair)) not in silent and set(pair) <= routers.keys()
            for node, neighbor in (pair, pair[::-1])
        ),
        reachable=tuple(pair for pair in permutations(hosts, 2) if pair not in unreachable),
    )


def _on_cables(lab: Lab) -> Iterator[Adjacency]:
    shared: list[Sequence[Port]] = [*lab.links, *lab.segments.values()]
    for ports in shared:
        for here, there in combinations(ports, 2):
            one, other = lab.nodes.get(here.node), lab.nodes.get(there.node)
            if not (isinstance(one, LabRouter) and isinstance(other, LabRouter)) or one is other:
                continue
            for protocol, daemon in DAEMON_OF.items():
                if daemon in one.frr and daemon in other.frr:
                    yield Adjacency(protocol=protocol, between=(here.node, there.node))


def _addresses(router: LabRouter) -> tuple[IPv4Address, ...]:
    own = () if router.loopback is None else (router.loopback,)
    return (*own, *(address.ip for address in router.interfaces.values()))
