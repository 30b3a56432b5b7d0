"""What an answer is judged by: a line each in the published spelling, a tagged record here."""

import re
from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model

Pool = Literal["must", "bonus"]


class NoAnomaly(Model):
    """The answer says that nothing is wrong."""

    kind: Literal["no_anomaly"] = "no_anomaly"


class NoFaultyDevices(Model):
    """The answer names no device."""

    kind: Literal["no_faulty_devices"] = "no_faulty_devices"


class Identifies(Model):
    """The answer names this device."""

    kind: Literal["identifies"] = "identifies"
    device: str


class NotIdentifies(Model):
    """The answer doesn't name this device."""

    kind: Literal["not_identifies"] = "not_identifies"
    device: str


class Says(Model):
    """The diagnosis says something, in any words."""

    kind: Literal["says"] = "says"
    pool: Pool
    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    text: str
    """What has to be said, in words, for a judge."""
    words: tuple[tuple[str, ...], ...] = ()
    """The deterministic rule: of every group, one phrase stands in the diagnosis. Empty: derived from `text`."""


Axis = Annotated[NoAnomaly | NoFaultyDevices | Identifies | NotIdentifies | Says, Field(discriminator="kind")]

_LINE = re.compile(
    r"(?P<assert>assert-(?:no-anomaly|no-faulty-devices|not-identifies|identifies))(?:\s*:\s*(?P<device>.*))?"
    r"|(?P<pool>must|bonus)-(?P<slug>[A-Za-z0-9_-]+)\s*:\s*(?P<text>.+)"
)


def parse_axis(line: str) -> Axis | None:
    """The axis that a published line spells; None when it spells none."""
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return None
    if found["pool"]:
        pool: Pool = "must" if found["pool"] == "must" else "bonus"
        return Says(pool=pool, slug=found["slug"].lower().replace("_", "-"), text=found["text"].strip())
    device = (found["device"] or "").strip()
    match found["assert"]:
        case "assert-no-anomaly":
            return NoAnomaly()
        case "assert-no-faulty-devices":
            return NoFaultyDevices()
        case "assert-identifies" if device:
            return Identifies(device=device)
        case "assert-not-identifies" if device:
            return NotIdentifies(device=device)
    return None


def write_axis(axis: Axis) -> str:
    """The published line of an axis."""
    match axis:
        case NoAnomaly():
            return "assert-no-anomaly"
        case NoFaultyDevices():
            return "assert-no-faulty-devices"
        case Identifies():
            return f"assert-identifies: {axis.device}"
        case NotIdentifies():
            return f"assert-not-identifies: {axis.device}"
        case Says():
            return f"{axis.pool}-{axis.slug}: {axis.text}"
