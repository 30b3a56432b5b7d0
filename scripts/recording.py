"""What is kept of one recorded case: a fault on the smallest fabric, and what was seen of it."""

from typing import Any

from netopsbench.core.model import Model


class SeenReceipt(Model):
    """One step of the injection, with its time from the first command on."""

    step: str
    at_s: float
    what: str
    seen: str


class Call(Model):
    """One tool call; with the part of its result that tells of the fault, where it is shown."""

    tool: str
    arguments: dict[str, str]
    part: str = ""
    """Name of the shown list in the result; empty for the result itself."""
    shown: tuple[dict[str, Any], ...] = ()


class Recording(Model):
    """One case, recorded."""

    variant: str = ""
    fault: dict[str, str]
    """The fault as a scenario file spells it."""
    recorded_with: dict[str, str]
    """Versions that outputs depend on."""
    exposed_in: tuple[str, ...]
    """Telemetry that did show the fault, as the trial recorded it."""
    receipts: tuple[SeenReceipt, ...]
    mesh: tuple[str, ...]
    """Each ordered pair of clients before and during the fault, in words."""
    looks: tuple[Call, ...]
    baseline_calls: tuple[Call, ...]
    baseline_answer: dict[str, Any]
    was_right: bool
    """Whether the baseline's strict score is 1."""


class Recordings(Model):
    """All variants of one fault."""

    kind: str
    variants: tuple[Recording, ...]
