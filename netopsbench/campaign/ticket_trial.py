"""One ticket given to one agent: a healthy lab, the fault, the answer, its fix carried out, the lab restored."""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from netopsbench.agent.run import Examination
from netopsbench.campaign.trial import CALLS
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.files import write_atomic
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.telemetry import Window
from netopsbench.records.trial import ToolCall, TrialError
from netopsbench.telemetry.store_client import store_running
from netopsbench.tickets.fixing import FixResult, carry_out
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import TicketScore, score_ticket
from netopsbench.tickets.proving import SETTLE_S, looks, run_command
from netopsbench.tickets.question import read_answer, ticket_question
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tools.server import ServerConfig
from netopsbench.tools.serving import serving

WRITES = "exec_shell"
_POLL_S = 0.5
Examiner = Callable[[Question, Path], Examination]


class TicketTrial(Model):
    """Everything that happened to one ticket with one agent."""

    ticket_id: str
    agent: str
    end: Literal["scored", "invalid"]
    """`invalid`: the lab wasn't as the ticket says; it is in no figure."""
    score: TicketScore | None = None
    answer: Answer | None = None
    fix: FixResult | None = None
    error: TrialError | None = None
    calls: tuple[ToolCall, ...] = ()
    changed: tuple[str, ...] = ()
    """Findings that came or went while the agent worked, before its fix was carried out."""
    elapsed_s: float = 0.0

    @property
    def writing_calls(self) -> tuple[ToolCall, ...]:
        """Calls of tools that may change devices."""
        return tuple(call for call in self.calls if call.tool == WRITES)


def run_ticket(ticket: Ticket, agent: str, examiner: Examiner, lab: StandingLab, budget: Budget) -> TicketTrial:
    """Run one ticket; always returns a record, and leaves a healthy lab or none."""
    started = time.monotonic()
    try:
        trial = _run(ticket, agent, examiner, lab, budget)
    except InfraError as failure:
        lab.discard()
        error = TrialError(side="infra", reason=failure.reason, message=str(failure))
        trial = TicketTrial(ticket_id=ticket.id, agent=agent, end="invalid", error=error)
    return trial.model_copy(update={"elapsed_s": round(time.monotonic() - started, 3)})


def _run(ticket: Ticket, agent: str, examiner: Examiner, lab: StandingLab, budget: Budget) -> TicketTrial:
    if findings := lab.findings():
        raise InfraError("baseline_unhealthy", "; ".join(findings[:5]))
    _inject(ticket, lab)
    _save(lab)
    before = lab.findings()
    examination, calls = _ask(ticket_question(ticket, budget), examiner, lab)
    after = lab.findings()
    changed = [f"new: {each}" for each in after if each not in before]
    changed += [f"gone: {each}" for each in before if each not in after]
    devices = [node.name for node in lab.plan.nodes]
    answer = read_answer(examination.answer, devices) if examination.answer else None
    was_worked_on = bool(answer and answer.fix) or any(call.tool == WRITES for call in calls)
    # Nothing is awaited where nobody has repaired anything.
    patience_s = SETTLE_S if was_worked_on else 0.0
    fix = carry_out(ticket, answer.fix if answer else (), lab.fabric, lab.findings, patience_s)
    if fix.findings or ticket.fault:
        _mend(ticket, lab)
    error = None
    if examination.failure is not None:
        error = TrialError(side="agent", reason=examination.failure, message=examination.message)
    return TicketTrial(
        ticket_id=ticket.id,
        agent=agent,
        end="scored",
        score=score_ticket(ticket, answer, agent, fix.score),
        answer=examination.answer,
        fix=fix,
        error=error,
        calls=calls,
        changed=tuple(changed),
    )


def _inject(ticket: Ticket, lab: StandingLab) -> None:
    """Break the lab and see the effect. Raises InfraError when a command fails or the effect isn't seen."""
    if ticket.fault is None:
        return
    for command in ticket.fault.inject:
        done = run_command(lab.fabric, command)
        if not done.is_ok:
            raise InfraError("injection_failed", f"{command.on}: {command.run} ended with {done.returncode}")
    deadline = time.monotonic() + SETTLE_S
    while unseen := [str(check) for check in ticket.fault.effect if not looks(lab.fabric, check)[0]]:
        if time.monotonic() > deadline:
            raise InfraError("effect_not_seen", f"after {SETTLE_S:g} s: {unseen[0]}")
        time.sleep(_POLL_S)


def _mend(ticket: Ticket, lab: StandingLab) -> None:
    """Undo the fault as the ticket says; a lab that isn't healthy then is thrown away."""
    for command in ticket.fault.fix if ticket.fault else ():
        run_command(lab.fabric, command)
    deadline = time.monotonic() + SETTLE_S
    while lab.findings():
        if time.monotonic() > deadline:
            lab.discard()
            return
        time.sleep(_POLL_S)
    _save(lab)


def _save(lab: StandingLab) -> None:
    """Save every router's configuration, in healthy labs too: what was saved and what runs then tells nothing."""
    for node in lab.plan.nodes:
        if node.daemons:
            lab.fabric.exec(node.name, ["vtysh", "-c", "write memory"])


def _ask(question: Question, examiner: Examiner, lab: StandingLab) -> tuple[Examination, tuple[ToolCall, ...]]:
    """Put the question, with a tool server that knows the plan and the lab, and nothing of the ticket."""
    with TemporaryDirectory(prefix="") as place, store_running(Path(place) / "store") as store:
        folder = Path(place)
        write_atomic(folder / "plan.json", lab.plan.model_dump_json())
        write_atomic(folder / "fabric.json", lab.fabric.handle.model_dump_json())
        now = Window(since_ns=now_ns() - 1, until_ns=now_ns())
        with TemporaryDirectory(prefix="") as neutral:
            config = ServerConfig(
                plan=folder / "plan.json",
                fabric=folder / "fabric.json",
                store=store.reading_path,
                baseline=now,
                current=now,
                tool_calls=question.budget.tool_calls,
                socket=Path(neutral) / "tools",
                calls=folder / CALLS,
                may_write=True,
            )
            with serving(config) as server:
                examination = examiner(question, server.socket)
                calls = server.calls()
    return examination, tuple(ToolCall.model_validate(call) for call in calls)
