"""One ticket given to one agent: a healthy lab, the fault, the answer, its fix carried out, the lab restored."""

import logging
import os
import time
from typing import NamedTuple

from netopsbench.campaign.asking import Examiner, Offer, ask_on
from netopsbench.campaign.contestants import ORACLE, secret_variables
from netopsbench.campaign.record import is_interruption
from netopsbench.campaign.ticket_changes import Sight, changes, commands_of, is_configured_alike, look_at, on_each
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.core.redact import redacted, secrets_of_environment
from netopsbench.fabric.labs.service_shim import service_line
from netopsbench.records.answers import Budget
from netopsbench.records.trial import ToolCall, TrialError
from netopsbench.scoring.judge import JudgeSettings
from netopsbench.tickets.answer import TicketAnswer
from netopsbench.tickets.fixing import NO_REMEDY, FixResult, carry_out, destroyed, with_telling_checks
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import score_ticket
from netopsbench.tickets.proving import SETTLE_S, looks, run_command
from netopsbench.tickets.question import read_answer, ticket_question
from netopsbench.tickets.record import Changes, TicketTrial
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tickets.unrest import Unrest, unrest_of
from netopsbench.tools.serving.server import Profile

_POLL_S = 0.5
_UNREST_SETTLE_S = 60.0
_SECOND_LOOK_S = 3.0
_log = logging.getLogger(__name__)


class TicketTerms(Model):
    """What is the same for every ticket of a run."""

    budget: Budget
    tools: Profile = "own"
    judge: JudgeSettings | None = None
    """Who judges texts, if anybody."""


def run_ticket(ticket: Ticket, agent: str, examiner: Examiner, lab: StandingLab, terms: TicketTerms) -> TicketTrial:
    """Run one ticket; returns a record unless the user ends it, and leaves a healthy lab or none."""
    started = time.monotonic()
    try:
        trial = _run(ticket, agent, examiner, lab, terms)
    except InfraError as failure:
        _discard(lab)
        if is_interruption(failure):
            raise KeyboardInterrupt from failure
        error = TrialError(side="infra", reason=failure.reason, message=str(failure))
        trial = TicketTrial(**_head(ticket, agent), end="invalid", error=error)
    return trial.model_copy(update={"elapsed_s": round(time.monotonic() - started, 3)})


class _Start(NamedTuple):
    """A lab as an agent finds it."""

    unrest: Unrest
    pristine: tuple[str, ...]
    """Its configuration before anything was broken."""
    sight: Sight
    """With the fault, if any."""
    judged: Ticket
    """The ticket with those checks alone that tell whether its fault is gone."""


def _run(ticket: Ticket, agent: str, examiner: Examiner, lab: StandingLab, terms: TicketTerms) -> TicketTrial:
    start = _started(ticket, agent, lab)
    examination, calls = ask_on(
        lab.fabric,
        ticket_question(ticket, terms.budget, terms.tools),
        examiner,
        Offer(may_write=True, profile=terms.tools, secret_variables=secret_variables(agent)),
    )
    devices = [node.name for node in lab.plan.nodes]
    answer = read_answer(examination.answer, devices) if examination.answer else None
    changed, fix = _worked_on(start.judged, answer, calls, start, lab)
    if agent == ORACLE and ticket.fault and not ticket.fault.fix:
        fix = fix.model_copy(update={"score": None, "why": NO_REMEDY})
    error = None
    if examination.failure is not None:
        error = TrialError(side="agent", reason=examination.failure, message=examination.message)
    return TicketTrial(
        **_head(ticket, agent),
        end="scored",
        score=score_ticket(ticket, answer, agent, fix.score),
        answer=examination.answer,
        fix=fix,
        error=error,
        calls=calls,
        changes=Changes.model_validate(redacted(changed.model_dump(mode="json"), _secrets(agent))),
        unrest=str(start.unrest),
        usage=examination.usage,
    )


def _secrets(agent: str) -> tuple[str, ...]:
    """What an agent may have written onto devices and nobody is to read in a record."""
    return secrets_of_environment(os.environ, secret_variables(agent))


