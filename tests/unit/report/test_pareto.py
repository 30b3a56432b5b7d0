"""Scores against what they took, as pictures."""

from itertools import pairwise

from report_runs import faulty, finding, run_info, trial, write_run

from netopsbench.records.answers import Answer
from netopsbench.records.usage import Usage
from netopsbench.report.pareto import HEIGHT, WIDTH, pareto_view
from netopsbench.report.write import write_report
from netopsbench.scoring.run import score_run

RIGHT = Answer(verdict="fault_detected", findings=(finding("link_down", "leaf1", "eth1"),))
WRONG = Answer(verdict="network_healthy")
LINK = faulty("link_down", ("leaf1", "eth1"))


def trials_of(agent, answers, **changes):
    return [
        trial(f"{agent}-{number}", case_id=f"c{number}", agent=agent, truth=LINK, answer=answer, **changes)
        for number, answer in enumerate(answers)
    ]


def view(folder, *trials):
    return pareto_view(score_run(write_run(folder, [each for group in trials for each in group])).summary)


def test_unbeaten_agents_are_joined_and_a_slower_and_worse_one_is_not(tmp_path):
    found = view(
        tmp_path,
        trials_of("quick", [RIGHT, WRONG], agent_time_s=1.0),
        trials_of("thorough", [RIGHT, RIGHT], agent_time_s=4.0),
        trials_of("slow", [WRONG, WRONG], agent_time_s=3.0),
    )
    [plot] = [plot for plot in found.scatters if plot.title == "Time a case"]
    dots = {dot.title.partition(":")[0]: dot for dot in plot.dots}
    assert {name for name, dot in dots.items() if dot.is_unbeaten} == {"quick", "thorough"}
    quick, thorough = dots["quick"], dots["thorough"]
    assert plot.front == f"M{quick.x} {quick.y}H{thorough.x}V{thorough.y}H322"
    assert quick.x < dots["slow"].x < thorough.x
    # Higher is better, and an interval reaches beyond its score on both sides.
    assert thorough.y < quick.low_y
    assert quick.high_y < quick.y < quick.low_y
    assert plot.description.endswith("unbeaten: quick, thorough")


def test_what_nobody_took_or_told_is_named_and_not_drawn(tmp_path):
    found = view(tmp_path, trials_of("a", [RIGHT], usage=Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)))
    assert [plot.title for plot in found.scatters] == ["Time a case", "Calls a case"]
    assert found.left_out == ("tokens", "cost")


def test_an_agent_that_does_not_tell_is_left_out_of_that_picture(tmp_path):
    usage = Usage(input_tokens=900, output_tokens=100, cost_usd=0.5)
    found = view(tmp_path, trials_of("told", [RIGHT], usage=usage), trials_of("silent", [RIGHT]))
    shown = {plot.title: [dot.title.partition(":")[0] for dot in plot.dots] for plot in found.scatters}
    assert shown["Cost a case"] == ["told"]
    assert sorted(shown["Time a case"]) == ["silent", "told"]


def test_amounts_that_differ_much_are_spread_by_factors_and_stay_in_the_picture(tmp_path):
    times = (0.0, 0.02, 1.0, 300.0)
    found = view(tmp_path, *(trials_of(f"a{time:g}", [RIGHT], agent_time_s=time) for time in times))
    [plot] = [plot for plot in found.scatters if plot.title == "Time a case"]
    xs = sorted(dot.x for dot in plot.dots)
    assert plot.is_log
    assert xs[0] == 30.0
    assert xs[2] - xs[1] > 60
    # The largest one, with the number beside it, keeps off the border of the picture.
    assert WIDTH - 45 < xs[-1] <= WIDTH - 18 - 15
    assert all(0 <= dot.high_y <= dot.low_y <= HEIGHT for dot in plot.dots)
    assert [word for _, word in plot.ticks][:2] == ["0 ms", "0.10 s"]


def test_words_under_a_picture_do_not_run_into_each_other(tmp_path):
    times = (0.00001, 0.004, 0.1)
    found = view(tmp_path, *(trials_of(f"a{time:g}", [RIGHT], agent_time_s=time) for time in times))
    [plot] = [plot for plot in found.scatters if plot.title == "Time a case"]
    places = [x for x, _ in plot.ticks]
    assert len(places) >= 3
    assert all(after - before >= 44 for before, after in pairwise(places))


def test_agents_at_one_place_have_numbers_that_can_be_read(tmp_path):
    found = view(tmp_path, *(trials_of(f"a{number}", [RIGHT]) for number in range(5)))
    [plot] = [plot for plot in found.scatters if plot.title == "Time a case"]
    assert len({dot.label for dot in plot.dots}) == 5


def test_a_run_without_scores_has_no_picture(tmp_path):
    planned = trials_of("a", [RIGHT])
    found = pareto_view(score_run(write_run(tmp_path, [], run_info(planned))).summary)
    assert found.scatters == ()
    assert "Score against" not in write_report(tmp_path).read_text()


def test_the_page_shows_pictures_under_the_table(tmp_path):
    text = write_report(write_run(tmp_path, trials_of("a", [RIGHT]))).read_text()
    assert 'aria-label="Score against time of 1 agents; unbeaten: a"' in text
