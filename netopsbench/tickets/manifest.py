"""The published tables, worked out again from a user's copy of the runs' registry."""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.scoring.statistics import mean
from netopsbench.tickets.importing import class_of
from netopsbench.tickets.model import CLASSES, PERSONAS, Persona, TicketClass

COLUMNS = (
    *("arm", "pass", "topology", "scenario_id", "agent", "model", "status", "submitted", "is_anomaly"),
    *("outcome_score", "fix_score", "reasoning_score", "tool_calls", "in_tokens", "cache_read_tokens"),
    *("cache_write_tokens", "out_tokens", "cost_usd", "wall_seconds"),
)
TIMEOUTS = ("no_submission", "no_output")
ANSWERED = "scored"
ARMS: dict[str, Persona] = {
    "base80": "standard",
    "cex120": "standard",
    "novice": "novice",
    "novice_confident": "novice-confident",
    "naive": "naive",
    "naive_unsure": "naive-unsure",
    "naive_no_detail": "naive-no-detail",
}
ALL = "all"


class Run(Model):
    """One row."""

    arm: str
    pass_name: str
    scenario_id: str
    agent: str
    status: str
    is_anomaly: bool
    outcome: float | None
    fix: float | None
    reasoning: float | None
    tool_calls: int
    tokens_read: int
    """Fresh, read from a cache and written to one."""
    tokens_written: int
    cost_usd: float

    @property
    def is_answered(self) -> bool:
        return self.status == ANSWERED


Figure = Callable[[Run], float | None]


class Spread(Model):
    """A figure per pass, their mean, and their sample standard deviation where there are several."""

    by_pass: tuple[float | None, ...]
    mean: float | None
    deviation: float | None


class Row(Model):
    """One line of a table: a class or persona, and an agent or all of them together."""

    group: str
    agent: str
    runs: int
    answered: int
    timeouts: int
    outcome: Spread
    """Over answered runs."""
    outcome_with_timeouts: float
    """Pooled over passes, timeouts as 0."""
    fix: Spread
    reasoning: Spread
    over_diagnosis: float | None
    """None outside false-premise tickets."""
    tool_calls: float | None
    """Mean of the answered runs; so are the tokens."""
    tokens_read: float | None
    tokens_written: float | None
    cost_usd: float
    """Of all runs together."""
    cost_share_of_timeouts: float | None


class Published(Model):
    """The tables of a registry."""

    by_class: tuple[Row, ...]
    by_persona: tuple[Row, ...]
    left_out: dict[str, int]
    """Rows that are neither answers nor timeouts, by status: failures of the machinery."""


