"""All figures of a run, from its plan, its trials and their scores."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price
from netopsbench.records.run import Replayed, RunInfo, SeedKind
from netopsbench.records.score import Score
from netopsbench.records.truth import Truth
from netopsbench.scoring.calibration import Calibration, calibration
from netopsbench.scoring.counts import LATE_INVALID_LIMIT_PCT, Counts, count
from netopsbench.scoring.detection import Detection, detection
from netopsbench.scoring.effort import Effort, ParetoPoint, effort, pareto
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.floor import Floor, floor
from netopsbench.scoring.judge import JudgeReport
from netopsbench.scoring.paired import Comparison, compare_all
from netopsbench.scoring.repeats import PassAll, pass_all
from netopsbench.scoring.statistics import Estimate, average, case_means, macro_average, mean, rate

SCORER_VERSION = "1"
"""Changes whenever the same records would get other figures."""

CONTROLS = ("oracle", "nop", "always-faulty", "always-healthy", "constant", "random")
"""Agents that prove the benchmark, not themselves."""

HEALTHY = "healthy"
TRIAL_RUN_SCALE = "xs"
"""Too small to claim anything with: a constant answer gets a third of it right."""

_ORDER = ("xs", "easy", "small", "medium", "large", "hard", "xlarge", "fat-tree-k8", "fat-tree-k12")
"""Scales by size, and in between the difficulties, of which `medium` is a scale too."""

Scored = Sequence[tuple[TrialFacts, Score]]


class Slice(Model):
    """One agent's scores in one part of the cases."""

    name: str
    trials: int
    strict: Estimate
    paper: Estimate
    detection_accuracy: Estimate


class Cell(Model):
    """One agent's strict score on one fault at one scale."""

    fault: str
    scale: str
    strict: float
    cases: int


class AgentSummary(Model):
    """Everything that can be said of one agent. Rates and means are None where no trial bears on them."""

    agent: str
    is_control: bool
    counts: Counts
    strict: Estimate | None
    """Average score, the headline."""
    paper: Estimate | None
    """Average score as published."""
    floor: Floor
    """Of exactly the cases that this agent was scored on."""
    detection: Detection
    device_localization_rate: Estimate | None
    """Faulty cases in which the device was named."""
    interface_localization_rate: Estimate | None
    """Faulty cases with an interface in the truth in which it was named together with its device."""
    localization_composite: Estimate | None
    """Average strict score of the faulty cases alone."""
    fault_type_rate: Estimate | None
    """Faulty cases in which the type was named by its label or an alias; no part of any score."""
    effort: Effort
    pass_all: tuple[PassAll, ...]
    """pass^k for k = 1 to the most repeats of any case."""
    calibration: Calibration | None
    """None when no confidence was told."""
    by_fault: tuple[Slice, ...]
    by_difficulty: tuple[Slice, ...]
    by_scale: tuple[Slice, ...]
    by_exposure: tuple[Slice, ...]
    """By the predicted exposure, of the trials that tell one."""
    by_fault_and_scale: tuple[Cell, ...]
    macro_over_scales: float | None
    """Average strict score with each scale counted once."""
    flags: tuple[str, ...]
    """Reasons to distrust the figures, as sentences."""


