"""Every published figure against one computed by hand."""

from collections import defaultdict

import networkx as nx
import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.rca.answer import RestoredPath, Said, Triple, read_paths, read_triples
from netopsbench.rca.hierarchy import Taxon, label_score, node_similarity, nodes_score, taxa_of
from netopsbench.rca.labels import CATEGORIES, CAUSES, label_similarity
from netopsbench.rca.metrics import evidence_f1, failure_of, iou, path_figures, rca_figures

GOLD = frozenset(
    {
        Triple(node="r1", object="eth0", cause="shutdown"),
        Triple(node="r2", object="10.0.2.0/24", cause="blackhole route"),
    }
)


def answer(*lines: str) -> Said[Triple]:
    return read_triples("<result>\n" + "\n".join(lines) + "\n</result>", "strict")


def paths(*lines: str) -> Said[RestoredPath]:
    return read_paths("<result>\n" + "\n".join(lines) + "\n</result>", "strict")


def test_the_right_answer_has_ones_and_no_failure() -> None:
    found = rca_figures(answer(*map(str, GOLD)), GOLD)
    assert (found.accuracy, found.location, found.identification, found.hierarchical) == (1, 1, 1, 1)
    assert found.failure is None


def test_half_an_answer() -> None:
    # One place of two; one cause of two; matched 1.0 of 2.
    found = rca_figures(answer("r1;eth0;shutdown"), GOLD)
    assert (found.accuracy, found.location, found.identification, found.hierarchical) == (0, 0.5, 0.5, 0.5)
    assert found.failure == "F1"


def test_an_answer_with_one_too_many() -> None:
    # Places: 2 of 3. Causes: 2 of 2, as the third names one of them again.
    found = rca_figures(answer(*map(str, GOLD), "r3;eth0;shutdown"), GOLD)
    assert found.location == pytest.approx(2 / 3)
    assert (found.accuracy, found.identification, found.failure) == (0, 1, "F2")


def test_wrong_mechanism_at_the_right_places() -> None:
    # Causes: {shutdown} of {shutdown, blackhole, missing static}: 1/3. Matched: 1.0 + 0.6, over 2.
    found = rca_figures(answer("r1;eth0;shutdown", "r2;10.0.2.0/24;missing static route"), GOLD)
    assert found.location == 1
    assert found.identification == pytest.approx(1 / 3)
    assert found.hierarchical == pytest.approx(0.8)
    assert found.failure == "F4"


def test_right_mechanism_at_a_wrong_object() -> None:
    # Places: one of {r1 eth0, r2 10.0.2.0/24, r2 10.0.3.0/24}.
    found = rca_figures(answer("r1;eth0;shutdown", "r2;10.0.3.0/24;blackhole route"), GOLD)
    assert found.location == pytest.approx(1 / 3)
    assert (found.identification, found.failure) == (1, "F3")


def test_nothing_that_can_be_read() -> None:
    for text in ("", "<result></result>", "<result>\nno idea\n</result>"):
        said = read_triples(text, "strict")
        assert failure_of(said, GOLD) == "F5"
        assert rca_figures(said, GOLD).location == 0


def test_a_line_that_fits_no_form_makes_accuracy_zero_beside_all_right_ones() -> None:
    found = rca_figures(answer(*map(str, GOLD), "that is all"), GOLD)
    assert (found.accuracy, found.location, found.failure) == (0, 1, "F2")


def test_iou_of_nothing_with_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        iou(set(), set())


def test_evidence_counts_device_and_command_together() -> None:
    # Two of three golden steps among four actions: 2 * 2 / (4 + 3).
    golden = {("r1", "arp"), ("r2", "arp"), ("r3", "fib")}
    taken = {("r1", "arp"), ("r2", "arp"), ("r3", "arp"), ("r4", "fib")}
    assert evidence_f1(taken, golden) == pytest.approx(4 / 7)
    assert evidence_f1(set(), golden) == 0
    with pytest.raises(ValueError, match="golden"):
        evidence_f1(taken, set())


def test_a_path_with_one_wrong_branch() -> None:
    gold = paths("a_1->b_1->d", "a_2->c_1->d").entries
    # Steps said: a1b, b1d, a2x, x1d; true: a1b, b1d, a2c, c1d. Two of six.
    found = path_figures(paths("a_1->b_1->d", "a_2->x_1->d"), gold)
    assert (found.accuracy, found.endpoints) == (0, 1)
    assert found.restored == pytest.approx(2 / 6)


