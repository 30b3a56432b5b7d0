"""Under which conditions a run examined its agents, in words."""

from collections.abc import Iterable, Mapping

from netopsbench.rca.record import TaskCounts, TaskReport
from netopsbench.records.answers import Budget
from netopsbench.records.conditions import Conditions, Machine
from netopsbench.records.prices import Price
from netopsbench.report.naming import Shorten, shortener, told_agents
from netopsbench.report.text import NOTHING
from netopsbench.scoring.summary import Summary
from netopsbench.tickets.record import TicketReport

Condition = tuple[str, str]
"""What is meant, and what it was."""


def conditions(summary: Summary) -> tuple[Condition, ...]:
    """Budget, offered tools and prices of a run, in the order in which a report tells them."""
    found = [
        ("Budget of a case", budget_text(summary.budget)),
        ("Shell on devices", _offered(summary.has_shell)),
    ]
    if summary.has_command_lines:
        found.append(("Vendors' command lines", _offered(summary.has_command_lines)))
    return (*found, *_prices(summary.prices, str))


def ticket_conditions(report: TicketReport) -> tuple[Condition, ...]:
    """Those of a run of tickets."""
    run = report.run
    names = "our" if run.tools == "own" else "the published"
    return (
        ("Agents", told_agents(run.agents)),
        ("Budget of a ticket", budget_text(run.budget)),
        ("Tools", f"under {names} names; some of them change devices"),
        ("Shell on devices", _offered(True)),
        ("Vendors' command lines", _offered(False)),
        ("Tickets", "practice: they and their keys are public, so an agent may have met them"),
        *_prices(run.conditions.prices, shortener(run.agents)),
        *_circumstances(run.conditions),
        ("Invalid trials", _invalid(report.invalid_reasons, len(report.rows))),
    )


def task_conditions(report: TaskReport) -> tuple[Condition, ...]:
    """Those of a run of root-cause and path tasks."""
    run = report.run
    return (
        ("Agents", told_agents(run.agents)),
        ("Budget of a task", budget_text(run.budget)),
        ("Shell on devices", _offered(False)),
        ("Vendors' command lines", f"{_offered(True)}, but for what a task denies"),
        ("Tasks", _drawn(run.conditions)),
        *_prices(run.conditions.prices, shortener(run.agents)),
        *_circumstances(run.conditions),
        ("Invalid trials", _invalid(report.invalid_reasons, len(report.rows))),
        *_invalid_by_agent(report.counts),
    )


def _drawn(conditions: Conditions) -> str:
    """What their seed says of drawn tasks."""
    known = "" if conditions.seed is None else f" {conditions.seed}"
    if conditions.seed_kind == "practice":
        return f"practice: their seed{known} is no secret, and whoever draws them with it gets the keys too"
    ended = f"it was{known}" if known else "it is told when the run has ended"
    return f"headline: drawn with a secret seed, whose SHA-256 is {conditions.seed_sha256}; {ended}"


def machine_text(machine: Machine) -> str:
    """What a run was carried out on."""
    cores = f"{machine.cores:g} core{'' if machine.cores == 1 else 's'}"
    memory = () if machine.memory_gib is None else (f"{machine.memory_gib:g} GiB of free memory",)
    return ", ".join((cores, *memory, machine.system))


def _circumstances(conditions: Conditions) -> list[Condition]:
    """Machines and versions; in more than one sitting, how many there were."""
    machines = "; then ".join(dict.fromkeys(map(machine_text, conditions.machines)))
    versions = ", ".join(f"{name} {version}" for name, version in conditions.versions.items())
    found = [("Machine", machines or "not recorded"), ("Versions", versions or "not recorded")]
    if len(conditions.sittings) > 1:
        found.append(("Sittings", f"{len(conditions.sittings)}: the run was cut short and resumed"))
    return found


def _invalid(reasons: Mapping[str, int], trials: int) -> str:
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    return f"{sum(reasons.values())} of {trials}: {told}" if reasons else "none"


def _invalid_by_agent(counts: Iterable[TaskCounts]) -> list[Condition]:
    """Whose tries became invalid; nothing where there were none."""
    told = [_invalid_of(each) for each in counts if each.invalid or each.late_invalid]
    return [("Invalid by agent", "; ".join(told))] if told else []


def _invalid_of(counts: TaskCounts) -> str:
    """How often an agent's tries became invalid; those after the question could be its way to another try."""
    late = f"{counts.late_invalid} of {counts.asked} tries after the question"
    return f"{counts.agent}: {counts.invalid} of {counts.trials} trials, {late}"


def _prices(prices: Mapping[str, Price], shorten: Shorten) -> list[Condition]:
    return [(f"Prices of {shorten(agent)}", price_text(price)) for agent, price in prices.items()]


def budget_text(budget: Budget | None) -> str:
    """The limits of a case, and what wasn't limited."""
    if budget is None:
        return "not recorded"
    turns = _counted(budget.turns, "turn")
    limits = {
        "turns": turns if turns is None or budget.tells_turns else f"{turns} that the agent isn't told of",
        "tokens": _counted(budget.tokens, "token"),
        "cost": None if budget.cost_usd is None else f"${budget.cost_usd:g}",
    }
    free = [name for name, limit in limits.items() if limit is None]
    whole = (f"{budget.wall_time_s:,g} s", _counted(budget.tool_calls, "tool call"), *limits.values())
    told = ", ".join(limit for limit in whole if limit is not None)
    return f"{told}; no limit of {_either(free)}" if free else told


def price_text(price: Price) -> str:
    """A price per million tokens, with where it is from."""
    written = () if price.cache_write == price.input else (("into the cache", price.cache_write),)
    classes = (("in", price.input), *written, ("cached", price.cache_read), ("out", price.output))
    figures = ", ".join(f"${usd:g} {name}" for name, usd in classes)
    where = "; ".join(part for part in (price.version, price.source) if part)
    return f"{figures} per million tokens ({where or NOTHING})"


def _offered(is_offered: bool) -> str:
    return "offered" if is_offered else "not offered"


def _counted(count: int | None, name: str) -> str | None:
    return None if count is None else f"{count:,} {name}{'' if count == 1 else 's'}"


def _either(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
