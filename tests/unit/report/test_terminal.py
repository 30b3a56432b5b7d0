import io

from report_runs import run_info, trial, usual_run, write_run
from rich.console import Console

from netopsbench.records.answers import Answer
from netopsbench.report.terminal import TrialProgress, summary_table, trials_table
from netopsbench.scoring.facts import facts_of
from netopsbench.scoring.run import score_run

HOSTILE = "[bold red]x[/] \x1b[2J\x07 [link=http://e]y"


def printed(*renderables, width=80) -> str:
    console = Console(file=io.StringIO(), width=width)
    for each in renderables:
        console.print(each)
    return console.file.getvalue()


def test_trials_and_agents_fit_into_80_columns(tmp_path):
    run = score_run(write_run(tmp_path, usual_run()))
    text = printed(trials_table(run.records.trials, run.scores), summary_table(run.summary))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for words in ("c-3", "blackhole_route", "agent failed", "0.17–0.83", "always-faulty", "Practice run"):
        assert words in text


def test_agent_column_appears_only_where_agents_differ():
    both = [facts_of(each) for each in usual_run()]
    own = [each for each in both if each.agent == "baseline"]
    assert "agent" not in printed(trials_table(own, [])).splitlines()[1]
    assert "agent" in printed(trials_table(both, [])).splitlines()[1]


def test_what_was_not_scored_is_said_under_the_table(tmp_path):
    run = score_run(write_run(tmp_path, usual_run()))
    text = printed(summary_table(run.summary), width=120)
    assert "Not scored: baseline: 1 of 6: 1 invalid (effect_not_seen 1)" in text


def test_every_real_agent_gets_its_verdict_and_controls_beside_them_none(tmp_path):
    trials = [trial(f"t-{name}", case_id="c-1", agent=name) for name in ("mine", "baseline", "nop")]
    text = printed(summary_table(score_run(write_run(tmp_path, trials)).summary), width=120)
    assert "mine scored" in text
    assert "baseline scored" in text
    assert "nop scored" not in text


def test_agents_words_are_neither_markup_nor_escapes(tmp_path):
    hostile = trial("t-1", case_id=HOSTILE, agent=HOSTILE)
    run = score_run(write_run(tmp_path, [hostile]))
    text = printed(trials_table(run.records.trials, run.scores), summary_table(run.summary), width=200)
    assert "[bold red]x[/] \\x1b[2J\\x07" in text
    assert "\x1b" not in text


def test_without_a_terminal_progress_is_plain_lines():
    trials = usual_run()[:2]
    out = io.StringIO()
    now_s = [0.0]
    with TrialProgress(run_info(trials).planned, Console(file=out, width=80), clock=lambda: now_s[0]) as progress:
        for each in trials:
            now_s[0] += 90
            progress.phase(each.trial_id, "deploy")
            progress.phase(each.trial_id, "converge")
            progress.finished(each)
    assert out.getvalue().splitlines() == [
        "c-1 baseline: deploy",
        "[1/2]  1.00  c-1 baseline  link_down at spine1:eth1  (40 trials/h, about 90 s left)",
        "c-2 baseline: deploy",
        "[2/2]  0.50  c-2 baseline  link_down at leaf2:eth1",
    ]


def test_on_a_terminal_progress_keeps_one_line_for_each_trial():
    trials = usual_run()[:6]
    out = io.StringIO()
    with TrialProgress(run_info(trials).planned, Console(file=out, width=100, force_terminal=True)) as progress:
        for each in trials:
            progress.phase(each.trial_id, "deploy")
            progress.finished(each)
    text = out.getvalue()
    assert "invalid: effect_not_seen" in text
    assert "[6/6]" in text


def test_progress_survives_an_unplanned_trial_and_hostile_words():
    out = io.StringIO()
    stray = trial("stray", case_id=HOSTILE, agent=HOSTILE, answer=Answer(verdict="network_healthy"))
    with TrialProgress((), Console(file=out, width=80)) as progress:
        progress.phase("stray", HOSTILE)
        progress.finished(stray)
    assert "\x1b" not in out.getvalue()
    assert "[bold red]" in out.getvalue()


def test_progress_goes_to_stderr(capsys):
    with TrialProgress(()) as progress:
        progress.phase("t-1", "deploy")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "deploy" in captured.err
