"""Cabling of the three-tier fat-tree."""

from netopsbench.fabric.addressing import CORE_TIER, EDGE_TIER, tier_links
from netopsbench.fabric.plan import Role
from netopsbench.fabric.spec import FatTree, Pools
from netopsbench.fabric.wiring import Cable, Rack, Switch, Wiring


def wire_fat_tree(tree: FatTree, pools: Pools) -> Wiring:
    """Agg ports 1..k/2 go to cores, then edges; edge ports 1..k/2 to aggs, then clients.

    Core j joins agg (j-1)//(k/2)+1 of every pod; its port is the pod's number.
    """
    half, pods = tree.k // 2, range(tree.k)
    core_links, edge_links = tier_links(pools, CORE_TIER), tier_links(pools, EDGE_TIER)
    names: list[tuple[Role, int]] = [
        *(("core", n) for n in range(1, half * half + 1)),
        *(("agg", n) for n in range(1, tree.k * half + 1)),
        *(("edge", n) for n in range(1, tree.k * half + 1)),
    ]
    to_cores = [
        Cable(f"core{core}", pod + 1, f"agg{pod * half + group + 1}", up, next(core_links))
        for pod in pods
        for group in range(half)
        for up, core in enumerate(range(group * half + 1, group * half + half + 1), start=1)
    ]
    to_edges = [
        Cable(f"agg{pod * half + a}", half + e, f"edge{pod * half + e}", a, next(edge_links))
        for pod in pods
        for a in range(1, half + 1)
        for e in range(1, half + 1)
    ]
    return Wiring(
        switches=tuple(
            Switch(f"{role}{n}", role, tree.first_asn + position) for position, (role, n) in enumerate(names)
        ),
        cables=(*to_cores, *to_edges),
        racks=tuple(Rack(n, f"edge{n}", half + 1, tree.clients_per_edge) for n in range(1, tree.k * half + 1)),
    )