def test_a_path_that_ends_early() -> None:
    # Ends {a, b} and {a, d}: one of three. Steps: one of two.
    found = path_figures(paths("a_1->b"), paths("a_1->b_1->d").entries)
    assert found.endpoints == pytest.approx(1 / 3)
    assert found.restored == 0.5


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("shutdown", "shutdown", 1.0),
        ("OSPF configuration error", "ISIS configuration error", 0.6),
        ("blackhole route", "incorrect static route", 0.6),
        ("blackhole route", "Layer 3 loop", 0.4),
        ("blackhole route", "shutdown", 0.0),
        ("gremlins", "gremlins", 1.0),
        ("gremlins", "shutdown", 0.0),
    ],
)
def test_label_similarity(one: str, other: str, value: float) -> None:
    assert label_similarity(one, other) == value
    assert label_similarity(other, one) == value


def test_the_best_matching_counts_not_the_first_one() -> None:
    # Greedy would spend `blackhole route` on itself (1.0) and leave nothing for the loop (0): 1.0; as would 0.4 + 0.6.
    said = ["blackhole route", "incorrect static route"]
    gold = ["blackhole route", "Layer 3 loop"]
    assert label_score(said, gold) == pytest.approx((1.0 + 0.4) / 2)
    assert label_score([], gold) == 0
    # More entries than there are true ones don't raise the score.
    assert label_score([*said, *said], ["blackhole route"]) == 1


def test_node_similarity_by_hand() -> None:
    taxa = {
        "leaf1": Taxon(cluster="pod1-leaf", site="pod1", role="leaf"),
        "leaf2": Taxon(cluster="pod1-leaf", site="pod1", role="leaf"),
        "spine1": Taxon(cluster="pod1-spine", site="pod1", role="spine"),
        "leaf3": Taxon(cluster="pod2-leaf", site="pod2", role="leaf"),
        "leaf4": Taxon(cluster="other", site="pod1", role="leaf"),
        "core1": Taxon(cluster="core", site="core", role="core"),
    }
    topology: nx.Graph[str] = nx.Graph(
        [("leaf1", "spine1"), ("leaf2", "spine1"), ("spine1", "core1"), ("core1", "leaf3")]
    )
    assert node_similarity("leaf1", "leaf1", taxa, topology) == 1
    # Same cluster 0.7, two steps apart 0.3.
    assert node_similarity("leaf1", "leaf2", taxa, topology) == pytest.approx(0.7 * 0.7 + 0.3 * 0.3)
    # Same site 0.3, one step apart 0.6.
    assert node_similarity("leaf1", "spine1", taxa, topology) == pytest.approx(0.7 * 0.3 + 0.3 * 0.6)
    # Same role 0.3, too far.
    assert node_similarity("leaf1", "leaf3", taxa, topology) == pytest.approx(0.7 * 0.3)
    # Same site and role 0.5, not in the topology: taxonomy alone.
    assert node_similarity("leaf1", "leaf4", taxa, topology) == 0.5
    assert node_similarity("leaf1", "ghost", taxa, topology) == 0


def test_every_cause_is_there_once_and_in_a_category() -> None:
    assert len({cause.label for cause in CAUSES}) == len(CAUSES) == 28
    assert {cause.category for cause in CAUSES} == set(CATEGORIES)


def test_devices_of_a_fat_tree_are_near_by_pod_and_role() -> None:
    plan = plan_fabric(load_spec("fat-tree-k4"))
    taxa = taxa_of(plan)
    by_site: dict[str, set[str]] = defaultdict(set)
    for name, taxon in taxa.items():
        by_site[taxon.site].add(name)
    # Four pods of two and two switches and four clients, and the four switches above them.
    assert sorted(len(names) for names in by_site.values()) == [4, 8, 8, 8, 8]
    edges = [node for node in plan.nodes if node.role == "edge"]
    one, beside, far = edges[0].name, edges[1].name, edges[-1].name
    # Same cluster 0.7, two steps apart 0.3.
    assert nodes_score({one}, {beside}, plan) == pytest.approx(0.7 * 0.7 + 0.3 * 0.3)
    # Same role 0.3, four steps apart.
    assert nodes_score({one}, {far}, plan) == pytest.approx(0.7 * 0.3)
    assert nodes_score({one, far}, {far, "nobody"}, plan) == pytest.approx(1 / 2)
    assert nodes_score(set(), {far}, plan) == 0


def test_routers_of_a_lan_are_next_to_each_other() -> None:
    plan = plan_fabric(load_spec("redundant_office"))
    assert nodes_score({"gw1"}, {"gw2"}, plan) == pytest.approx(0.7 * 0.7 + 0.3 * 0.6)
