"""A real case, held at the moment of the question for as long as tests need it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from case_runs import campaign_of, written

from netopsbench.agent.run import Examination
from netopsbench.campaign.cases import load_cases
from netopsbench.campaign.record import TrialOrder
from netopsbench.campaign.trial import conduct
from netopsbench.fabric.engine import Engine, Fabric, NodeFiles, ProgressCallback
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Question
from netopsbench.records.trial import Trial
from netopsbench.scenario.question import question_for

_READY_S = 150


@dataclass(frozen=True)
class HeldCase:
    """What a case has, for tests to look at from the outside."""

    question: Question
    socket: Path
    """The tool server's, as agents get it."""
    folder: Path
    """The trial's own, with the store."""
    fabric: Fabric


class _Remembering:
    """An engine whose newest fabric can be reached."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.fabric: Fabric | None = None

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> Fabric:
        self.fabric = self._engine.deploy(plan, files, progress)
        return self.fabric


@contextmanager
def held_case(engine: Engine, folder: Path, template: dict[str, object], budget_calls: int) -> Iterator[HeldCase]:
    """Bring up the case of one fault, hold it for the block, and see it through to its end."""
    keys = campaign_of(template, wall_time_s=60)
    keys["budget"]["tool_calls"] = budget_calls
    cases = load_cases(str(written(keys, folder / "campaign.yaml")))
    place = folder / "work"
    place.mkdir()
    remembering = _Remembering(engine)
    asked: Queue[tuple[Question, Path] | Trial] = Queue()
    go_on = threading.Event()

    def examiner(question: Question, socket: Path) -> Examination:
        asked.put((question, socket))
        go_on.wait()
        return Examination(answer=None, failure="no_answer", message="", stderr="", elapsed_s=0.0)

    def conducted() -> None:
        order = TrialOrder(trial_id="held", contestant="tests", scenario=cases.scenarios[0])
        question = question_for(cases.budget)
        asked.put(conduct(order, examiner, question, remembering, place, lambda _: None))

    holding = threading.Thread(target=conducted)
    holding.start()
    try:
        first = asked.get(timeout=_READY_S)
        assert not isinstance(first, Trial), first.error
        assert remembering.fabric is not None
        yield HeldCase(first[0], first[1], place, remembering.fabric)
    finally:
        go_on.set()
        holding.join()
    ended = asked.get_nowait()
    assert isinstance(ended, Trial)
    assert ended.end != "invalid", ended.error
