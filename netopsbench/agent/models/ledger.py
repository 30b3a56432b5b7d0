"""Counts what a model takes, against the budget."""

from dataclasses import fields

from netopsbench.agent.models.chat import StoppedError
from netopsbench.agent.models.usage import exceeded_by
from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price, Tokens, cost_usd
from netopsbench.records.usage import Usage

_NO_PRICE = (
    "{:g} US dollars were allowed, and no price list has this model; give `input_usd` and `output_usd` with the agent, "
    "or set no limit of money"
)
_NO_COUNT = (
    "{} were allowed, and the endpoint doesn't tell how many tokens a reply took; use one that does, or set no such "
    "limit"
)


class Ledger:
    """Turns, tokens and money of one question."""

    def __init__(self, budget: Budget, price: Price | None) -> None:
        self._budget = budget
        self._price = price
        self._version = price.version if price else ""
        self._turns = 0
        self._total = Usage(input_tokens=0, cached_input_tokens=0, output_tokens=0, cost_usd=0.0 if price else None)

    @property
    def total(self) -> Usage:
        """Of all replies so far."""
        return self._total.model_copy(update={"price_version": self._version})

    def open_turn(self) -> None:
        """Count one more reply. Raises StoppedError when there may be none."""
        if self._budget.turns is not None and self._turns >= self._budget.turns:
            raise StoppedError("turns_exceeded", f"no answer within the {self._budget.turns} turns that were allowed")
        if self._budget.cost_usd is not None and self._price is None:
            raise StoppedError("provider_failed", _NO_PRICE.format(self._budget.cost_usd))
        self._turns += 1

    def enter(self, tokens: Tokens) -> Usage:
        """Add a reply's tokens to the total; the reply's own usage."""
        # An endpoint that counts less than nothing has told nothing.
        tokens = Tokens(**{each.name: _at_least_none(getattr(tokens, each.name)) for each in fields(Tokens)})
        counted = [n for n in (tokens.input, tokens.cache_write) if n is not None]
        cost = cost_usd(tokens, self._price)
        usage = Usage(
            input_tokens=sum(counted) if counted else None,
            cached_input_tokens=tokens.cache_read,
            output_tokens=tokens.output,
            cost_usd=cost,
            price_version=self._version,
        )
        total = self._total
        self._total = Usage(
            input_tokens=_sum(total.input_tokens, usage.input_tokens),
            # Providers without a cache don't speak of one.
            cached_input_tokens=(total.cached_input_tokens or 0) + (tokens.cache_read or 0),
            output_tokens=_sum(total.output_tokens, usage.output_tokens),
            cost_usd=None if total.cost_usd is None or cost is None else total.cost_usd + cost,
        )
        return usage

    def check(self) -> None:
        """Raises StoppedError when the replies so far took more than was allowed, or nobody knows whether they did."""
        if too_much := exceeded_by(self._total, self._budget):
            raise StoppedError(*too_much)
        if self._budget.tokens is not None and self._total.tokens is None:
            raise StoppedError("provider_failed", _NO_COUNT.format(f"{self._budget.tokens} tokens"))
        if self._budget.cost_usd is not None and self._total.cost_usd is None:
            raise StoppedError("provider_failed", _NO_COUNT.format(f"{self._budget.cost_usd:g} US dollars"))

    def left(self) -> str:
        """What is left of the limited things, in words for the model; empty without limits it knows of."""
        parts = []
        if (turns := self._budget.as_told().turns) is not None:
            parts.append(f"{turns - self._turns} turns")
        if self._budget.tokens is not None and self._total.tokens is not None:
            parts.append(f"{self._budget.tokens - self._total.tokens} tokens")
        if self._budget.cost_usd is not None and self._total.cost_usd is not None:
            parts.append(f"{self._budget.cost_usd - self._total.cost_usd:.4f} US dollars")
        return ", ".join(parts)


def _at_least_none(count: int | None) -> int | None:
    return None if count is None or count < 0 else count


def _sum(total: int | None, more: int | None) -> int | None:
    """Unknown for ever once one part is unknown."""
    return None if total is None or more is None else total + more
