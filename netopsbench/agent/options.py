"""What each agent may be told."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from netopsbench.agent.models.claude_models import thinks_adaptively_only, thinks_in_fixed_room_only
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
"""Name of an environment variable that holds a key; never the key itself."""
Url = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/[^\s]*)?$")]
"""Without a user and a password in it."""
_REPLY_TOKENS = 8192
_THINKING_REPLY_TOKENS = 32_000
"""Thinking counts as a part of the reply, and nobody else limits it then."""


class NoOptions(Model):
    """For agents that take none."""


class ConstantOptions(Model):
    """What `constant` is told."""

    answer: Answer


class RandomOptions(Model):
    """What `random` and `random-device` are told."""

    seed: int = 1


class Prices(Model):
    """US dollars per million tokens, where the price list doesn't know a model or shouldn't be asked."""

    input_usd: float | None = Field(default=None, ge=0)
    cached_usd: float | None = Field(default=None, ge=0)
    """Reading cached input; the full input price when it isn't given."""
    cache_write_usd: float | None = Field(default=None, ge=0)
    """Writing input to a cache; the full input price when it isn't given."""
    output_usd: float | None = Field(default=None, ge=0)
    price_version: str = Field(default="", max_length=200)
    """Where these were read, and when; kept with every cost."""
    prices: str | None = None
    """A list of one's own, a file in the shape of `netopsbench/records/prices.json`; it goes before that one."""

    @model_validator(mode="after")
    def _prices_are_whole(self) -> "Prices":
        alone = (self.input_usd is None) != (self.output_usd is None)
        if alone or (self.input_usd is None and (self.cached_usd, self.cache_write_usd) != (None, None)):
            raise ValueError("give input_usd and output_usd together")
        if self.input_usd is not None and self.prices is not None:
            raise ValueError("give either a list as prices, or input_usd and output_usd")
        return self


Effort = Literal["low", "medium", "high", "xhigh", "max"]


class ClaudeOptions(Prices):
    """What `claude` is told."""

    model: str
    max_tokens: int | None = Field(default=None, ge=1)
    """Of one reply, thinking included; None for 8,192, and 32,000 where the model decides how much it thinks."""
    thinking: Literal["adaptive"] | None = None
    """`adaptive`: the model decides when and how much it thinks; None for what it does unasked."""
    thinking_tokens: int | None = Field(default=None, ge=1024)
    """A fixed room for thinking in each reply, which newer models refuse."""
    effort: Effort | None = None
    """How much effort the model is to make; None for its own default."""
    key_env: VariableName = "ANTHROPIC_API_KEY"
    base_url: Url = "https://api.anthropic.com"

    @model_validator(mode="after")
    def _model_thinks_so(self) -> "ClaudeOptions":
        if self.thinking is not None and self.thinking_tokens is not None:
            raise ValueError("give either thinking=adaptive or thinking_tokens")
        if self.thinking_tokens is not None and thinks_adaptively_only(self.model):
            raise ValueError(f"{self.model} refuses a fixed room for thinking; write thinking=adaptive,effort=high")
        if self.thinking is not None and thinks_in_fixed_room_only(self.model):
            raise ValueError(f"{self.model} knows no adaptive thinking; write thinking_tokens=4000")
        return self

    @property
    def reply_tokens(self) -> int:
        """The longest reply that is asked for."""
        if self.thinking_tokens is not None:
            return max(self.max_tokens or _REPLY_TOKENS, self.thinking_tokens + _REPLY_TOKENS // 8)
        return self.max_tokens or (_REPLY_TOKENS if self.thinking is None else _THINKING_REPLY_TOKENS)


class OpenAiOptions(Prices):
    """What `openai-compatible` is told."""

    base_url: Url
    """Up to and without `/chat/completions`."""
    model: str
    max_tokens: int = Field(default=8192, ge=1)
    key_env: VariableName | None = None
    """None for an endpoint that asks for no key."""
    stream: bool = True


class HttpOptions(Model):
    """What `http` is told."""

    url: Url
    """Where the question is posted."""
    key_env: VariableName | None = None
    """The service's own bearer token; none without it."""
    tools_host: str = "127.0.0.1"
    """Address of this machine at which the service can reach the tools."""


class PythonOptions(Model):
    """What `python` is told."""

    name: str
    """Of an entry point in the group `netopsbench.agents`."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """Keywords for whatever the entry point names."""


class CommandOptions(Model):
    """What `command` is told."""

    command: str = Field(min_length=1)
    """A command line, split as a shell would; no shell runs it."""
    trust: bool = False
    """Run it outside of the sandbox."""
