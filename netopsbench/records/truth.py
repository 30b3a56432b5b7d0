"""The answer key of one case."""

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.answers import Location


class FaultTruth(Model):
    """One injected fault and every location that is a right answer for it."""

    fault_type: str
    accepted: tuple[Location, ...] = Field(min_length=1)
    """The place itself first; for symmetric faults the peer end follows when it is a switch."""


class Truth(Model):
    """All that is wrong in a case; nothing when it is healthy."""

    faults: tuple[FaultTruth, ...] = ()

    @property
    def is_faulty(self) -> bool:
        return bool(self.faults)
