"""One root-cause or path task given to one agent: a healthy network, its causes, the answer, the network restored."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from netopsbench.agent.run import Examination, examine
from netopsbench.agent.spec import is_spec, parse_spec
from netopsbench.campaign.asking import Examiner, Offer, ask_on
from netopsbench.campaign.contestants import ORACLE, Entry, secret_variables
from netopsbench.campaign.record import is_interruption
from netopsbench.campaign.run import ATTEMPTS
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import written
from netopsbench.rca.breaking.holding import held, seen_still
from netopsbench.rca.breaking.repertoire import broken_of
from netopsbench.rca.commands import EXECUTE, typed_in
from netopsbench.rca.grade import grade, nearness
from netopsbench.rca.model import PathTask, RcaTask, Task
from netopsbench.rca.naming import told_paths, told_triples
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.question import task_question
from netopsbench.rca.record import TaskTrial
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.telemetry import Window
from netopsbench.records.trial import Attempt, ToolCall, TrialError
from netopsbench.replay.devices import packed_book, record_devices
from netopsbench.replay.records import no_records
from netopsbench.replay.task_bundle import RecordedTask, TaskTape, write_task
from netopsbench.tools.context import ToolContext
from netopsbench.vendors.lines import CommandLineRules, CommandLines, Denial

_OFFERED = ("get_topology", EXECUTE)
"""Other tools would show what a task denies."""


class TaskOrder(Model):
    """One task that one agent is to be given."""

    task: Task
    agent: str
    budget: Budget
    recording: Path | None = None
    """File to record the task into."""


def run_tasks(
    tasks: Sequence[RcaTask | PathTask],
    agents: Sequence[str],
    network: StandingNetwork,
    budget: Budget,
    recording: Path | None = None,
) -> Iterator[TaskTrial]:
    """Each task of one network with each agent, the agents of one task one after the other.

    In the folder `recording` the first trial of a task that can be scored leaves a file with what devices told;
    what a run that was cut short left there is replaced.
    """
    for task in tasks:
        file = recording / f"{task.id}.zip" if recording is not None else None
        for agent in agents:
            entry = entry_of(agent, task)

            def examined(question: Question, socket: Path, entry: Entry = entry) -> Examination:
                return examine(entry.agent, question, socket, options=entry.options)

            order = TaskOrder(task=task, agent=agent, budget=budget, recording=file)
            trial = settled(order, examined, network)
            if trial.end == "scored":
                file = None
            elif file is not None:
                file.unlink(missing_ok=True)
            yield trial


def settled(order: TaskOrder, examiner: Examiner, network: StandingNetwork) -> TaskTrial:
    """Run one task, and once more when the first try is invalid."""
    earlier: tuple[Attempt, ...] = ()
    while True:
        started_ns = now_ns()
        trial = run_task(order, examiner, network).model_copy(update={"earlier": earlier})
        if trial.error is None or trial.end != "invalid" or len(earlier) + 1 >= ATTEMPTS:
            return trial
        asked = trial.was_question_asked
        attempt = Attempt(started_ns=started_ns, reason=trial.error.reason, was_question_asked=asked)
        earlier = (*earlier, attempt.model_copy(update={"infra_time_s": trial.elapsed_s}))


def entry_of(agent: str, task: Task) -> Entry:
    """What is run for an agent; `oracle` answers from the task's key, which no agent can reach."""
    if agent == ORACLE:
        key = written(told_triples(task)) if task.kind == "rca" else written(told_paths(task))
        answer = Answer(verdict="fault_detected", reasoning=key)
        return Entry(agent="constant", options={"answer": answer.model_dump(mode="json")})
    if is_spec(agent):
        choice = parse_spec(agent)
        return Entry(agent=choice.agent, options=dict(choice.options))
    return Entry(agent=agent, options={"seed": task.seed} if agent == "random" else {})


def run_task(order: TaskOrder, examiner: Examiner, network: StandingNetwork) -> TaskTrial:
    """Run one task; returns a record unless the user ends it, and leaves a healthy network or none."""
    started = time.monotonic()
    was_asked = False

    def asking(question: Question, socket: Path) -> Examination:
        nonlocal was_asked
        was_asked = True
        return examiner(question, socket)

    try:
        trial = _run(order, asking, network)
    except InfraError as failure:
        network.discard()
        if is_interruption(failure):
            raise KeyboardInterrupt from failure
        error = TrialError(side="infra", reason=failure.reason, message=str(failure))
        trial = TaskTrial(task_id=order.task.id, agent=order.agent, end="invalid", error=error)
        trial = trial.model_copy(update={"was_question_asked": was_asked})
    return trial.model_copy(update={"elapsed_s": round(time.monotonic() - started, 3)})


def _run(order: TaskOrder, examiner: Examiner, network: StandingNetwork) -> TaskTrial:
    fabric, task = network.fabric, order.task
    question, rules = task_question(task, network.plan, order.budget), rules_of(task)
    causes = broken_of(task.causes, network.plan) if task.kind == "rca" else []
    with ExitStack() as holding:
        # Nothing is done to the network of a path task.
        receipts = holding.enter_context(held(fabric, causes)) if causes else []
        offer = Offer(command_lines=rules, only=_OFFERED, secret_variables=secret_variables(order.agent))
        examination, calls = ask_on(fabric, question, examiner, offer)
        if order.recording is not None:
            write_task(order.recording, _recorded(task, fabric, question, rules, calls))
        receipts = [*receipts, *([seen_still(fabric, causes)] if causes else [])]
    if causes:
        network.restored(causes)
    return judged(task, network.plan, order.agent, examination, calls).model_copy(update={"receipts": tuple(receipts)})


def rules_of(task: Task) -> CommandLineRules:
    """Vendors and denials of a task's devices; no seed, from which an agent could check its guess against the id."""
    denied = tuple(Denial(need=look.need, device=look.device) for look in task.denied)
    return CommandLineRules(vendors=task.vendors, denied=denied)


def _recorded(
    task: Task, fabric: Fabric, question: Question, rules: CommandLineRules, calls: Sequence[ToolCall]
) -> RecordedTask:
    """What devices tell now, of what is usually asked and of what the agent asked."""
    plan, never = fabric.plan, Window(since_ns=0, until_ns=1)
    context = ToolContext(plan=plan, fabric=fabric, store=no_records(), baseline=never, current=never)
    lines = CommandLines(plan, rules)
    book, left_out = record_devices(context, lines, typed_in(calls), (task.source, task.target))
    tape = TaskTape(task_id=task.id, text=question.text, plan=plan.digest, rules=rules, left_out=left_out)
    return RecordedTask(tape=tape, plan=plan, book=packed_book(book))


def judged(task: Task, plan: FabricPlan, agent: str, examination: Examination, calls: Sequence[ToolCall]) -> TaskTrial:
    """The trial of a task that was given to an agent on the network of `plan`."""
    error = None
    if examination.failure is not None:
        error = TrialError(side="agent", reason=examination.failure, message=examination.message)
    tokens = examination.usage.tokens if examination.usage is not None else None
    text = examination.answer.reasoning if examination.answer is not None else ""
    effort = (len(calls), examination.elapsed_s, tokens)
    score = grade(task, text, typed_in(calls), effort, agent)
    return TaskTrial(
        task_id=task.id,
        agent=agent,
        end="scored",
        score=score.model_copy(update={"node_similarity": nearness(task, text, plan)}),
        answer=examination.answer,
        error=error,
        calls=tuple(calls),
    )
