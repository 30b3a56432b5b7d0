"""What a run of tickets leaves: a record of every trial, and the run's own."""

from pathlib import Path
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.fabric.spec import FabricSpec
from netopsbench.records.answers import Answer, Budget
from netopsbench.records.conditions import Conditions
from netopsbench.records.trial import ToolCall, TrialError
from netopsbench.records.usage import Usage
from netopsbench.scoring.judge import JudgeSettings
from netopsbench.tickets.fixing import FixResult, Harm
from netopsbench.tickets.model import Persona, Ticket, TicketClass
from netopsbench.tickets.outcome import TicketScore
from netopsbench.tickets.summary import TicketSummary
from netopsbench.tickets.text_judge import JudgeCost, JudgedText


class Changes(Model):
    """What became different while an agent worked."""

    findings: tuple[str, ...] = ()
    """What the inspection of the lab found new, or found no more, before the fix was carried out."""
    restarted: tuple[str, ...] = ()
    """Services that run under another process afterwards, or no more: `r1: frr/bgpd restarted`."""
    configuration: tuple[str, ...] = ()
    """Lines of routing configuration and packet filters that came or went: `r1: + ip route 10.0.0.0/8 Null0`."""
    commands: tuple[str, ...] = ()
    """Calls of tools that may change devices, as they were written: `exec_shell r1 ip link`."""

    @property
    def is_visible(self) -> bool:
        """Whether something is different, and not only looked at with a tool that could have changed it."""
        return bool(self.findings or self.restarted or self.configuration)


class TicketTrial(Model):
    """Everything that happened to one ticket with one agent."""

    ticket_id: str
    agent: str
    ticket_class: TicketClass
    persona: Persona
    text: str
    """The ticket's own words."""
    end: Literal["scored", "invalid"]
    """`invalid`: the lab wasn't as the ticket says; it is in no figure."""
    score: TicketScore | None = None
    answer: Answer | None = None
    fix: FixResult | None = None
    error: TrialError | None = None
    calls: tuple[ToolCall, ...] = ()
    changes: Changes = Changes()
    unrest: str = ""
    """The harmless restart before the question; empty where there was none."""
    usage: Usage | None = None
    judged: tuple[JudgedText, ...] = ()
    """What a judge said of the text axes, where one was asked."""
    elapsed_s: float = 0.0


class TicketSource(Model):
    """Where tickets are from, and which of them are given."""

    scenarios: str
    """A lab by name; with `lab`, published scenarios at a path."""
    lab: Path | None = None
    """Kathará folder of somebody else's lab."""
    is_compat: bool = False
    """Whether scenarios are read as published."""
    ids: tuple[str, ...] = ()
    """All when there are none."""
    personas: tuple[str, ...] = ()
    """The standard voice when there are none."""


class TicketPlan(Model):
    """Tickets that can be given to agents, with their keys, and their lab."""

    source: TicketSource
    lab: str | FabricSpec
    """By name, or somebody else's."""
    tickets: tuple[Ticket, ...]


class TicketRun(Model):
    """What was run."""

    run_id: str
    lab: str
    lab_digest: str
    tools: Literal["own", "published"]
    budget: Budget
    agents: tuple[str, ...]
    tickets: int
    judge: JudgeSettings | None = None
    """Who was asked about texts, if anybody."""
    conditions: Conditions = Conditions()
    """What the results depend on, and who worked on the run; nothing in runs of earlier versions."""
    started_ns: int
    finished_ns: int | None = None
    """None while it goes on, or when it was cut short."""


class TicketRow(Model):
    """One trial in a line."""

    ticket_id: str
    agent: str
    ticket_class: TicketClass
    persona: Persona
    end: Literal["scored", "invalid"]
    outcome: float | None
    is_anomaly: bool | None
    is_timeout: bool
    fix: float | None
    fix_why: str
    """What decided about the fix."""
    harm: Harm
    changed: Changes
    """Before the fix."""
    fixes: tuple[str, ...]
    """Commands of the proposed fix."""
    findings: tuple[str, ...]
    """What wasn't healthy after it."""
    error: str


class TicketReport(Model):
    """The figures of a run, `report.json`; the trials lie beside it."""

    run: TicketRun
    summary: TicketSummary
    rows: tuple[TicketRow, ...]
    invalid: int
    """Trials that are in no figure."""
    invalid_reasons: dict[str, int]
    """How many of them for which reason."""
    judge: JudgeCost | None = None
    """None when no judge was asked."""


def row_of(trial: TicketTrial) -> TicketRow:
    """A trial in short."""
    score = trial.score
    return TicketRow(
        ticket_id=trial.ticket_id,
        agent=trial.agent,
        ticket_class=trial.ticket_class,
        persona=trial.persona,
        end=trial.end,
        outcome=score.outcome if score else None,
        is_anomaly=score.is_anomaly if score else None,
        is_timeout=score is not None and not score.is_answered,
        fix=score.fix if score else None,
        fix_why=trial.fix.why if trial.fix else "",
        harm=trial.fix.harm if trial.fix else "none",
        changed=trial.changes,
        fixes=trial.fix.commands if trial.fix else (),
        findings=trial.fix.findings if trial.fix else (),
        error=f"{trial.error.reason}: {trial.error.message}" if trial.error else "",
    )
