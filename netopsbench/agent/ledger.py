"""Counts what a model takes, against the budget."""

from netopsbench.agent.chat import StoppedError
from netopsbench.agent.usage import exceeded_by
from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price, Tokens, cost_usd
from netopsbench.records.usage import Usage


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
        self._turns += 1

    def enter(self, tokens: Tokens) -> Usage:
        """Add a reply's tokens to the total; the reply's own usage."""
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
            cached_input_tokens=(total.cached_input_tokens or 0) + (tokens.cache_read or 0),
            output_tokens=_sum(total.output_tokens, usage.output_tokens),
            cost_usd=None if total.cost_usd is None or cost is None else total.cost_usd + cost,
        )
        return usage

    def check(self) -> None:
        """Raises StoppedError when the replies so far took more than was allowed."""
        if too_much := exceeded_by(self._total, self._budget):
            raise StoppedError(*too_much)

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


def _sum(total: int | None, more: int | None) -> int | None:
    """Unknown for ever once one part is unknown."""
    return None if total is None or more is None else total + more
