import itertools

import pytest
from report_runs import clos

from netopsbench.records.answers import Location
from netopsbench.records.trial import TrialLink, TrialNode
from netopsbench.report.topology import draw, marks


def test_tiers_go_from_spines_down_to_clients():
    drawing = draw(*clos(2, 4, 2))
    rows = {}
    for node in drawing.nodes:
        rows.setdefault(node.y, []).append(node.name)
    assert [rows[y] for y in sorted(rows)] == [
        ["spine1", "spine2"],
        ["leaf1", "leaf2", "leaf3", "leaf4"],
        [f"client{n}" for n in range(1, 9)],
    ]


@pytest.mark.parametrize("shape", [(2, 2, 1), (4, 16, 4), (16, 128, 1)])
def test_no_two_nodes_overlap_and_none_leaves_the_picture(shape):
    drawing = draw(*clos(*shape))
    rows = {}
    for node in drawing.nodes:
        rows.setdefault(node.y, []).append(node)
        assert node.x - node.width / 2 >= 0
        assert node.x + node.width / 2 <= drawing.width
    for row in rows.values():
        for left, right in itertools.pairwise(row):
            assert left.x + left.width / 2 < right.x - right.width / 2


def test_every_link_is_one_line():
    nodes, links = clos(2, 3, 1)
    assert draw(nodes, links).links_path.count("M") == len(links)


def test_links_given_by_node_names_alone_are_drawn_too():
    nodes = (TrialNode(name="spine1", role="spine"), TrialNode(name="leaf1", role="leaf"))
    assert draw(nodes, (TrialLink(a="spine1", b="leaf1"),)).links_path.count("M") == 1


def test_a_port_is_marked_on_its_own_link():
    drawing = draw(*clos(2, 2, 1))
    one, other = marks(
        drawing, [Location(device="leaf1", interface="eth2"), Location(device="LEAF1", interface="Ethernet4")]
    )
    assert one.link_path == other.link_path
    spine2 = next(node for node in drawing.nodes if node.name == "spine2")
    assert f"{spine2.x:g} {spine2.y + spine2.height / 2:g}" in one.link_path


def test_a_device_alone_is_ringed_and_an_unknown_one_is_not_drawn():
    drawing = draw(*clos(2, 2, 1))
    (mark,) = marks(drawing, [Location(device="leaf1"), Location(device="leaf9", interface="eth1")])
    assert (mark.text, mark.link_path, mark.port) == ("leaf1", "", None)


def test_port_that_does_not_exist_marks_only_its_device():
    (mark,) = marks(draw(*clos(2, 2, 1)), [Location(device="leaf1", interface="eth99")])
    assert mark.link_path == ""


def test_fabric_without_nodes_is_an_empty_picture():
    drawing = draw((), ())
    assert (drawing.nodes, drawing.links_path) == ((), "")
