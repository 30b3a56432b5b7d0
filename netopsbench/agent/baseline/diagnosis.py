"""What a rule of the baseline agent says, and how it spells what it saw."""

from collections.abc import Callable
from dataclasses import dataclass

from netopsbench.agent.baseline.network import Network
from netopsbench.tools.results import DeviceInterface, LinkEnd


@dataclass(frozen=True)
class Diagnosis:
    """One explanation of what was seen."""

    fault_type: str
    device: str
    interface: str | None
    evidence: tuple[str, ...]
    reasoning: str
    confidence: float


Rule = Callable[[Network], Diagnosis | None]


def written(end: LinkEnd) -> str:
    """A port as the tools spell it."""
    return f"{end.device}:{end.interface}"


def shown(device: str, port: DeviceInterface) -> str:
    """The state of a port, in words."""
    if not port.is_admin_up:
        state = "administratively down"
    else:
        state = "up" if port.has_carrier else "switched on, without carrier"
    return f"{device}:{port.name} is {state}"
