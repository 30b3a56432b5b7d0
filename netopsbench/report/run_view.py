"""A run as the report shows it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from netopsbench.records.run import PlannedTrial, Replayed
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial, TrialLink, TrialNode
from netopsbench.report.conditions import Condition, conditions
from netopsbench.report.naming import Shorten, short_records, short_summary, shortener, told_agents
from netopsbench.report.pareto import ParetoView, pareto_view
from netopsbench.report.text import interval_text, natural, score_text, utc
from netopsbench.report.topology import Drawing
from netopsbench.report.trial_view import TrialView, grade_word, trial_view
from netopsbench.scoring.counts import Counts
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.judge import JudgeReport
from netopsbench.scoring.runfolder import RunRecords
from netopsbench.scoring.summary import TRIAL_RUN_SCALE, AgentSummary, Cell, Summary

_METHOD_WORDS = {"wilson": "Wilson", "bootstrap": "bootstrap over cases"}


@dataclass(frozen=True)
class Headline:
    """What the run says, in one figure and a few sentences."""

    agent: AgentSummary | None
    """The best real agent, else the best control; None when nothing was scored."""
    sentences: tuple[str, ...]
    """Of that agent, and of every further real one."""


@dataclass(frozen=True)
class CaseCell:
    """What one agent made of one case."""

    agent: str
    words: str
    grade: str
    href: str
    """Where the trial is shown; empty when there is none."""


@dataclass(frozen=True)
class CaseRow:
    """One case, all agents."""

    case_id: str
    fabric: str
    difficulty: str
    cells: tuple[CaseCell, ...]


@dataclass(frozen=True)
class FaultMap:
    """One agent's scores, faults down and scales across."""

    agent: str
    scales: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]


@dataclass(frozen=True)
class RunView:
    """Everything that the page shows."""

    summary: Summary
    headline: Headline
    notes: tuple[str, ...]
    """What a reader must know before believing the headline."""
    conditions: tuple[Condition, ...]
    """Agents by their whole names, budget, offered tools and prices."""
    unscored: tuple[str, ...]
    """What wasn't scored and why, a sentence for each agent concerned."""
    agents: tuple[str, ...]
    heat: tuple[FaultMap, ...]
    pareto: ParetoView
    shorten: Shorten
    """Writes an agent's short name, as all of these have it."""
    cases: tuple[CaseRow, ...]


@dataclass(frozen=True)
class TrialViews:
    """Some trials of a run in full."""

    trials: tuple[TrialView, ...]
    drawings: tuple[tuple[str, Drawing], ...]
    """Each fabric's picture once, by id."""


def run_view(records: RunRecords, summary: Summary, *, page_of: Mapping[str, str] | None = None) -> RunView:
    """The view of a run, its cases in natural order of their ids.

    `page_of` names the page of each case; without it all trials are shown on the page itself. Agents have short names.
    """
    whole = [agent.agent for agent in summary.agents]
    shorten = shortener(whole)
    records, summary = short_records(records, shorten), short_summary(summary, shorten)
    order = tuple(agent.agent for agent in summary.agents)
    hrefs = {}
    for number, trial in enumerate(ranked(records.trials, order), start=1):
        page = page_of[trial.case_id] if page_of is not None else ""
        hrefs[trial.trial_id] = f"{page}#{trial.trial_id}" if page else f"#trial-{number}"
    return RunView(
        summary=summary,
        headline=headline(summary),
        notes=notes(summary),
        conditions=(("Agents", told_agents(whole)), *conditions(summary)),
        unscored=unscored(summary),
        agents=order,
        heat=tuple(_fault_map(agent) for agent in summary.agents if agent.strict),
        pareto=pareto_view(summary),
        shorten=shorten,
        cases=tuple(_case_rows(records, order, hrefs)),
    )


def ranked(trials: Iterable[TrialFacts], agents: Sequence[str]) -> list[TrialFacts]:
    """Trials in the order in which a report shows them."""
    order = {agent: rank for rank, agent in enumerate(agents)}
    return sorted(trials, key=lambda t: (natural(t.case_id), order.get(t.agent, 0), t.repeat, t.trial_id))


def trial_views(trials: Iterable[Trial], score_of: Mapping[str, Score]) -> TrialViews:
    """Views of trials in the given order, numbered from 1."""
    pictures: dict[tuple[tuple[TrialNode, ...], tuple[TrialLink, ...]], str] = {}
    views = []
    for number, trial in enumerate(trials, start=1):
        picture = pictures.setdefault((trial.nodes, trial.links), f"fabric-{len(pictures) + 1}")
        views.append(trial_view(trial, score_of.get(trial.trial_id), picture, f"trial-{number}"))
    return TrialViews(tuple(views), tuple({view.drawing_id: view.drawing for view in views}.items()))


