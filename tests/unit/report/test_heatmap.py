import pytest
from report_runs import START, clos, mesh_view

from netopsbench.records.telemetry import Window
from netopsbench.records.trial import MeshCell, MeshView
from netopsbench.report.heatmap import mesh

WINDOW = Window(since_ns=START, until_ns=START + 1)


def view_of(*cells: tuple[str, str, int, int, float | None]) -> MeshView:
    return MeshView(
        window=WINDOW,
        cells=tuple(
            MeshCell(src=src, dst=dst, packets_sent=sent, packets_lost=lost, rtt_median_ms=rtt)
            for src, dst, sent, lost, rtt in cells
        ),
    )


def test_no_data_no_loss_and_total_loss_are_three_different_things():
    shown = mesh(view_of(("a", "b", 16, 0, 0.1), ("b", "a", 16, 16, None), ("a", "c", 0, 0, None)), ["a", "b", "c"])
    loss = {(row, column): cell for row, cells in enumerate(shown.loss.rows) for column, cell in enumerate(cells)}
    rtt = {(row, column): cell for row, cells in enumerate(shown.rtt.rows) for column, cell in enumerate(cells)}
    assert (loss[0, 1].shade, loss[0, 1].text) == ("l0", "0")
    assert (loss[1, 0].shade, loss[1, 0].text) == ("l4", "100")
    assert (loss[0, 2].shade, loss[0, 2].text) == ("none", "–")  # asked, but nothing was sent
    assert (loss[2, 0].shade, loss[2, 0].text) == ("none", "–")  # no row at all
    assert (rtt[0, 1].text, rtt[1, 0].text, rtt[2, 1].text) == ("0.10", "lost", "–")
    assert len({loss[0, 1].shade, loss[1, 0].shade, loss[0, 2].shade}) == 3
    assert "6 pairs" in shown.summary
    assert "4 without data" in shown.summary


@pytest.mark.parametrize(
    ("sent", "lost", "text", "shade"),
    [
        (10_000, 1, "<1", "l1"),
        (10_000, 9_999, ">99", "l3"),
        (100, 5, "5", "l1"),
        (100, 6, "6", "l2"),
        (100, 30, "30", "l2"),
        (100, 50, "50", "l3"),
    ],
)
def test_almost_nothing_and_almost_everything_keep_their_own_words(sent, lost, text, shade):
    cell = mesh(view_of(("a", "b", sent, lost, 1.0)), []).loss.rows[0][1]
    assert (cell.text, cell.shade) == (text, shade)


def test_clients_are_in_the_order_people_count():
    nodes, _ = clos(2, 12, 1)
    assert mesh(mesh_view(nodes), []).loss.names[:3] == ("client1", "client2", "client3")


def test_large_mesh_is_a_picture_that_covers_every_cell_once():
    nodes, _ = clos(4, 16, 4)
    shown = mesh(mesh_view(nodes, dead="client9", lost_pct=100, unmeasured="client7"), [])
    assert shown.loss.rows == ()
    area = 0
    for _, path in shown.loss.paths:
        area += sum(int(run.partition("h")[2].partition("v")[0]) for run in path.split("M")[1:])
    assert area == 64 * 64
    assert {"none", "l0", "l4", "self"} == {shade for shade, _ in shown.loss.paths}
    assert shown.worst[0][2:] == ("100 %", "lost")


def test_small_mesh_needs_no_list_of_worst_pairs():
    nodes, _ = clos(2, 2, 1)
    assert mesh(mesh_view(nodes), []).worst == ()
