"""Cabling of CLOS fabrics: two tiers, or pods under a core."""

from netopsbench.fabric.addressing import CORE_TIER, EDGE_TIER, clos_link, tier_links
from netopsbench.fabric.spec import Clos, PodClos, Pools
from netopsbench.fabric.wiring import Cable, Rack, Switch, Wiring, counts


def wire_clos(clos: Clos, pools: Pools) -> Wiring:
    """Spine port = leaf number; leaf ports: spines first, then clients."""
    spines, leaves = range(1, clos.spines + 1), range(1, clos.leaves + 1)
    clients = counts(clos.clients_per_leaf, clos.leaves)
    return Wiring(
        switches=(
            *(Switch(f"spine{s}", "spine", clos.spine_asn) for s in spines),
            *(Switch(f"leaf{n}", "leaf", clos.leaf_asn_base + n) for n in leaves),
        ),
        cables=tuple(Cable(f"spine{s}", n, f"leaf{n}", s, clos_link(pools, s, n)) for s in spines for n in leaves),
        racks=tuple(Rack(n, f"leaf{n}", clos.spines + 1, clients[n - 1]) for n in leaves),
    )


def wire_pod_clos(clos: PodClos, pools: Pools) -> Wiring:
    """Core port = spine number; spine ports: cores first, then leaves; leaf ports: spines, then clients.

    Spines and leaves are numbered through all pods.
    """
    switches = [Switch(f"core{c}", "core", clos.core_asn) for c in range(1, clos.cores + 1)]
    cables: list[Cable] = []
    racks: list[Rack] = []
    core_links, edge_links = tier_links(pools, CORE_TIER), tier_links(pools, EDGE_TIER)
    leaf_switches: list[Switch] = []
    first_spine = first_leaf = 1
    for pod_number, pod in enumerate(clos.pods, start=1):
        spines = range(first_spine, first_spine + pod.spines)
        leaves = range(first_leaf, first_leaf + pod.leaves)
        clients = counts(pod.clients_per_leaf, pod.leaves)
        switches += [Switch(f"spine{s}", "spine", clos.core_asn + pod_number) for s in spines]
        leaf_switches += [Switch(f"leaf{n}", "leaf", clos.leaf_asn_base + n) for n in leaves]
        for s in spines:
            for c in range(1, clos.cores + 1):
                cables.append(Cable(f"core{c}", s, f"spine{s}", c, next(core_links)))
            for position, n in enumerate(leaves, start=1):
                port = s - first_spine + 1
                cables.append(Cable(f"spine{s}", clos.cores + position, f"leaf{n}", port, next(edge_links)))
        for n in leaves:
            racks.append(Rack(n, f"leaf{n}", pod.spines + 1, clients[n - first_leaf]))
        first_spine, first_leaf = spines.stop, leaves.stop
    return Wiring((*switches, *leaf_switches), tuple(cables), tuple(racks))
