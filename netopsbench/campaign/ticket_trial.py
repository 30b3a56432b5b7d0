"""One ticket given to one agent: a healthy lab, the fault, the answer, its fix carried out, the lab restored."""

import time
from typing import Literal

from netopsbench.campaign.asking import Examiner, Offer, ask_on
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer, Budget
from netopsbench.records.trial import ToolCall, TrialError
from netopsbench.tickets.fixing import FixResult, carry_out
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import TicketScore, score_ticket
from netopsbench.tickets.proving import SETTLE_S, looks, run_command
from netopsbench.tickets.question import read_answer, ticket_question
from netopsbench.tickets.standing_lab import StandingLab

WRITES = "exec_shell"
_POLL_S = 0.5


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
    examination, calls = ask_on(lab.fabric, ticket_question(ticket, budget), examiner, Offer(may_write=True))
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
