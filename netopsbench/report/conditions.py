"""Under which conditions a run examined its agents, in words."""

from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price
from netopsbench.report.text import NOTHING
from netopsbench.scoring.summary import Summary

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
    found += [(f"Prices of {agent}", price_text(price)) for agent, price in summary.prices.items()]
    return tuple(found)


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
