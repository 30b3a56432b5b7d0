"""A run of tickets as the report shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from netopsbench.records.conditions import reasons_of
from netopsbench.report.conditions import Condition, ticket_conditions
from netopsbench.report.given_view import notes_of
from netopsbench.report.naming import shortener
from netopsbench.report.text import natural, percent, score_text
from netopsbench.report.ticket_trials import TicketTrialView, ticket_trials
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.record import TicketReport, TicketRow, TicketRun, TicketTrial, row_of
from netopsbench.tickets.summary import summarize
from netopsbench.tickets.text_judge import judge_cost


@dataclass(frozen=True)
class TicketView:
    """What the page shows beyond the report."""

    sentences: tuple[str, ...]
    """The result in words."""
    notes: tuple[str, ...]
    """What a reader must know first."""
    conditions: tuple[Condition, ...]
    changed: tuple[TicketRow, ...]
    """Trials in which something was changed, or a fix carried out."""
    trials: tuple[TicketTrialView, ...]
    """All of them in full."""
    looked: int
    """Further trials with calls of tools that may write, after which nothing was different."""


def report_of(run: TicketRun, trials: Sequence[TicketTrial]) -> TicketReport:
    """The figures of some trials; invalid ones are in none of them."""
    order = {agent: rank for rank, agent in enumerate(run.agents)}
    shown = ranked(run, trials)
    scores = sorted(
        (trial.score for trial in shown if trial.score is not None),
        key=lambda score: order.get(score.agent, len(order)),
    )
    opinions = [opinion for trial in shown for opinion in trial.judged]
    return TicketReport(
        run=run,
        summary=summarize(scores),
        rows=tuple(row_of(trial) for trial in shown),
        invalid=sum(trial.end == "invalid" for trial in shown),
        invalid_reasons=reasons_of(trial.error for trial in shown if trial.end == "invalid"),
        judge=judge_cost(run.judge, opinions) if run.judge else None,
    )


def ranked(run: TicketRun, trials: Sequence[TicketTrial]) -> list[TicketTrial]:
    """Trials in the order in which a report shows them."""
    order = {agent: rank for rank, agent in enumerate(run.agents)}
    return sorted(trials, key=lambda each: (natural(each.ticket_id), order.get(each.agent, len(order))))


def ticket_view(report: TicketReport, trials: Sequence[TicketTrial], tickets: Sequence[Ticket]) -> TicketView:
    """What the page shows; `tickets` are those of the run, none where its plan isn't kept.

    `report` has the short names of agents, and whole ones in its run.
    """
    changed = [row for row in report.rows if row.changed.is_visible or row.fixes or row.harm != "none"]
    looked = [row for row in report.rows if row.changed.commands and row not in changed]
    return TicketView(
        sentences=tuple(_sentences(report)),
        notes=tuple(_notes(report)),
        conditions=ticket_conditions(report),
        changed=tuple(changed),
        trials=ticket_trials(ranked(report.run, trials), tickets, shortener(report.run.agents)),
        looked=len(looked),
    )


def _sentences(report: TicketReport) -> list[str]:
    told = []
    for row in report.summary.overall:
        found = row.figures
        over = (
            ""
            if found.over_diagnosis is None
            else f"; it found a fault in {percent(found.over_diagnosis)} of healthy labs"
        )
        tickets = "1 ticket" if found.answered == 1 else f"{found.answered} tickets"
        late = f"; {found.timeouts} without an answer" if found.timeouts else ""
        told.append(f"{row.agent} scored {score_text(found.outcome)} of 1 on {tickets}{over}{late}.")
    return told or ["No ticket could be scored, so this run says nothing about any agent."]


def _notes(report: TicketReport) -> list[str]:
    run = report.run
    ended = (len(report.rows), run.tickets * len(run.agents))
    notes = notes_of(run.conditions, ended if run.finished_ns is None else None)
    if report.invalid:
        trials = "1 trial is" if report.invalid == 1 else f"{report.invalid} trials are"
        notes.append(f"{trials} invalid and in no figure: the lab wasn't as the ticket says.")
    if report.judge is not None:
        cost = "unknown" if report.judge.cost_usd is None else f"{report.judge.cost_usd:.4f} US dollars"
        notes.append(
            f"Judge of texts: {report.judge.settings.model}, asked {report.judge.asked} times, "
            f"{report.judge.failed} without a usable opinion, which counts as no; cost {cost}. "
            "Its outcome stands beside the one by rules."
        )
    return notes
