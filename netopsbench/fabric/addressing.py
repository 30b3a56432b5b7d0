"""Addresses out of the pools, and whether the pools are large enough."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from netopsbench.core.errors import Problem
from netopsbench.fabric.labs.spec import Lab
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree, PodClos, Pools
from netopsbench.fabric.wiring import counts

FIRST_RACK_OCTET = 100
"""Rack r has the third octet 100 + r, as the published scales do."""

RACKS_IN_CLIENTS = 255 - FIRST_RACK_OCTET
CLIENTS_PER_RACK = 64
"""A rack has a /24, a client a /30."""

SPINE_LIMIT = 254
"""Second octets of the fabric pool; the last one holds the loopbacks by default."""

LEAF_LIMIT = 255
TIER_LINK_LIMIT = 1 << 14
"""The /30s of one tier's /16."""

_CLIENT_KEYS = {
    "clos": "topology.clients_per_leaf",
    "pod_clos": "topology.pods",
    "fat_tree": "topology.clients_per_edge",
}

CORE_TIER = 1
EDGE_TIER = 2


def clos_link(pools: Pools, spine: int, leaf: int) -> IPv4Network:
    """Prefix of the link between a spine and a leaf of a two-tier CLOS."""
    return IPv4Network((int(pools.fabric_links.network_address) + (spine << 16) + (leaf << 8), 30))


def tier_links(pools: Pools, tier: int) -> Iterator[IPv4Network]:
    """Prefixes of one tier's links, in order."""
    first = int(pools.fabric_links.network_address) + (tier << 16)
    return (IPv4Network((first + 4 * n, 30)) for n in range(TIER_LINK_LIMIT))


def loopback(pools: Pools, number: int) -> IPv4Address:
    """Loopback of the switch with this number, from 1."""
    return pools.loopbacks.network_address + number


def client_prefix(pools: Pools, rack: int, client: int) -> IPv4Network:
    """Prefix of a client of a rack, both from 1."""
    if rack <= RACKS_IN_CLIENTS:
        rack_base = int(pools.clients.network_address) + ((FIRST_RACK_OCTET + rack) << 8)
    else:
        rack_base = int(pools.more_clients.network_address) + ((rack - RACKS_IN_CLIENTS - 1) << 8)
    return IPv4Network((rack_base + 4 * (client - 1), 30))


def retired_prefix(pools: Pools, number: int) -> IPv4Network:
    """A /24 of the client pool that no rack ever gets, for configuration left over from earlier times."""
    return IPv4Network((int(pools.clients.network_address) + (number % FIRST_RACK_OCTET << 8), 24))


def port_mac(node: int, port: int) -> str:
    """A locally administered address, unique in the fabric, so that neighbours need no learning."""
    return f"02:4e:{node >> 8:02x}:{node & 255:02x}:{port >> 8:02x}:{port & 255:02x}"


def pool_problems(spec: FabricSpec) -> list[Problem]:
    """Every pool that the topology would exhaust."""
    topology = spec.topology
    if isinstance(topology, Lab):
        return []
    wanted = _Demand(spec.name)
    if isinstance(topology, Clos):
        wanted.at_most("topology.spines", topology.spines, SPINE_LIMIT, "fabric_links has room for spines")
        wanted.at_most("topology.leaves", topology.leaves, LEAF_LIMIT, "fabric_links has room for leaves")
        switches, racks = topology.spines + topology.leaves, topology.leaves
        clients = max(counts(topology.clients_per_leaf, topology.leaves))
    elif isinstance(topology, PodClos):
        spines = sum(pod.spines for pod in topology.pods)
        racks = sum(pod.leaves for pod in topology.pods)
        clients = max(max(counts(pod.clients_per_leaf, pod.leaves)) for pod in topology.pods)
        switches = topology.cores + spines + racks
        lower = sum(pod.spines * pod.leaves for pod in topology.pods)
        room = "fabric_links has room for links between cores and spines"
        wanted.at_most("topology.cores", spines * topology.cores, TIER_LINK_LIMIT, room)
        room = "fabric_links has room for links between spines and leaves"
        wanted.at_most("topology.pods", lower, TIER_LINK_LIMIT, room)
    else:
        switches, racks, clients = _fat_tree_size(topology)
        wanted.at_most("topology.k", topology.k**3 // 4, TIER_LINK_LIMIT, "fabric_links has room for links a tier")
    wanted.at_most(
        "pools.loopbacks", switches, spec.pools.loopbacks.num_addresses - 2, "loopbacks has room for switches"
    )
    more = spec.pools.more_clients.num_addresses // 256
    wanted.at_most("pools.more_clients", racks, RACKS_IN_CLIENTS + more, "clients and more_clients have room for racks")
    wanted.at_most(_CLIENT_KEYS[topology.kind], clients, CLIENTS_PER_RACK, "a rack has room for clients")
    return wanted.problems


class _Demand:
    """Collects what is wanted beyond what there is."""

    def __init__(self, fabric: str) -> None:
        self.fabric = fabric
        self.problems: list[Problem] = []

    def at_most(self, key: str, wanted: int, room: int, what: str) -> None:
        if wanted > room:
            self.problems.append(Problem(self.fabric, key, str(wanted), f"{what}: {room}"))


def _fat_tree_size(tree: FatTree) -> tuple[int, int, int]:
    half = tree.k // 2
    return half * half + tree.k * tree.k, tree.k * half, tree.clients_per_edge
