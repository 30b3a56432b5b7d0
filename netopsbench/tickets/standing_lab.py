"""A lab that stands for many tickets, one after the other, and is built anew when one has left it broken."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.labs.inspect import check_lab, settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.render import render_files
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.proving import Proof, prove

CONVERGE_DEADLINE_S = 120.0


class StandingLab(AbstractContextManager["StandingLab"]):
    """Holds one fabric for the block."""

    def __init__(self, name: str, engine: Engine) -> None:
        """Raises SpecError for a lab that isn't known."""
        self.plan = plan_fabric(load_spec(name))
        self._engine = engine
        self._fabric: Fabric | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    @property
    def fabric(self) -> Fabric:
        """The running lab, healthy when it is built. Raises InfraError when it can't be brought up or converge."""
        if self._fabric is None:
            self._fabric = self._engine.deploy(self.plan, render_files(self.plan))
            settle_lab(self._fabric, deadline_s=CONVERGE_DEADLINE_S)
        return self._fabric

    def findings(self) -> list[str]:
        """Everything that isn't as in the healthy lab."""
        return [finding.message for finding in check_lab(self.fabric)]

    def discard(self) -> None:
        """Take it down; the next use builds another."""
        fabric, self._fabric = self._fabric, None
        if fabric is not None:
            fabric.destroy()


def proofs(lab: StandingLab, tickets: Iterable[Ticket]) -> Iterator[Proof]:
    """Prove tickets one after the other. A ticket that leaves the lab broken doesn't harm the next one."""
    for ticket in tickets:
        try:
            proof = prove(ticket, lab.fabric, lab.findings)
        except InfraError as failure:
            lab.discard()
            problem = f"the lab failed: {failure} ({failure.reason})"
            proof = Proof(ticket_id=ticket.id, lab=ticket.lab, problems=(problem,), observations=(), elapsed_s=0)
        yield proof
        if not proof.is_valid:
            lab.discard()
