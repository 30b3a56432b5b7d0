"""A ticket that somebody wrote about a network, and what is true about it."""

from typing import Literal

from pydantic import Field, model_validator

from netopsbench.core.model import Model
from netopsbench.tickets.axes import Axis

TicketClass = Literal["correct-fault", "false-premise", "wrong-device", "wrong-cause"]
"""How the ticket relates to the network: right, about nothing, about the wrong box, about the wrong mechanism."""
Persona = Literal["standard", "novice", "novice-confident", "naive", "naive-unsure", "naive-no-detail"]
CLASSES: tuple[TicketClass, ...] = ("correct-fault", "false-premise", "wrong-device", "wrong-cause")
PERSONAS: tuple[Persona, ...] = (
    "standard",
    "novice",
    "novice-confident",
    "naive",
    "naive-unsure",
    "naive-no-detail",
)
REWRITES: tuple[Persona, ...] = PERSONAS[1:]

Device = str


class Command(Model):
    """A line for `/bin/sh` on one device."""

    on: Device
    run: str = Field(min_length=1)


class Check(Model):
    """A command on a device and what its output has to be."""

    on: Device
    run: str = Field(min_length=1)
    expect: str = Field(min_length=1)
    """A condition of `netopsbench.tickets.conditions`: `0% loss`, `empty`, `full`, `>=2`, …"""

    def __str__(self) -> str:
        return f"{self.on}: {self.run} => {self.expect}"


class Claim(Model):
    """One statement of the ticket that a check can confirm or refute."""

    says: str
    is_true: bool
    """Whether it holds when the agent is asked."""
    check: Check
    """Holds exactly when the statement does."""


class InjectedFault(Model):
    """What is broken, by which commands, and what proves it."""

    family: str
    devices: tuple[Device, ...] = Field(min_length=1)
    """The culprits, all of them and nobody else."""
    cause: str
    """The mechanism in words."""
    inject: tuple[Command, ...] = Field(min_length=1)
    effect: tuple[Check, ...] = ()
    """Hold while the fault is there; every one fails on the healthy network, but for controls of imported tickets."""
    fix: tuple[Command, ...] = ()
    """A remedy that works, for the oracle and for undoing; imported tickets have none."""
    fixed: tuple[Check, ...] = ()
    """Hold on the healthy network and after a good fix; every one fails while the fault is there."""


class Ticket(Model):
    """A ticket with its answer key. Only `text` may reach an agent."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    lab: str
    ticket_class: TicketClass
    persona: Persona = "standard"
    parent: str | None = None
    """Of a rewrite: the ticket in the `standard` voice."""
    text: str = Field(min_length=20)
    fault: InjectedFault | None = None
    """None where nothing is wrong."""
    blamed: tuple[Device, ...] = ()
    """Devices that the ticket blames though they are innocent."""
    claims: tuple[Claim, ...] = ()
    """Imported tickets have none."""
    axes: tuple[Axis, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_its_class(self) -> "Ticket":
        wrong = list(_contradictions(self))
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    @property
    def culprits(self) -> frozenset[Device]:
        """The devices an answer has to name; none where nothing is wrong."""
        return frozenset(self.fault.devices) if self.fault else frozenset()

    @property
    def devices(self) -> frozenset[Device]:
        """Every device that a command, a check, an axis or the blame refers to."""
        fault = self.fault
        acting = [each.on for each in (*fault.inject, *fault.fix)] if fault else []
        checking = [each.on for each in (*fault.effect, *fault.fixed)] if fault else []
        axes = [axis.device for axis in self.axes if axis.kind in ("identifies", "not_identifies")]
        return frozenset(
            acting + checking + [claim.check.on for claim in self.claims] + [*self.culprits, *self.blamed, *axes]
        )


class Rewrite(Model):
    """A ticket in another persona's voice: everything but the text is its parent's."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    parent: str
    persona: Persona
    text: str = Field(min_length=20)

    def of(self, parent: Ticket) -> Ticket:
        """The whole ticket."""
        changed = {"id": self.id, "parent": parent.id, "persona": self.persona, "text": self.text}
        return parent.model_copy(update=changed)


def _contradictions(ticket: Ticket) -> list[str]:
    wrong = []
    is_healthy = ticket.ticket_class == "false-premise"
    if is_healthy == (ticket.fault is not None):
        wrong.append("a false-premise ticket has no fault, every other one has one")
    if (ticket.persona == "standard") != (ticket.parent is None):
        wrong.append("a rewrite names its parent, a standard ticket has none")
    if set(ticket.blamed) & ticket.culprits:
        wrong.append("`blamed` lists innocent devices, not the culprit")
    return wrong
