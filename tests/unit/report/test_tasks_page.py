"""The page of a run of root-cause and path tasks."""

from netopsbench.rca.answer import PathHop, RestoredPath, Triple
from netopsbench.rca.evidence import Look
from netopsbench.rca.metrics import PathFigures, RcaFigures
from netopsbench.rca.model import CauseRef, Metadata, PathTask, RcaTask
from netopsbench.rca.record import TaskReport, TaskRow, TaskScore
from netopsbench.rca.summary import groups_of, summarize
from netopsbench.records.answers import Budget
from netopsbench.report.html import Pages

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
    "vendors": {"leaf1": "cisco"},
    "source": "client1",
    "target": "client2",
    "golden": (Look(device="leaf1", need="arp"),),
    "metadata": _TOLD,
}
_RCA = RcaTask(causes=(CauseRef(triple=Triple(node="leaf1", object="eth1", cause="shutdown")),), **_COMMON)
_PATH = PathTask(paths=(RestoredPath(hops=(PathHop(node="client1", egress="eth1"),), end="client2"),), **_COMMON)


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


def test_the_page_shows_both_families_and_escapes_what_agents_say() -> None:
    rows = (
        TaskRow(
            task_id=_RCA.id, kind="rca", network="xs", agent="<b>", accuracy=0, tolerant=0, failure="F1", evidence=0.25
        ),
        TaskRow(task_id=_PATH.id, kind="path", network="xs", agent="a", error="effect_not_seen: nothing"),
    )
    groups = tuple(summarize([_RCA, _PATH], [_score("rca", "<b>", 0), _score("path", "a", 1)]))
    report = TaskReport(budget=Budget(wall_time_s=60, tool_calls=5), versions={}, rows=rows, groups=groups)
    page = Pages().tasks(report)
    assert page == Pages().tasks(report)
    assert "<b>" not in page
    assert "1 of them invalid" in page
    assert 'id="rca"' in page
    assert 'id="path"' in page
    assert "effect_not_seen" in page
