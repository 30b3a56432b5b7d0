"""A run as the report shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netopsbench.records.run import PlannedTrial
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial, TrialLink, TrialNode
from netopsbench.report.text import interval_text, natural, score_text
from netopsbench.report.topology import Drawing
from netopsbench.report.trial_view import TrialView, trial_view
from netopsbench.scoring.counts import Counts
from netopsbench.scoring.runfolder import RunRecords
from netopsbench.scoring.summary import TRIAL_RUN_SCALE, AgentSummary, Summary

_METHOD_WORDS = {"wilson": "Wilson", "bootstrap": "bootstrap over cases"}


@dataclass(frozen=True)
class Headline:
    """What the run says, in one figure and a few sentences."""

    agent: AgentSummary | None
    """The best real agent, else the best control; None when nothing was scored."""
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class CaseCell:
    """What one agent made of one case."""

    agent: str
    words: str
    grade: str
    anchor: str
    """Empty when there is no trial to go to."""


@dataclass(frozen=True)
class CaseRow:
    """One case, all agents."""

    case_id: str
    fabric: str
    difficulty: str
    cells: tuple[CaseCell, ...]


@dataclass(frozen=True)
class RunView:
    """Everything that the page shows."""

    summary: Summary
    headline: Headline
    notes: tuple[str, ...]
    """What a reader must know before believing the headline."""
    unscored: tuple[str, ...]
    """What wasn't scored and why, a sentence for each agent concerned."""
    agents: tuple[str, ...]
    cases: tuple[CaseRow, ...]
    trials: tuple[TrialView, ...]
    drawings: tuple[tuple[str, Drawing], ...]
    """Each fabric's picture once, by id."""


def run_view(records: RunRecords, summary: Summary, scores: Sequence[Score]) -> RunView:
    """The view of a run, its cases in natural order of their ids."""
    score_of = {score.trial_id: score for score in scores}
    order = {agent.agent: rank for rank, agent in enumerate(summary.agents)}
    ranked = sorted(records.trials, key=lambda t: (natural(t.case_id), order.get(t.agent, 0), t.trial_id))
    pictures: dict[tuple[tuple[TrialNode, ...], tuple[TrialLink, ...]], str] = {}
    views = []
    for number, trial in enumerate(ranked, start=1):
        picture = pictures.setdefault((trial.nodes, trial.links), f"fabric-{len(pictures) + 1}")
        views.append(trial_view(trial, score_of.get(trial.trial_id), picture, f"trial-{number}"))
    drawings = {view.drawing_id: view.drawing for view in views}
    return RunView(
        summary=summary,
        headline=headline(summary),
        notes=notes(summary),
        unscored=unscored(summary),
        agents=tuple(order),
        cases=tuple(_case_rows(records.info.planned, records.unreadable, views, tuple(order))),
        trials=tuple(views),
        drawings=tuple(drawings.items()),
    )


def headline(summary: Summary) -> Headline:
    """The first sentence anybody should read about the run."""
    agent = next((agent for agent in summary.agents if agent.strict), None)
    if agent is None or agent.strict is None:
        return Headline(None, ("No trial could be scored, so this run says nothing about any agent.",))
    cases = agent.strict.cases
    sentences = (
        f"{agent.agent} scored {score_text(agent.strict.value)} of 1 on {cases} "
        f"{'case' if cases == 1 else 'cases'} (95 % interval {interval_text(agent.strict)}, "
        f"{_METHOD_WORDS[agent.strict.method]}).",
        f"Giving the same answer to every case would score {score_text(agent.floor.value)}.",
        _against_floor(agent.strict.low, agent.strict.value, agent.floor.value),
    )
    return Headline(agent, sentences)


def notes(summary: Summary) -> tuple[str, ...]:
    """What lowers the weight of the headline, as sentences."""
    found = []
    if summary.seed_kind == "practice":
        found.append("Practice run: the seed is public, so an agent may have met these very cases before.")
    scales = {part.name for agent in summary.agents for part in agent.by_scale}
    if scales == {TRIAL_RUN_SCALE}:
        found.append(
            "The xs fabric is for trying out: it has so few ports that a guess is often right. "
            "Judge an agent on a larger one."
        )
    if summary.finished_ns is None:
        found.append("The run has not ended: what follows is what there is so far.")
    found.extend(f"{agent.agent}: {flag}." for agent in summary.agents for flag in agent.flags)
    return tuple(found)


def unscored(summary: Summary) -> tuple[str, ...]:
    """For each agent with trials that weren't scored: how many, and why."""
    return tuple(
        f"{agent.agent}: {agent.counts.planned - agent.counts.scored} of {agent.counts.planned}: "
        + "; ".join(_losses(agent.counts))
        for agent in summary.agents
        if agent.counts.scored < agent.counts.planned
    )


def _losses(counts: Counts) -> list[str]:
    reasons = ", ".join(f"{reason} {amount}" for reason, amount in counts.invalid_reasons.items())
    invalid = [f"{counts.invalid} invalid ({reasons})"] if counts.invalid else []
    others = (
        ("unsupported on this machine", counts.unsupported),
        ("unreadable", counts.unreadable),
        ("missing", counts.missing),
    )
    return invalid + [f"{amount} {name}" for name, amount in others if amount]


def _against_floor(low: float, value: float, floor: float) -> str:
    if value <= floor:
        return "That is no more than the constant answer gets without looking."
    if low <= floor:
        return "The interval reaches down to the constant answer's score, so the lead may be chance."
    return "The whole interval lies above it: the agent did better than any constant answer."


def _case_rows(
    planned: Sequence[PlannedTrial],
    unreadable: frozenset[str],
    views: Sequence[TrialView],
    agents: Sequence[str],
) -> list[CaseRow]:
    view_of = {view.trial.trial_id: view for view in views}
    by_case: dict[str, dict[str, list[PlannedTrial]]] = {}
    for plan in planned:
        by_case.setdefault(plan.case_id, {}).setdefault(plan.agent, []).append(plan)
    rows = []
    for case_id in sorted(by_case, key=natural):
        known = next((view.trial for view in views if view.trial.case_id == case_id), None)
        rows.append(
            CaseRow(
                case_id=case_id,
                fabric=known.fabric if known else "",
                difficulty=known.difficulty if known else "",
                cells=tuple(
                    _cell(plan, view_of, unreadable) for agent in agents for plan in by_case[case_id].get(agent, [])
                ),
            )
        )
    return rows


def _cell(plan: PlannedTrial, view_of: Mapping[str, TrialView], unreadable: frozenset[str]) -> CaseCell:
    view = view_of.get(plan.trial_id)
    if view is None:
        words = "unreadable record" if plan.trial_id in unreadable else "no record"
        return CaseCell(plan.agent, words, "none", "")
    return CaseCell(plan.agent, _cell_words(view.trial, view.score), view.grade, view.anchor)


def _cell_words(trial: Trial, score: Score | None) -> str:
    return trial.end if score is None else score_text(score.strict)
