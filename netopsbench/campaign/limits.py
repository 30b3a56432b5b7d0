"""Another budget than the campaign's: `calls=40`, `usd=2` … for every case of a run."""

from collections.abc import Sequence

from pydantic import Field, ValidationError

from netopsbench.agent.programs.starting import check_money
from netopsbench.agent.spec import is_spec, parse_spec
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.records.answers import Budget

_FIELD = {"seconds": "wall_time_s", "calls": "tool_calls", "turns": "turns", "tokens": "tokens", "usd": "cost_usd"}
"""What a limit is called on the command line, and in a budget."""
LONGEST_S = 604_800.0
"""A week. Clocks and sockets of the system refuse much longer waits."""
MOST = 1_000_000
"""Calls, turns and other things that are counted one by one."""
_MOST_TOKENS = 1_000_000_000
_MOST_USD = 1_000_000.0
LIMITS = ", ".join(f"{name}=N" for name in _FIELD)


class Limits(Model):
    """Limits that replace those of a campaign; None leaves the campaign's."""

    wall_time_s: float | None = Field(default=None, ge=1, le=LONGEST_S)
    tool_calls: int | None = Field(default=None, ge=1, le=MOST)
    turns: int | None = Field(default=None, ge=1, le=MOST)
    tokens: int | None = Field(default=None, ge=1, le=_MOST_TOKENS)
    cost_usd: float | None = Field(default=None, gt=0, le=_MOST_USD)

    def over(self, budget: Budget) -> Budget:
        """`budget` with these limits in it."""
        return budget.model_copy(update=self.model_dump(exclude_none=True))


def parse_limits(words: Sequence[str]) -> Limits:
    """Limits as they are typed, `calls=40`. Raises SpecError with every mistake."""
    given: dict[str, str] = {}
    problems: list[Problem] = []
    for word in words:
        name, _, value = word.partition("=")
        if name not in _FIELD:
            problems.append(Problem("--budget", "", word, f"one of {LIMITS}"))
        elif _FIELD[name] in given:
            problems.append(Problem("--budget", name, value, "give each limit once"))
        else:
            given[_FIELD[name]] = value
    try:
        limits = Limits.model_validate(given)
    except ValidationError as wrong:
        typed = {field: name for name, field in _FIELD.items()}
        for each in wrong.errors():
            field = str(each["loc"][0])
            problems.append(Problem("--budget", typed[field], given[field], each["msg"]))
        limits = Limits()
    if problems:
        raise SpecError(problems)
    return limits


def check_limits(agents: Sequence[str], budget: Budget) -> None:
    """Raises SpecError for every agent that nobody could keep to the budget."""
    problems: list[Problem] = []
    for name in filter(is_spec, dict.fromkeys(agents)):
        choice = parse_spec(name)
        try:
            check_money(choice.agent, choice.options, budget)
        except SpecError as wrong:
            problems += wrong.problems
    if problems:
        raise SpecError(problems)
