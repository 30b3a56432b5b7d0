"""How near a wrong answer comes: causes by their hierarchy, devices by what they are and where they stand."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from ipaddress import IPv4Network
from itertools import combinations

import networkx as nx

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.labels import label_similarity

_TAXONOMY_WEIGHT, _TOPOLOGY_WEIGHT = 0.7, 0.3
_NEARNESS = {1: 0.6, 2: 0.3}
_CORE = "core"


class Taxon(Model):
    """What a device is, whatever it is plugged into."""

    cluster: str
    site: str
    role: str


def label_score(said: Sequence[str], gold: Sequence[str]) -> float:
    """Similarity of the causes in the best one-to-one matching, over the number of true ones.

    Raises ValueError when `gold` is empty.
    """
    return matched_score(said, gold, label_similarity)


def matched_score(said: Sequence[str], gold: Sequence[str], similarity: Callable[[str, str], float]) -> float:
    """Weight of the heaviest one-to-one matching, over the number of true entries. Raises ValueError without any."""
    if not gold:
        raise ValueError("no true entry to compare with")
    graph: nx.Graph[tuple[str, int]] = nx.Graph()
    for i, one in enumerate(said):
        for j, other in enumerate(gold):
            if weight := similarity(one, other):
                graph.add_edge(("said", i), ("gold", j), weight=weight)
    matching = nx.max_weight_matching(graph)
    return float(sum(graph.edges[pair]["weight"] for pair in matching)) / len(gold)


def nodes_score(said: Collection[str], gold: Collection[str], plan: FabricPlan) -> float:
    """Similarity of the devices in the best one-to-one matching, over the number of true ones.

    Raises ValueError when `gold` is empty.
    """
    taxa, topology = taxa_of(plan), _cabled(plan)
    return matched_score(sorted(said), sorted(gold), lambda one, other: node_similarity(one, other, taxa, topology))


def taxa_of(plan: FabricPlan) -> dict[str, Taxon]:
    """Devices of a network: sites are what hangs together without the core, clusters a site's devices of one role."""
    roles = {node.name: node.role for node in plan.nodes}
    below = _cabled(plan)
    below.remove_nodes_from([name for name, role in roles.items() if role == _CORE])
    site_of = {name: min(part) for part in nx.connected_components(below) for name in part}
    taxa = {}
    for name, role in roles.items():
        site = site_of.get(name, _CORE)
        taxa[name] = Taxon(cluster=f"{site} {role}", site=site, role=role)
    return taxa


def _cabled(plan: FabricPlan) -> "nx.Graph[str]":
    """Devices and hosts with the cables between them; whatever is on one LAN is next to each other."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(node.name for node in plan.nodes)
    on: dict[IPv4Network, list[str]] = defaultdict(list)
    for node in plan.nodes:
        for port in node.interfaces:
            on[port.address.network].append(node.name)
    for names in on.values():
        graph.add_edges_from(combinations(names, 2))
    return graph


def node_similarity(one: str, other: str, taxa: Mapping[str, Taxon], topology: "nx.Graph[str]") -> float:
    """1 for the same device; else 0.7 taxonomy + 0.3 nearness, or taxonomy alone for a device off the topology."""
    if one == other:
        return 1.0
    taxonomy = _taxonomy(taxa.get(one), taxa.get(other))
    if one not in topology or other not in topology:
        return taxonomy
    return _TAXONOMY_WEIGHT * taxonomy + _TOPOLOGY_WEIGHT * _nearness(one, other, topology)


def _taxonomy(one: Taxon | None, other: Taxon | None) -> float:
    if one is None or other is None:
        return 0.0
    if one.cluster == other.cluster:
        return 0.7
    return {2: 0.5, 1: 0.3, 0: 0.0}[(one.site == other.site) + (one.role == other.role)]


def _nearness(one: str, other: str, topology: "nx.Graph[str]") -> float:
    around = nx.single_source_shortest_path_length(topology, one, cutoff=max(_NEARNESS))
    return _NEARNESS.get(around.get(other, 0), 0.0)