def read_manifest(path: Path) -> list[Run]:
    """The rows of a registry. Raises SpecError for missing columns, numbers that are none, and doubled runs."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except OSError as unreadable:
        raise SpecError([Problem(str(path), "", unreadable.strerror or "", "give the MANIFEST.csv")]) from None
    found = list(rows[0]) if rows else []
    missing = [column for column in COLUMNS if column not in found]
    if missing:
        raise SpecError([Problem(str(path), "columns", ",".join(map(str, found)), f"missing: {', '.join(missing)}")])
    problems: list[Problem] = []
    runs: dict[tuple[str, ...], Run] = {}
    for number, row in enumerate(rows, start=2):
        source = f"{path} line {number}"
        try:
            run = _run(row)
        except ValueError as wrong:
            problems.append(Problem(source, "", str(wrong), "numbers where the columns hold some"))
            continue
        key = (run.arm, run.pass_name, row["topology"], run.scenario_id, run.agent)
        if key in runs:
            problems.append(Problem(source, "", "/".join(key), "every run stands here once"))
        problems.extend(_row_problems(run, source))
        runs[key] = run
    if problems:
        raise SpecError(problems)
    return list(runs.values())


def _row_problems(run: Run, source: str) -> Iterator[Problem]:
    if run.arm not in ARMS:
        yield Problem(source, "arm", run.arm, f"one of {', '.join(ARMS)}")
    if run.is_answered and run.outcome is None:
        yield Problem(source, "outcome_score", "", "an answered run has one")


def published_tables(runs: Sequence[Run]) -> Published:
    """Outcome by class and by persona, per agent and for all together."""
    kept = [run for run in runs if run.is_answered or run.status in TIMEOUTS]
    others = [run.status for run in runs if not (run.is_answered or run.status in TIMEOUTS)]
    core = [run for run in kept if ARMS[run.arm] == "standard"]
    premises = [run for run in kept if _class(run) == "false-premise"]
    return Published(
        by_class=tuple(row for name in CLASSES for row in _rows(name, [r for r in core if _class(r) == name])),
        by_persona=tuple(row for name in PERSONAS for row in _rows(name, [r for r in premises if ARMS[r.arm] == name])),
        left_out={status: others.count(status) for status in sorted(set(others))},
    )


def _run(row: dict[str, str]) -> Run:
    def number(column: str) -> float | None:
        return float(row[column]) if row[column] else None

    def count(column: str) -> int:
        return int(float(row[column])) if row[column] else 0

    return Run(
        arm=row["arm"],
        pass_name=row["pass"],
        scenario_id=row["scenario_id"],
        agent=row["agent"],
        status=row["status"],
        is_anomaly=row["is_anomaly"].strip().lower() == "true",
        outcome=number("outcome_score"),
        fix=number("fix_score"),
        reasoning=number("reasoning_score"),
        tool_calls=count("tool_calls"),
        tokens_read=count("in_tokens") + count("cache_read_tokens") + count("cache_write_tokens"),
        tokens_written=count("out_tokens"),
        cost_usd=number("cost_usd") or 0.0,
    )


def _class(run: Run) -> TicketClass:
    return class_of(run.scenario_id)


def _rows(group: str, runs: Sequence[Run]) -> Iterator[Row]:
    agents = list(dict.fromkeys(run.agent for run in runs))
    for agent in [*agents, ALL] if agents else []:
        yield _row(group, agent, [run for run in runs if agent in (ALL, run.agent)])


def _row(group: str, agent: str, runs: Sequence[Run]) -> Row:
    answered = [run for run in runs if run.is_answered]
    late = [run for run in runs if not run.is_answered]
    cost = math.fsum(run.cost_usd for run in runs)
    is_premise = group not in CLASSES or group == "false-premise"
    return Row(
        group=group,
        agent=agent,
        runs=len(runs),
        answered=len(answered),
        timeouts=len(late),
        outcome=_spread(runs, lambda run: run.outcome),
        outcome_with_timeouts=mean([run.outcome or 0.0 if run.is_answered else 0.0 for run in runs]),
        fix=_spread(runs, lambda run: run.fix),
        reasoning=_spread(runs, lambda run: run.reasoning),
        over_diagnosis=_mean([float(run.is_anomaly) for run in answered]) if is_premise else None,
        tool_calls=_mean([run.tool_calls for run in answered]),
        tokens_read=_mean([run.tokens_read for run in answered]),
        tokens_written=_mean([run.tokens_written for run in answered]),
        cost_usd=cost,
        cost_share_of_timeouts=math.fsum(run.cost_usd for run in late) / cost if cost else None,
    )


def _spread(runs: Sequence[Run], figure: Figure) -> Spread:
    passes = sorted({run.pass_name for run in runs})
    by_pass = [_mean_of([run for run in runs if run.pass_name == name and run.is_answered], figure) for name in passes]
    values = [value for value in by_pass if value is not None]
    centre = _mean(values)
    deviation = None
    if centre is not None and len(values) > 1:
        deviation = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))
    return Spread(by_pass=tuple(by_pass), mean=centre, deviation=deviation)


def _mean_of(runs: Sequence[Run], figure: Figure) -> float | None:
    values = (figure(run) for run in runs)
    return _mean([value for value in values if value is not None])


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None
