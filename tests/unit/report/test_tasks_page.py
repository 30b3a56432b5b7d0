"""The page of a run of root-cause and path tasks."""

from netopsbench.rca.answer import PathHop, RestoredPath, Triple
from netopsbench.rca.commands import typed_in
from netopsbench.rca.grade import grade
from netopsbench.rca.metrics import PathFigures, RcaFigures
from netopsbench.rca.model import CauseRef, Metadata, PathTask, RcaTask
from netopsbench.rca.record import TaskRun, TaskScore, TaskTrial
from netopsbench.rca.solving.evidence import Look
from netopsbench.rca.summary import groups_of, summarize
from netopsbench.records.answers import Answer, Budget
from netopsbench.records.conditions import Conditions, Machine
from netopsbench.records.run import Replayed, Sitting
from netopsbench.records.trial import ToolCall, TrialError
from netopsbench.report.html import Pages
from netopsbench.report.task_trials import task_trials
from netopsbench.report.task_view import task_view
from netopsbench.report.tasks import report_of

_TOLD = Metadata(
    observability="O2",
    categories=("C1",),
    causes=3,
    chain_length=4,
    protocols=1,
    vendors=2,
    device_types=1,
    is_heterogeneous=True,
    golden_length=1,
)
_COMMON = {
    "network": "xs",
    "seed": 1,
    "vendors": {"leaf1": "cisco", "client1": "linux"},
    "source": "client1",
    "target": "client2",
    "golden": (Look(device="leaf1", need="arp"),),
    "metadata": _TOLD,
}
_RCA = RcaTask(id="t1", causes=(CauseRef(triple=Triple(node="leaf1", object="eth1", cause="shutdown")),), **_COMMON)
_PATH = PathTask(
    id="t2", paths=(RestoredPath(hops=(PathHop(node="client1", egress="eth1"),), end="client2"),), **_COMMON
)


def _score(kind: str, agent: str, accuracy: float) -> TaskScore:
    failure = None if accuracy else "F1"
    figures: RcaFigures | PathFigures = (
        RcaFigures(accuracy=accuracy, location=0.5, identification=0.5, hierarchical=0.5, failure=failure)
        if kind == "rca"
        else PathFigures(accuracy=accuracy, endpoints=1, restored=0.5)
    )
    return TaskScore(
        task_id=(_RCA if kind == "rca" else _PATH).id,
        agent=agent,
        kind=kind,
        strict=figures,
        tolerant=figures,
        evidence=0.25,
        rounds=4,
        elapsed_s=2,
        tokens=None,
    )


def test_tasks_are_counted_under_everything_that_they_are_like() -> None:
    assert list(groups_of(_RCA)) == [
        "all",
        "observability O2",
        "vendors mixed",
        "category C1, interface and link",
        "causes 3+",
        "chain 3+",
    ]
    assert "paths several" in list(groups_of(_PATH))


def test_means_and_failures_by_agent_and_group() -> None:
    groups = summarize([_RCA, _PATH], [_score("rca", "a", 1), _score("rca", "b", 0), _score("path", "a", 1)])
    found = {(group.kind, group.name, group.agent): group for group in groups}
    assert found["rca", "all", "a"].strict["accuracy"].value == 1
    assert found["rca", "all", "b"].failures == {"F1": 1}
    assert found["path", "all", "a"].strict["restored"].value == 0.5
    assert groups[0].name == "all"


def _trial(task: RcaTask | PathTask, agent: str, accuracy: float | None) -> TaskTrial:
    """A trial; without a figure it is invalid."""
    if accuracy is None:
        error = TrialError(side="infra", reason="effect_not_seen", message="nothing")
        return TaskTrial(task_id=task.id, agent=agent, end="invalid", error=error)
    return TaskTrial(task_id=task.id, agent=agent, end="scored", score=_score(task.kind, agent, accuracy))


def _run(**more: object) -> TaskRun:
    told = Conditions(
        versions={"netopsbench": "1", "FRR": "8.4"},
        machines=(Machine(cores=2, memory_gib=7.5, system="Linux 6.18 x86_64"),),
        seed=7,
        sittings=(Sitting(started_ns=1, workers=1), Sitting(started_ns=2, workers=1, accepted_changes=("code was a",))),
        replayed=Replayed(recording="r.zip", sha256="f" * 64, recorded_ns=1, netopsbench="1"),
    )
    run = TaskRun(
        run_id="r1",
        name="ctbench",
        agents=("<b>", "a"),
        tasks=2,
        budget=Budget(wall_time_s=60, tool_calls=5),
        conditions=told,
        started_ns=1,
    )
    return run.model_copy(update=more)


def _page(*trials: TaskTrial, **more: object) -> str:
    report = report_of([_RCA, _PATH], _run(**more), trials)
    page = Pages().tasks(report, task_view(report, trials, [_RCA, _PATH]))
    assert page == Pages().tasks(report, task_view(report, trials, [_RCA, _PATH]))
    return page


def test_the_page_shows_both_families_and_escapes_what_agents_say() -> None:
    page = _page(_trial(_RCA, "<b>", 0), _trial(_PATH, "a", 1))
    assert "<b>" not in page
    assert 'id="rca"' in page
    assert 'id="path"' in page


