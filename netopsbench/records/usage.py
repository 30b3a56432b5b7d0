"""What a model took."""

from typing import Annotated

from pydantic import Field

from netopsbench.core.model import Model

Count = Annotated[int | None, Field(ge=0, le=10**15)]
"""Of tokens. An agent may tell its own: less than nothing would make up for what others took."""


class Usage(Model):
    """What an agent's model took, as its provider counted; None is unknown, which is not 0."""

    input_tokens: Count = None
    """Without the cached ones."""
    cached_input_tokens: Count = None
    output_tokens: Count = None
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    price_version: str = ""
    """Which price list `cost_usd` was worked out with."""

    @property
    def tokens(self) -> int | None:
        """All tokens, of whatever class; None unless input and output are known."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + (self.cached_input_tokens or 0) + self.output_tokens
