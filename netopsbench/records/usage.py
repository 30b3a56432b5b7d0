"""What a model took."""

from netopsbench.core.model import Model


class Usage(Model):
    """What an agent's model took, as its provider counted; None is unknown, which is not 0."""

    input_tokens: int | None = None
    """Without the cached ones."""
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    price_version: str = ""
    """Which price list `cost_usd` was worked out with."""

    @property
    def tokens(self) -> int | None:
        """All tokens, of whatever class; None when no class is known."""
        known = [n for n in (self.input_tokens, self.cached_input_tokens, self.output_tokens) if n is not None]
        return sum(known) if known else None
