"""Every error of the package has one base and an audience (who must read it)."""

from collections.abc import Sequence
from dataclasses import dataclass


class NetopsbenchError(Exception):
    """Base of all errors this package raises on purpose."""


@dataclass(frozen=True)
class Problem:
    """One mistake in something the user wrote."""

    source: str
    """File, option or command in which it stands."""
    key: str
    """Dotted path inside the source, `topology.spines`; empty when the whole source is meant."""
    value: str
    """What was found there, as text."""
    wanted: str
    """What would be right."""

    def __str__(self) -> str:
        what = " is ".join(part for part in (self.key, f"{self.value!r}" if self.value else "") if part)
        return f"{self.source}: {what}; {self.wanted}" if what else f"{self.source}: {self.wanted}"


class SpecError(NetopsbenchError):
    """For the user: what they wrote is wrong. Exit code 2, no traceback; all mistakes at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UnsupportedError(NetopsbenchError):
    """For the user: this machine can't do it; the message names what is missing and how to get it."""


class ToolError(NetopsbenchError):
    """For the agent: a tool call failed; the agent is told and the trial goes on."""

    def __init__(self, message: str, kind: str = "failed") -> None:
        self.kind = kind
        """A word a program can act on: `failed`, `bad_arguments`, `unknown_device`, `timeout`, …"""
        super().__init__(message)


class InfraError(NetopsbenchError):
    """Ends a trial as invalid, with a reason out of the closed list `InvalidReason`."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)
