"""The worked example of the manual is what the scorer makes of the same cases."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scored_examples import answered, truth_of

from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.records.trial import Trial, TrialError
from netopsbench.scoring.facts import facts_of
from netopsbench.scoring.runfolder import grade_all
from netopsbench.scoring.summary import AgentSummary, summarise

PAGE = Path(__file__).resolve().parents[3] / "docs" / "scoring.md"
SECTION = PAGE.read_text().partition("## Worked out: one agent, six cases")[2].partition("\n## ")[0]


def rows(columns: int) -> Iterator[list[str]]:
    """Cells of the rows of the section's table that has so many columns, without its head."""
    for line in SECTION.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == columns and not re.fullmatch(r"[-:|]+|case|figure", cells[0]):
            yield cells


CASES = list(rows(5))
FIGURES = list(rows(3))


def trial(case: str, truth: str, said: str) -> Trial:
    failed = TrialError(side="agent", reason="crashed", message="exit code 1") if said == "crashed" else None
    return Trial(
        trial_id=f"t-{case}", case_id=case, agent="mine", fabric="small", scale="small", difficulty="easy", seed=1,
        started_ns=0, end="scored", was_question_asked=True, truth=truth_of(truth),
        answer=None if failed else answered(said), error=failed,
    )  # fmt: skip


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return [trial(case, truth, said) for case, truth, said, _, _ in CASES]


@pytest.fixture(scope="module")
def agent(trials: list[Trial]) -> AgentSummary:
    planned = tuple(PlannedTrial(trial_id=each.trial_id, case_id=each.case_id, agent="mine") for each in trials)
    run = RunInfo(
        run_id="r", campaign="mine", fabrics=("small",), agents=("mine",), seed_kind="practice", started_ns=0,
        planned=planned,
    )  # fmt: skip
    return summarise(run, [facts_of(each) for each in trials], grade_all(trials)).agents[0]


def test_each_case_is_worth_what_the_page_says(trials: list[Trial]) -> None:
    assert len(trials) == 6
    worth = [(score.case_id, score.strict, score.paper) for score in grade_all(trials)]
    assert worth == [(case, float(strict), float(paper)) for case, _, _, strict, paper in CASES]


def test_every_figure_is_what_the_page_says(agent: AgentSummary) -> None:
    found = {
        "strict": agent.strict, "paper": agent.paper, "floor": agent.floor,
        "accuracy": agent.detection.accuracy, "device_localization_rate": agent.device_localization_rate,
        "interface_localization_rate": agent.interface_localization_rate,
        "localization_composite": agent.localization_composite,
    }  # fmt: skip
    values = {name: f"{each.value:.3f}" for name, each in found.items() if each is not None}
    assert agent.strict is not None
    values |= {"strict, lower end": f"{agent.strict.low:.3f}", "strict, upper end": f"{agent.strict.high:.3f}"}
    for name in ("precision", "recall", "f1", "specificity", "balanced_accuracy", "mcc"):
        values[name] = f"{getattr(agent.detection, name):.3f}"
    assert {name: value for name, _, value in FIGURES} == values
