"""What makes two runs unlike each other is said in words."""

import pytest

from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.scoring.unlike import unlike


def run_of(*cases: str, **fingerprint: str) -> RunInfo:
    facts = {name.replace("_", " "): value for name, value in fingerprint.items()}
    return RunInfo(
        run_id="r",
        campaign="c",
        fabrics=("xs",),
        agents=("mine",),
        seed_kind="practice",
        started_ns=0,
        planned=tuple(PlannedTrial(trial_id=case, case_id=case, agent="mine") for case in cases),
        fingerprint=facts,
    )


def test_runs_alike_have_nothing_between_them() -> None:
    assert unlike(run_of("a", cases="1", code="2"), run_of("a", cases="1", code="2")) == ()


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (("a", "b"), ("a",), "the second run has 1 of the first run's 2 cases"),
        (("a",), ("a", "b"), "the first run has 1 of the second run's 2 cases"),
        (("a", "b"), ("b", "c", "d"), "the first run has 2 cases and the second 3; 1 of them in both"),
        (("a",), ("a",), "the cases have the same ids, but were not the same: their pace, windows or budgets differ"),
    ],
)
def test_different_cases_are_counted(first: tuple[str, ...], second: tuple[str, ...], words: str) -> None:
    assert unlike(run_of(*first, cases="7bea"), run_of(*second, cases="5475")) == (words,)


def test_agents_fabrics_and_code_are_told_apart() -> None:
    found = unlike(
        run_of("a", agent_x="1", agent_z="1", code="1", fabric_xs="1"),
        run_of("a", agent_y="1", agent_z="2", code="2", fabric_xs="2"),
    )
    assert found == (
        "agent x is only in the first run",
        "agent y is only in the second run",
        "agent z has other options in the second run",
        "the benchmark's code differs: 1 in the first run, 2 in the second",
        "fabric xs is laid out otherwise in the second run",
    )