def _started(ticket: Ticket, agent: str, lab: StandingLab) -> _Start:
    """A healthy lab, stirred, then broken. Raises InfraError when it isn't healthy, or doesn't break."""
    if findings := lab.findings():
        raise InfraError("baseline_unhealthy", "; ".join(findings[:5]))
    unrest = unrest_of(lab.plan, f"{ticket.id} {agent}")
    _stir(unrest, lab)
    pristine = look_at(lab).configuration
    judged = with_telling_checks(ticket, lab.fabric)
    _inject(ticket, lab)
    _save(lab)
    time.sleep(unrest.uptime_s)
    return _Start(unrest, pristine, look_at(lab), judged)


def _head(ticket: Ticket, agent: str) -> dict[str, str]:
    return {
        "ticket_id": ticket.id,
        "agent": agent,
        "ticket_class": ticket.ticket_class,
        "persona": ticket.persona,
        "text": ticket.text,
    }


def _worked_on(
    ticket: Ticket, answer: TicketAnswer | None, calls: tuple[ToolCall, ...], start: _Start, lab: StandingLab
) -> tuple[Changes, FixResult]:
    """What the agent changed and what its fix does; afterwards the lab is as before, or gone."""
    proposed = answer.fix if answer else ()
    commands = commands_of(calls)
    was_worked_on = bool(proposed or commands)
    try:
        changed = changes(start.sight, look_at(lab), calls)
        # Nothing is awaited where nobody has repaired anything.
        fix = carry_out(ticket, proposed, lab.fabric, lab.findings, SETTLE_S if was_worked_on else 0.0)
    except InfraError as failure:
        if not was_worked_on or _can_be_seen(lab):
            raise
        # A lab that was well until an agent worked on it, and stays out of reach, was broken by that agent.
        _discard(lab)
        return Changes(commands=commands), destroyed(proposed, str(failure))
    try:
        is_mended = _is_mended(ticket, lab) if fix.findings or ticket.fault else True
        if is_mended and was_worked_on and not is_configured_alike(start.pristine, look_at(lab).configuration):
            # What an agent leaves behind would be the next one's to find.
            _discard(lab)
    except InfraError:
        # The trial is over: a lab that can't be mended costs nobody anything but time.
        _discard(lab)
    return changed, fix


def _can_be_seen(lab: StandingLab) -> bool:
    """Whether a lab that couldn't be looked at can be a little later: then the machine was busy."""
    time.sleep(_SECOND_LOOK_S)
    try:
        look_at(lab)
    except InfraError:
        return False
    return True


def _discard(lab: StandingLab) -> None:
    """Take the lab down; one that doesn't end in time is left to the system, and the trial's outcome stands."""
    try:
        lab.discard()
    except InfraError as failure:
        _log.warning("the lab did not end: %s", failure)


def _stir(unrest: Unrest, lab: StandingLab) -> None:
    """Restart what is to be restarted, and wait until all is well. Raises InfraError when it doesn't get well."""
    if not unrest.node:
        return
    lab.fabric.exec(unrest.node, ["sh", "-c", service_line(unrest.service, "restart")], timeout_s=30)
    deadline = time.monotonic() + _UNREST_SETTLE_S
    while not lab.is_well():
        if time.monotonic() > deadline:
            raise InfraError("baseline_unhealthy", f"after {unrest}: {'; '.join(lab.findings()[:5])}")
        time.sleep(_POLL_S)


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


def _is_mended(ticket: Ticket, lab: StandingLab) -> bool:
    """Undo the fault as the ticket says; a lab that isn't healthy then is thrown away."""
    if ticket.fault and not ticket.fault.fix:
        _discard(lab)
        return False
    for command in ticket.fault.fix if ticket.fault else ():
        run_command(lab.fabric, command)
    deadline = time.monotonic() + SETTLE_S
    while not lab.is_well():
        if time.monotonic() > deadline:
            _discard(lab)
            return False
        time.sleep(_POLL_S)
    _save(lab)
    return True


def _save(lab: StandingLab) -> None:
    """Save every router's configuration, in healthy labs too: what was saved and what runs then tells nothing."""
    on_each(lab, ["vtysh", "-c", "write memory"], routers_alone=True)
