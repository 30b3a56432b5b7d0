"""A conversation with a model that can call tools, whoever provides the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import JsonValue

from netopsbench.core.errors import NetopsbenchError
from netopsbench.records.answers import AgentFailure
from netopsbench.records.prices import Tokens


@dataclass(frozen=True)
class Wanted:
    """A tool call that a model asks for."""

    call_id: str
    name: str
    arguments: dict[str, Any] | None
    """None when what the model wrote is no JSON object."""


@dataclass(frozen=True)
class Result:
    """What came of a call."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True)
class Reply:
    """One whole reply of a model."""

    text: str
    calls: tuple[Wanted, ...]
    end: Literal["finished", "calls", "cut", "refused", "paused"]
    """`cut`: at the limit of its length; `paused`: the provider wants to be asked to go on."""
    tokens: Tokens
    raw: JsonValue
    """As the provider wrote it."""


class Chat(Protocol):
    """A conversation, which remembers what was said."""

    def say(self, text: str) -> None:
        """Add words of ours."""
        ...

    def give(self, results: Sequence[Result], text: str) -> None:
        """Add the results of all calls of the last reply, in one message, with words of ours after them."""
        ...

    def reply(self) -> Reply:
        """Ask for the next reply, which is remembered.

        Raises BusyError when it makes sense to ask again later, ProviderError when it doesn't.
        """
        ...

    def last_said(self) -> JsonValue:
        """The newest message of ours, as it was sent."""
        ...


class BusyError(NetopsbenchError):
    """The provider can't answer now: overloaded, out of reach, or its reply was cut off on the way."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        """What the provider asked for."""
        super().__init__(message)


class ProviderError(NetopsbenchError):
    """The provider refuses the request itself."""


class StoppedError(NetopsbenchError):
    """The agent has to stop without an answer; `failure` names why."""

    def __init__(self, failure: AgentFailure, message: str) -> None:
        self.failure = failure
        super().__init__(message)
