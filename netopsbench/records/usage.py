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
        """All tokens, of whatever class; None unless input and output are known."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + (self.cached_input_tokens or 0) + self.output_tokens
