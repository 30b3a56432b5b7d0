"""One case for somebody to look around in: brought to the moment of the question by the steps of a trial."""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from netopsbench.agent.run import Examination
from netopsbench.campaign.cases import Cases
from netopsbench.campaign.record import PhaseListener, TrialOrder
from netopsbench.campaign.trial import conduct
from netopsbench.core.errors import InfraError, UnsupportedError
from netopsbench.fabric.engine import Engine
from netopsbench.records.answers import Question
from netopsbench.records.trial import Trial
from netopsbench.scenario.question import question_for

_MANY_CALLS = 1_000_000
"""A visitor has no budget."""

Visit = Callable[[Question, Path], None]
"""Gets the question as an agent would, and the tool server's socket; the case ends when it returns."""


def visit_case(cases: Cases, visit: Visit, engine: Engine, hear: PhaseListener) -> Trial:
    """Bring up the only case of `cases`, let somebody look around, and take everything down again.

    Raises InfraError when the case didn't come to the question or wasn't restored after it, UnsupportedError when
    this machine can't make it.
    """
    asked = question_for(
        cases.budget, cases.most_faults, has_shell=cases.has_shell, has_command_lines=cases.has_command_lines
    )
    unlimited = asked.model_copy(update={"budget": asked.budget.model_copy(update={"tool_calls": _MANY_CALLS})})

    def visited(_: Question, socket: Path) -> Examination:
        started = time.monotonic()
        visit(asked, socket)
        return Examination(answer=None, failure=None, message="", stderr="", elapsed_s=time.monotonic() - started)

    order = TrialOrder(
        trial_id="visit",
        contestant="visitor",
        scenario=cases.scenarios[0],
        has_shell=cases.has_shell,
        has_command_lines=cases.has_command_lines,
    )
    with TemporaryDirectory(prefix="") as place:
        trial = conduct(order, visited, unlimited, engine, Path(place), hear)
    if trial.error is not None and trial.end == "unsupported":
        raise UnsupportedError(trial.error.message)
    if trial.error is not None and trial.error.reason == "interrupted":
        raise KeyboardInterrupt("interrupted; the case has been taken down")
    if trial.error is not None:
        raise InfraError(trial.error.reason, trial.error.message)
    return trial