def test_the_page_tells_under_which_conditions_tasks_were_given() -> None:
    page = _page(_trial(_RCA, "<b>", 0), _trial(_RCA, "a", None), _trial(_PATH, "a", None))
    for name, what in (
        ("Agents", "&lt;b&gt;; a"),
        ("Budget of a task", "60 s, 5 tool calls; no limit of turns, tokens or cost"),
        ("Shell on devices", "not offered"),
        ("Vendors&#39; command lines", "offered, but for what a task denies"),
        ("Machine", "2 cores, 7.5 GiB of free memory, Linux 6.18 x86_64"),
        ("Versions", "netopsbench 1, FRR 8.4"),
        ("Sittings", "2: the run was cut short and resumed"),
        ("Invalid trials", "2 of 3: effect_not_seen 2"),
    ):
        assert f"<dt>{name}</dt><dd>{what}</dd>" in page
    assert "<dt>Tasks</dt><dd>practice: their seed 7 is no secret" in page


def test_what_weakens_the_figures_is_told_first() -> None:
    page = _page(_trial(_RCA, "a", None))
    for words in (
        "Replayed: every answer came from the recording r.zip",
        "The run has not ended: 1 of 4 trials are there.",
        "Accepted when the run was resumed: code was a.",
        "1 trial is invalid and in no figure",
    ):
        assert words in page
    assert page.index("Before you rely on this") < page.index("Conditions</h2>") < page.index('id="trials"')
    quiet = _page(_trial(_RCA, "a", 1), finished_ns=2, conditions=Conditions(seed_kind="headline"))
    assert "Before you rely on this" not in quiet
    assert "<dt>Invalid trials</dt><dd>none</dd>" in quiet
    assert "<dt>Machine</dt><dd>not recorded</dd>" in quiet


def test_an_agent_after_whose_question_much_became_invalid_is_named() -> None:
    lost = _trial(_RCA, "a", None)
    page = _page(lost, _trial(_PATH, "a", 1), _trial(_RCA, "<b>", 1))
    assert "a: 1 of 2 tries became invalid after the question (50.0 %, limit 2 %)." in page
    told = "a: 1 of 2 trials, 1 of 2 tries after the question"
    assert f"<dt>Invalid by agent</dt><dd>{told}</dd>" in page
    assert "Invalid by agent" not in _page(_trial(_RCA, "a", 1))
    before = lost.model_copy(update={"was_question_asked": False})
    assert "became invalid after the question" not in _page(before, _trial(_PATH, "a", 1))


def test_tokens_are_shown_where_agents_tell_them() -> None:
    trial = _trial(_RCA, "a", 1)
    assert trial.score is not None
    paid = trial.model_copy(update={"score": trial.score.model_copy(update={"tokens": 31_416})})
    assert "31,416" in _page(paid)
    assert ">Tokens<" in _page(trial)


def _answered(task: RcaTask | PathTask, text: str, *lines: str) -> TaskTrial:
    """A trial graded as it would be in a run, after some commands on leaf1."""
    calls = tuple(
        ToolCall(
            tool="execute",
            arguments={"device": "leaf1", "command": line},
            started_ns=1,
            elapsed_s=0.1,
            is_error="no such" in line,
            result="{}",
        )
        for line in lines
    )
    score = grade(task, text, typed_in(calls), (len(calls), 1.0, None), "a")
    answer = Answer(verdict="fault_detected", reasoning=text)
    return TaskTrial(task_id=task.id, agent="a", end="scored", score=score, answer=answer, calls=calls)


def test_a_trial_tells_what_was_answered_and_what_was_right() -> None:
    wrong = "<result>\nleaf1;GigabitEthernet0/2;shutdown\nit is <b>broken</b>\n</result>"
    [view] = task_trials([_answered(_RCA, wrong)], [_RCA], str)
    assert view.asked == "Find all root causes of what users at client1 report on the way to client2."
    assert [(line.text, line.is_common, line.is_refused) for line in view.said] == [
        ("leaf1;GigabitEthernet0/2;shutdown", False, False),
        ("it is <b>broken</b>", False, True),
    ]
    assert [(line.text, line.is_common) for line in view.key] == [("leaf1;GigabitEthernet0/1;shutdown", False)]
    assert view.failure == "F2: causes too many"
    assert ("Causes", "1.00", "1.00") in view.figures
    page = _page(_answered(_RCA, wrong))
    assert "leaf1;GigabitEthernet0/1;shutdown" in page
    assert "<b>broken" not in page
    assert f'href="{view.record}"' in page
    assert page.count(f'"#{view.anchor}"') == page.count(f'id="{view.anchor}"') == 1


def test_commands_are_shown_against_golden_steps() -> None:
    trial = _answered(_RCA, "", "show ip arp", "show version", "no such command")
    [view] = task_trials([trial], [_RCA], str)
    assert [(line.text, line.is_common) for line in view.golden] == [("leaf1: arp", True)]
    assert [(line.text, line.is_common, line.is_refused) for line in view.commands] == [
        ("leaf1: show ip arp", True, False),
        ("leaf1: show version", False, False),
        ("leaf1: no such command", False, True),
    ]
    [blind] = task_trials([_answered(_RCA, "")], [_RCA], str)
    assert [line.is_common for line in blind.golden] == [False]


def test_a_path_trial_marks_the_paths_that_were_found() -> None:
    [view] = task_trials([_answered(_PATH, "<result>\nclient1_eth1->client2\n</result>")], [_PATH], str)
    assert [(line.text, line.is_common) for line in (*view.said, *view.key)] == [("client1_eth1 → client2", True)] * 2
    assert not view.failure
    assert "Wrong by class" not in _page(_trial(_PATH, "a", 1))
    assert "Wrong by class</th>" in _page(_trial(_RCA, "a", 0))
