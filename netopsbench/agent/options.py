"""What each agent may be told."""

from typing import Annotated

from pydantic import Field, JsonValue

from netopsbench.core.model import Model
from netopsbench.records.answers import Answer

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
"""Name of an environment variable that holds a key; never the key itself."""
Url = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/[^\s]*)?$")]
"""Without a user and a password in it."""


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
    output_usd: float | None = Field(default=None, ge=0)


class ClaudeOptions(Prices):
    """What `claude` is told."""

    model: str
    max_tokens: int = Field(default=8192, ge=1)
    """Of one reply, thinking included."""
    thinking_tokens: int | None = Field(default=None, ge=1024)
    """Room for extended thinking in each reply; none without it."""
    key_env: VariableName = "ANTHROPIC_API_KEY"
    base_url: Url = "https://api.anthropic.com"


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
