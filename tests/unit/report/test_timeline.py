"""BGP and counters over the time of a trial, as the page of a case shows them."""

from report_runs import SECOND, START, mesh_view, timelines, trial, write_run

from netopsbench.records.telemetry import BgpEvent, Window
from netopsbench.records.trial import Phase, Trace
from netopsbench.report.timeline import HEIGHT, WIDTH, timeline_view
from netopsbench.report.write import write_report


def event(from_state: str | None, to_state: str | None) -> BgpEvent:
    return BgpEvent(
        t_ns=START + 6 * SECOND,
        source="leaf1",
        neighbor_address="10.1.1.1",
        from_state=from_state,
        to_state=to_state,
        times_lost=1,
    )


def view(*traces: Trace, events: tuple[BgpEvent, ...] = (), **changes: object):
    mesh = mesh_view(())
    after = mesh.model_copy(update={"window": Window(since_ns=START + 6 * SECOND, until_ns=START + 8 * SECOND)})
    lines = timelines(*traces, events=events)
    one = trial("t1", case_id="c1", timelines=lines, baseline_mesh=mesh, fault_mesh=after, **changes)
    return timeline_view(one)


def row_of(trace: Trace):
    [chart] = view(trace).charts
    [row] = chart.rows
    return row


def test_means_are_those_of_the_steps_that_end_in_each_window():
    row = row_of(Trace(figure="packets", of="leaf1:eth1", values=(10, 20, 30, 99, 99, 99, 4, 5, 99, 99)))
    assert (row.name, row.before, row.during) == ("leaf1:eth1", "20", "4.5")
    assert (row.lowest, row.highest) == ("4", "99")


def test_an_unknown_window_is_no_zero():
    row = row_of(Trace(figure="sessions", of="", values=(None, None, None, 2, None, None, 0, 0)))
    assert (row.name, row.before, row.during) == ("whole fabric", "–", "0")


def test_a_line_breaks_where_nothing_is_known():
    row = row_of(Trace(figure="sessions", of="leaf1", values=(2, 2, None, 1)))
    assert row.path == "M0.0 3.0H150.0V3.0H300.0M450.0 23.0H600.0"


def test_one_session_of_many_is_a_step_that_can_be_seen_and_a_rate_keeps_its_size():
    assert row_of(Trace(figure="sessions", of="", values=(128, 127))).path == "M0.0 3.0H300.0V23.0H600.0"
    assert row_of(Trace(figure="packets", of="", values=(100, 50))).path == "M0.0 3.0H300.0V13.0H600.0"


def test_a_line_of_zeros_lies_on_the_ground():
    assert row_of(Trace(figure="refused", of="leaf1", values=(0, 0))).path == "M0.0 23.0H300.0V23.0H600.0"


def test_windows_the_agents_time_and_the_injection_lie_behind_the_lines():
    phases = (
        Phase(name="inject", started_ns=START + 4 * SECOND, elapsed_s=0.1),
        Phase(name="agent", started_ns=START + 8 * SECOND, elapsed_s=5.0),
    )
    shown = view(Trace(figure="sessions", of="", values=(2,) * 10), phases=phases)
    assert [(band.kind, band.x, band.width) for band in shown.bands] == [
        ("before", 0.0, 180.0),
        ("held", 360.0, 120.0),
        # It ends with the picture, though the phase goes on.
        ("asked", 480.0, 120.0),
    ]
    assert shown.marks == (("inject", 240.0),)
    assert (WIDTH, HEIGHT) == (600.0, 26.0)


def test_changes_of_sessions_are_told_in_words():
    events = (event("Established", "Idle"), event("Established", "Established"), event("Idle", None))
    shown = view(Trace(figure="sessions", of="", values=(2,)), events=events)
    assert [change for *_, change in shown.events] == ["Established → Idle", "lost and back", "Idle → not configured"]
    assert shown.events[0][:3] == ("6.00 s", "leaf1", "10.1.1.1")


def test_the_page_shows_lines_with_words_for_readers_without_eyes(tmp_path):
    lines = timelines(Trace(figure="sessions", of="leaf1", values=(2, 1)), events=(event("Established", "Idle"),))
    text = write_report(write_run(tmp_path, [trial("t1", case_id="c1", timelines=lines)])).read_text()
    assert 'aria-label="leaf1: lowest 1, highest 2"' in text
    assert "Changes of BGP sessions (1)" in text


def test_a_trial_without_timelines_says_so(tmp_path):
    text = write_report(write_run(tmp_path, [trial("t1", case_id="c1")])).read_text()
    assert "No timeline was recorded." in text
