"""Short names of agents for tables: a program is called by its file. Records keep the whole names."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from netopsbench.rca.record import TaskReport
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.paired import Comparison
from netopsbench.scoring.runfolder import RunRecords
from netopsbench.scoring.summary import Summary
from netopsbench.tickets.record import TicketReport
from netopsbench.tickets.summary import GroupRow

_PROGRAMS = ("command", "command+trust")
_STARTERS = ("python", "node", "sh", "bash", "dash", "perl", "ruby", "java", "deno", "bun")
"""Programs that start what the next word names."""

Shorten = Callable[[str], str]


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """A short name for each agent, no two alike."""
    # Sorted, so that whoever shows them in another order gives them the same names.
    specs = sorted(set(agents))
    names = {spec: _short(spec) for spec in specs}
    names |= {spec: _longer(spec) for spec in _alike(names)}
    taken = set(names.values()) - {names[spec] for spec in _alike(names)}
    for spec in _alike(names):
        names[spec] = _numbered(names[spec], taken)
        taken.add(names[spec])
    return names


def shortener(agents: Iterable[str]) -> Shorten:
    """What writes an agent's short name, also with more after it: `agent: voice`, `agent in run`."""
    names = short_names(agents)

    def shorten(words: str) -> str:
        if words in names:
            return names[words]
        whole = max((spec for spec in names if words.startswith((f"{spec}: ", f"{spec} in "))), key=len, default="")
        return names[whole] + words[len(whole) :] if whole else words

    return shorten


def told_agents(agents: Sequence[str]) -> str:
    """Every agent by its short name, and what that stands for."""
    names = short_names(agents)
    return "; ".join(spec if names[spec] == spec else f"{names[spec]} is {spec}" for spec in agents)


def whole_names(agents: Iterable[str]) -> list[str]:
    """What short names stand for, a line for each that isn't whole."""
    return [f"{short} is {spec}" for spec, short in short_names(agents).items() if short != spec]


def short_summary(summary: Summary, shorten: Shorten) -> Summary:
    """The figures of a run with the short names of its agents."""
    return summary.model_copy(
        update={
            "agents": tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in summary.agents),
            "comparisons": short_comparisons(summary.comparisons, shorten),
            "pareto": tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in summary.pareto),
            "prices": {shorten(agent): price for agent, price in summary.prices.items()},
        }
    )


def short_comparisons(comparisons: Iterable[Comparison], shorten: Shorten) -> tuple[Comparison, ...]:
    """Differences with the short names of agents."""
    return tuple(each.model_copy(update={"a": shorten(each.a), "b": shorten(each.b)}) for each in comparisons)


def short_records(records: RunRecords, shorten: Shorten) -> RunRecords:
    """The trials of a run and its plan with the short names of its agents."""
    planned = tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in records.info.planned)
    info = records.info.model_copy(update={"agents": tuple(map(shorten, records.info.agents)), "planned": planned})
    return replace(records, info=info, trials=short_trials(records.trials, shorten))


def short_trials(trials: Iterable[TrialFacts], shorten: Shorten) -> tuple[TrialFacts, ...]:
    """Trials with the short names of their agents."""
    return tuple(replace(trial, agent=shorten(trial.agent)) for trial in trials)


def short_tickets(report: TicketReport) -> TicketReport:
    """The figures of a run of tickets with the short names of its agents."""
    shorten, summary = shortener(report.run.agents), report.summary

    def rows(found: Iterable[GroupRow]) -> tuple[GroupRow, ...]:
        return tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in found)

    short = {
        "by_class": rows(summary.by_class),
        "by_persona": rows(summary.by_persona),
        "overall": rows(summary.overall),
        "contrasts": short_comparisons(summary.contrasts, shorten),
    }
    own = tuple(row.model_copy(update={"agent": shorten(row.agent)}) for row in report.rows)
    return report.model_copy(update={"summary": summary.model_copy(update=short), "rows": own})


def short_tasks(report: TaskReport) -> TaskReport:
    """The figures of a run of tasks with the short names of its agents."""
    shorten = shortener(report.run.agents)
    return report.model_copy(
        update={
            "counts": tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in report.counts),
            "groups": tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in report.groups),
            "rows": tuple(each.model_copy(update={"agent": shorten(each.agent)}) for each in report.rows),
        }
    )


def _short(spec: str) -> str:
    kind, _, rest = spec.partition(":")
    if kind in _PROGRAMS:
        return PurePath(_started(rest)).name + _mark(kind) or spec
    if kind == "openai-compatible":
        told = dict(part.partition("=")[::2] for part in rest.split(","))
        return told.get("model") or spec
    return spec


def _longer(spec: str) -> str:
    """A name for one of several agents with the same short one: a program's with its folder."""
    kind, _, rest = spec.partition(":")
    return "/".join(PurePath(_started(rest)).parts[-2:]) + _mark(kind) if kind in _PROGRAMS else spec


def _mark(kind: str) -> str:
    # A program that isn't shut in stays recognizable as such.
    return "" if kind == _PROGRAMS[0] else " (trusted)"


def _started(command: str) -> str:
    """What a command starts: its first word, or that which an interpreter is given."""
    try:
        first, *rest = shlex.split(command)
    except ValueError:
        # An open quote, or nothing at all.
        return command
    given = [word for word in rest if not word.startswith("-")]
    is_started = PurePath(first).name.rstrip("0123456789.") in _STARTERS and given and "-c" not in rest
    return given[0] if is_started else first


def _alike(names: dict[str, str]) -> list[str]:
    counted = Counter(names.values())
    return [spec for spec, name in names.items() if counted[name] > 1]


def _numbered(name: str, taken: set[str]) -> str:
    """The name itself, or with the first number that makes it another one."""
    number = 1
    while (found := name if number == 1 else f"{name} {number}") in taken:
        number += 1
    return found
