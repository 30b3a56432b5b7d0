"""Tries out somebody's agent, on a small healthy fabric or a recorded case: does it keep to what is expected of all?"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from netopsbench.agent.run import Examination, examine
from netopsbench.agent.spec import Choice
from netopsbench.campaign.contestants import Entry
from netopsbench.campaign.replayed_agent import examined
from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.answers import Budget, Question
from netopsbench.replay.bundle import RecordedCase
from netopsbench.replay.playing import RESULT_CHARS, played
from netopsbench.scenario.question import question_for
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.pingmesh import pingmesh
from netopsbench.telemetry.store_client import store_running
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool
from netopsbench.tools.serving.aside import served
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter

SMALL = "xs"
"""The scale on which agents are tried."""
_CONVERGE_DEADLINE_S = 120.0
_EPOCH_DEADLINE_S = 60.0
_FAILING_CALLS = 2
_FEW_CALLS = 3

Asker = Callable[[Question, Desk], Examination]
"""Puts the question to somebody who gets these tools."""
Scene = Callable[[], tuple[ToolContext, Sequence[Tool]]]
"""What the tools look at, and the tools themselves; set anew for each question."""


class Check(Model):
    """One thing an agent was tried on."""

    name: str
    is_passed: bool | None
    """None when it did nothing by which that could be seen."""
    told: str
    """What it did, and what to mend when it didn't pass."""


@contextmanager
def small_fabric(engine: Engine) -> Iterator[ToolContext]:
    """A healthy fabric of the smallest scale with its Pingmesh, for the block."""
    plan = plan_fabric(load_spec(SMALL))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=_CONVERGE_DEADLINE_S)
        pace = pace_for(plan, "fast")
        with (
            TemporaryDirectory() as folder,
            store_running(Path(folder)) as store,
            pingmesh(fabric, store.socket_path, pace) as mesh,
        ):
            baseline = mesh.wait_epochs(1, after_ns=0, timeout_s=_EPOCH_DEADLINE_S)
            current = mesh.wait_epochs(1, after_ns=baseline.until_ns, timeout_s=_EPOCH_DEADLINE_S)
            yield ToolContext(plan=plan, fabric=fabric, store=store, baseline=baseline, current=current)
    finally:
        fabric.destroy()


def check_on_fabric(choice: Choice, context: ToolContext, wall_time_s: float = 60.0) -> Iterator[Check]:
    """Try an agent of the catalogue on a fabric that runs. Raises SpecError when it can't be started."""

    def ask(question: Question, desk: Desk) -> Examination:
        with TemporaryDirectory(prefix="") as neutral, served(desk, Path(neutral) / "tools") as socket:
            return examine(choice.agent, question, socket, options=choice.options)

    return checks_of(ask, lambda: (context, TOOLS), wall_time_s)


def check_on_recording(choice: Choice, case: RecordedCase, wall_time_s: float = 60.0) -> Iterator[Check]:
    """Try an agent of the catalogue on a recorded case.

    Raises SpecError when it can't be started, UnsupportedError for one that has to be shut in where that can't be done.
    """
    entry = Entry(agent=choice.agent, options=choice.options)
    return checks_of(lambda question, desk: examined(entry, question, desk), lambda: played(case), wall_time_s)


def checks_of(ask: Asker, scene: Scene, wall_time_s: float) -> Iterator[Check]:
    """Try whoever `ask` puts the question to."""
    whole, few = Budget(wall_time_s=wall_time_s, tool_calls=100), Budget(wall_time_s=wall_time_s, tool_calls=_FEW_CALLS)
    short = Budget(wall_time_s=wall_time_s / 2, tool_calls=100)
    yield _check("answers in shape", _asked(ask, scene, whole)[0])
    yield _by_its_calls("keeps to a small budget of calls", *_asked(ask, scene, few))
    yield _by_its_calls("survives tools that fail", *_asked(ask, scene, whole, _FAILING_CALLS))
    yield _by_its_time("ends within the time it is told", _asked(ask, scene, short)[0], short.wall_time_s)


def _asked(ask: Asker, scene: Scene, budget: Budget, failing_calls: int = 0) -> tuple[Examination, int]:
    """How it fared, and how many tools it called."""
    context, tools = scene()
    with TemporaryDirectory() as folder:
        meter = Meter(Path(folder) / "calls.jsonl", budget.tool_calls)
        try:
            question = question_for(budget, has_command_lines=context.command_lines is not None)
            outcome = ask(question, Desk(context, _failing_at_first(tools, failing_calls), meter, RESULT_CHARS))
            return outcome, meter.status()["calls"]
        finally:
            meter.close()


def _failing_at_first(tools: Sequence[Tool], count: int) -> tuple[Tool, ...]:
    """The same tools, of whose calls the first ones fail."""
    left = [None] * count

    def failing(whole: Tool) -> Tool:
        def function(*given: object, **arguments: object) -> Model:
            if left:
                left.pop()
                raise ToolError(f"{whole.name} failed on our side, which says nothing about the network")
            return whole.function(*given, **arguments)

        return replace(whole, function=function)

    return tuple(failing(each) for each in tools)


def _by_its_calls(name: str, outcome: Examination, calls: int) -> Check:
    if outcome.answer is not None and calls == 0:
        return Check(name=name, is_passed=None, told="it answered without calling a tool, so this was not tried")
    return _check(name, outcome)


def _by_its_time(name: str, outcome: Examination, wall_time_s: float) -> Check:
    # Agents that run in this process are not ended when their time is over.
    if outcome.answer is not None and outcome.elapsed_s > wall_time_s:
        told = f"it answered after {outcome.elapsed_s:.1f} s, and {wall_time_s:g} s were allowed. "
        return Check(name=name, is_passed=False, told=told + _MEND["wall_time_exceeded"])
    return _check(name, outcome)


def _check(name: str, outcome: Examination) -> Check:
    if outcome.answer is not None:
        return Check(name=name, is_passed=True, told=f"{outcome.answer.verdict} after {outcome.elapsed_s:.1f} s")
    assert outcome.failure is not None
    last = outcome.stderr.strip().rpartition("\n")[2][:200]
    said = f"; its last words: {last}" if last and last not in outcome.message else ""
    mend = _MEND.get(outcome.failure, "")
    return Check(name=name, is_passed=False, told=f"{outcome.failure}: {outcome.message}{said}. {mend}".strip())


_MEND = {
    "no_answer": "Print one JSON object that fits answer_schema to standard output before ending.",
    "malformed_answer": "Print that JSON object alone; whatever else you have to say goes to standard error.",
    "crashed": "Catch errors of tools (replies with `error`), and end with exit code 0 after the answer.",
    "wall_time_exceeded": "Read budget.wall_time_s, and answer with what you know before it is over.",
    "tool_calls_exceeded": "Count your calls, and stop at budget.tool_calls: one more, and the answer is not accepted.",
    "provider_failed": "Check the key, the model's name and the address of its provider.",
}
"""What to do about a failure."""