def headline(summary: Summary) -> Headline:
    """The first sentences anybody should read about the run."""
    scored = [agent for agent in summary.agents if agent.strict]
    if not scored:
        return Headline(None, ("No trial could be scored, so this run says nothing about any agent.",))
    real = [agent for agent in scored[1:] if not agent.is_control]
    return Headline(scored[0], tuple(sentence for agent in (scored[0], *real) for sentence in _verdict(agent)))


def _verdict(agent: AgentSummary) -> tuple[str, ...]:
    if agent.strict is None:
        return ()
    cases = agent.strict.cases
    return (
        f"{agent.agent} scored {score_text(agent.strict.value)} of 1 on {cases} "
        f"{'case' if cases == 1 else 'cases'} (95 % interval {interval_text(agent.strict)}, "
        f"{_METHOD_WORDS[agent.strict.method]}).",
        f"Giving the same answer to every case would score {score_text(agent.floor.value)}.",
        _against_floor(agent.strict.low, agent.strict.value, agent.floor.value),
    )


def notes(summary: Summary) -> tuple[str, ...]:
    """What lowers the weight of the headline, as sentences."""
    found = []
    if summary.replayed is not None:
        found.append(replayed_note(summary.replayed))
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
    found.extend(f"Accepted when the run was resumed: {change}." for change in summary.accepted_changes)
    found.extend(f"{agent.agent}: {flag}." for agent in summary.agents for flag in agent.flags)
    if summary.judge is not None:
        found.append(_judged(summary.judge))
    return tuple(found)


def replayed_note(source: Replayed) -> str:
    """That a run was answered from a recording."""
    return (
        f"Replayed: every answer came from the recording {source.recording} (SHA-256 {source.sha256[:12]}) of "
        f"{utc(source.recorded_ns)}, none from a running network; times say nothing about live cases."
    )


def _judged(judge: JudgeReport) -> str:
    same, disputed = sum(each.is_same for each in judge.judgements), len(judge.disputed)
    cost = "unknown" if judge.cost_usd is None else f"{judge.cost_usd:.4f} US dollars"
    return (
        f"Judge of fault types: {judge.settings.model}, each answer {judge.settings.times} times; "
        f"{same} of {len(judge.judgements)} other words confirmed, {disputed} disputed, "
        f"{judge.unusable} opinions unusable, which count as no; cost {cost}. "
        "It changes no score."
    )


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


def _fault_map(agent: AgentSummary) -> FaultMap:
    cell_of = {(cell.fault, cell.scale): cell for cell in agent.by_fault_and_scale}
    # Slices come in an order that means something: scales by size.
    scales = tuple(part.name for part in agent.by_scale)
    faults = tuple(part.name for part in agent.by_fault)
    rows = tuple((fault, tuple(cell_of.get((fault, scale)) for scale in scales)) for fault in faults)
    return FaultMap(agent.agent, scales, rows)


def _case_rows(records: RunRecords, agents: Sequence[str], hrefs: Mapping[str, str]) -> list[CaseRow]:
    trial_of = {trial.trial_id: trial for trial in records.trials}
    score_of = {score.trial_id: score for score in records.scores}
    by_case: dict[str, dict[str, list[PlannedTrial]]] = {}
    for plan in records.info.planned:
        by_case.setdefault(plan.case_id, {}).setdefault(plan.agent, []).append(plan)

    def cell(plan: PlannedTrial) -> CaseCell:
        trial, score = trial_of.get(plan.trial_id), score_of.get(plan.trial_id)
        if trial is None:
            words = "unreadable record" if plan.trial_id in records.unreadable else "no record"
            return CaseCell(plan.agent, words, "none", "")
        words = trial.end if score is None else score_text(score.strict)
        return CaseCell(plan.agent, words, grade_word(score), hrefs[plan.trial_id])

    rows = []
    for case_id in sorted(by_case, key=natural):
        plans = [plan for agent in agents for plan in by_case[case_id].get(agent, [])]
        known = next((trial_of[plan.trial_id] for plan in plans if plan.trial_id in trial_of), None)
        rows.append(
            CaseRow(
                case_id=case_id,
                fabric=known.fabric if known else "",
                difficulty=known.difficulty if known else "",
                cells=tuple(map(cell, plans)),
            )
        )
    return rows