class Summary(Model):
    """The figures of a run; `report.json`."""

    schema_version: Literal[2] = 2
    scorer_version: str = SCORER_VERSION
    run_id: str
    campaign: str
    seed_kind: SeedKind
    seed: int | None
    """Of a headline run only once it has ended."""
    seed_sha256: str
    """Of a headline run: SHA-256 of the seed's decimal digits, told before the run."""
    is_headline: bool
    """The seed was secret and there is more than the trial scale."""
    fabrics: tuple[str, ...]
    started_ns: int
    finished_ns: int | None
    budget: Budget | None = None
    """What an agent could use up in each case; None where the run didn't record it."""
    has_shell: bool = False
    """Whether agents were offered a shell on devices."""
    has_command_lines: bool = False
    """Whether agents were offered the command lines of devices, each in its vendor's words."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """What the models of agents cost, by agent; without those whose price nobody knows."""
    cases: int
    """Distinct planned cases."""
    floor: Floor
    """Of all cases that were scored for any agent."""
    agents: tuple[AgentSummary, ...]
    """Real agents first, best first; then the controls."""
    comparisons: tuple[Comparison, ...]
    """Every two agents, on the cases that are valid for both."""
    pareto: tuple[ParetoPoint, ...]
    accepted_changes: tuple[str, ...]
    """What was not as planned when the run was resumed."""
    problems: tuple[str, ...]
    """Files that were left out."""
    versions: dict[str, str]
    replayed: Replayed | None = None
    """The recording that the run was answered from; None for a run on running fabrics."""
    judge: JudgeReport | None = None
    """What an optional judge made of fault types in other words; it changes no figure above."""


def summarise(
    run: RunInfo,
    trials: Sequence[TrialFacts],
    scores: Iterable[Score],
    *,
    unreadable: Collection[str] = (),
    problems: Sequence[str] = (),
) -> Summary:
    """The summary of a run. `unreadable` are ids of planned trials whose file is broken.

    Trials that aren't planned count nowhere; the order of trials and scores changes nothing.
    """
    planned_ids = {plan.trial_id for plan in run.planned}
    known = sorted((t for t in trials if t.trial_id in planned_ids), key=lambda trial: trial.trial_id)
    score_of = {score.trial_id: score for score in scores}
    names = dict.fromkeys((*run.agents, *(plan.agent for plan in run.planned)))
    agents = [_agent_summary(name, run, known, score_of, unreadable) for name in names]
    scored = [trial for trial in known if trial.end == "scored" and trial.trial_id in score_of]
    scales = {trial.scale for trial in scored}
    agents.sort(key=_rank)
    scores_of = {agent.agent: [score_of[t.trial_id] for t in scored if t.agent == agent.agent] for agent in agents}
    return Summary(
        run_id=run.run_id,
        campaign=run.campaign,
        seed_kind=run.seed_kind,
        seed=run.seed,
        seed_sha256=run.seed_sha256,
        is_headline=run.seed_kind == "headline" and bool(scales - {TRIAL_RUN_SCALE}),
        fabrics=run.fabrics,
        started_ns=run.started_ns,
        finished_ns=run.finished_ns,
        budget=run.budget,
        has_shell=run.has_shell,
        has_command_lines=run.has_command_lines,
        prices=run.prices,
        cases=len({plan.case_id for plan in run.planned}),
        floor=floor(_one_truth_per_case(scored)),
        agents=tuple(agents),
        comparisons=compare_all(scores_of),
        pareto=pareto((agent.agent, agent.strict.value, agent.effort) for agent in agents if agent.strict),
        accepted_changes=tuple(change for sitting in run.sittings for change in sitting.accepted_changes),
        problems=tuple(problems),
        versions=run.versions,
        replayed=run.replayed,
    )


def _agent_summary(
    name: str, run: RunInfo, trials: Sequence[TrialFacts], score_of: dict[str, Score], unreadable: Collection[str]
) -> AgentSummary:
    own = [trial for trial in trials if trial.agent == name]
    planned = [plan for plan in run.planned if plan.agent == name]
    counts = count(planned, own, unreadable, score_of.keys())
    scored = [(t, score_of[t.trial_id]) for t in own if t.end == "scored" and t.trial_id in score_of]
    faulty = [(trial, score) for trial, score in scored if trial.truth.is_faulty]
    by_scale = _slices(scored, lambda trial: trial.scale)
    return AgentSummary(
        agent=name,
        is_control=name.partition(":")[0] in CONTROLS,
        counts=counts,
        strict=average((score.case_id, score.strict) for _, score in scored),
        paper=average((score.case_id, score.paper) for _, score in scored),
        floor=floor(_one_truth_per_case(trial for trial, _ in scored)),
        detection=detection(scored),
        device_localization_rate=_rate_of(scored, lambda score: score.is_device_right),
        interface_localization_rate=_rate_of(scored, lambda score: score.is_interface_right),
        localization_composite=average((score.case_id, score.strict) for _, score in faulty),
        fault_type_rate=_rate_of(scored, lambda score: score.is_type_right),
        effort=effort(own),
        pass_all=pass_all(score for _, score in scored),
        calibration=calibration(scored),
        by_fault=_slices(scored, _fault_name),
        by_difficulty=_slices(scored, lambda trial: trial.difficulty),
        by_scale=by_scale,
        by_exposure=_slices([pair for pair in scored if pair[0].exposure], lambda trial: trial.exposure or ""),
        by_fault_and_scale=_cells(scored),
        macro_over_scales=macro_average({part.name: part.strict.value for part in by_scale}),
        flags=(*_flags(counts), *_lacking_exposure([trial for trial, _ in faulty]), *_steered(own)),
    )


def _flags(counts: Counts) -> tuple[str, ...]:
    flags = []
    if counts.late_invalid_pct > LATE_INVALID_LIMIT_PCT:
        flags.append(
            f"{counts.late_invalid} of {counts.asked} tries became invalid after the question "
            f"({counts.late_invalid_pct:.1f} %, limit {LATE_INVALID_LIMIT_PCT:g} %)"
        )
    absent = counts.missing + counts.unreadable
    if absent:
        flags.append(f"{absent} of {counts.planned} planned trials have no readable record")
    return tuple(flags)


def _lacking_exposure(faulty: Sequence[TrialFacts]) -> tuple[str, ...]:
    """Cases that were harder than meant: what should have shown their faults did not."""
    lacking = [trial for trial in faulty if trial.lacks_exposure]
    cases = ", ".join(dict.fromkeys(f"{trial.case_id} ({trial.exposure})" for trial in lacking))
    told = f"in {len(lacking)} of {len(faulty)} faulty trials the predicted telemetry did not show the fault: {cases}"
    return (told,) if lacking else ()


def _steered(trials: Sequence[TrialFacts]) -> tuple[str, ...]:
    followed = [trial for trial in trials if trial.is_steered]
    cases = ", ".join(dict.fromkeys(trial.case_id for trial in followed))
    share = f"{len(followed)} of {len(trials)} trials"
    told = f"in {share} it seems to have followed an instruction in a device's text: {cases}"
    return (told,) if followed else ()


def _rate_of(scored: Scored, fact: Callable[[Score], bool | None]) -> Estimate | None:
    facts = [(score.case_id, fact(score)) for _, score in scored]
    return rate((case_id, float(is_so)) for case_id, is_so in facts if is_so is not None)


def _cells(scored: Scored) -> tuple[Cell, ...]:
    parts: dict[tuple[str, str], list[Score]] = {}
    for trial, score in scored:
        parts.setdefault((_fault_name(trial), trial.scale), []).append(score)
    cells = []
    for (fault, scale), scores in sorted(parts.items(), key=lambda item: tuple(map(_place_in_order, item[0]))):
        by_case = case_means((score.case_id, score.strict) for score in scores)
        cells.append(Cell(fault=fault, scale=scale, strict=mean(list(by_case.values())), cases=len(by_case)))
    return tuple(cells)


def _slices(scored: Scored, part: Callable[[TrialFacts], str]) -> tuple[Slice, ...]:
    parts: dict[str, list[Score]] = {}
    for trial, score in scored:
        parts.setdefault(part(trial), []).append(score)
    slices = []
    for name, scores in sorted(parts.items(), key=lambda item: _place_in_order(item[0])):
        strict = average((score.case_id, score.strict) for score in scores)
        paper = average((score.case_id, score.paper) for score in scores)
        accuracy = rate((score.case_id, float(score.is_detected)) for score in scores)
        if strict and paper and accuracy:
            slices.append(Slice(name=name, trials=len(scores), strict=strict, paper=paper, detection_accuracy=accuracy))
    return tuple(slices)


def _place_in_order(name: str) -> tuple[int, str]:
    """Scales by size and difficulties by rank come first, everything else after them by name."""
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _fault_name(trial: TrialFacts) -> str:
    return " + ".join(sorted(fault.fault_type for fault in trial.truth.faults)) or HEALTHY


def _one_truth_per_case(trials: Iterable[TrialFacts]) -> list[Truth]:
    truths = {trial.case_id: trial.truth for trial in trials}
    return [truths[case_id] for case_id in sorted(truths)]


def _rank(agent: AgentSummary) -> tuple[bool, float, str]:
    return agent.is_control, -(agent.strict.value if agent.strict else -1.0), agent.agent
