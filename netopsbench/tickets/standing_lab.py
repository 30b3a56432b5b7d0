"""A lab on which tickets are set, one after the other."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.labs.inspect import Finding, Inspection, check_lab, inspecting, settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.spec import FabricSpec
from netopsbench.fabric.standing import Standing
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.proving import Proof, prove

CONVERGE_DEADLINE_S = 120.0
REST_S = 15.0
"""A foreign lab in which nothing has changed for so long has settled."""
_POLL_S = 0.5


class StandingLab(Standing):
    """Holds one fabric for the block."""

    def __init__(self, lab: str | FabricSpec, engine: Engine) -> None:
        """A lab by name, or somebody else's: what isn't as its files say when it has settled is usual there.

        Raises SpecError for a lab that isn't known, or doesn't fit together.
        """
        super().__init__(plan_fabric(load_spec(lab) if isinstance(lab, str) else lab), engine)
        self.usual: tuple[str, ...] = ()
        """What the inspection finds in a foreign lab at rest."""
        self._is_foreign = not isinstance(lab, str)
        self._beside = ExitStack()
        """Ends what looks at the lab."""
        self._inspection: Inspection | None = None

    def findings(self) -> list[str]:
        """Everything that isn't as in the healthy lab."""
        found = [finding.message for finding in self._looked(lambda inspection: inspection.findings())]
        return [message for message in found if message not in self.usual]

    def is_well(self) -> bool:
        """Whether all is as in the healthy lab; where it isn't, this is known sooner than everything that is wrong."""
        if self._is_foreign:
            return not self.findings()
        return not self._looked(lambda inspection: inspection.up_to_the_first_failure()[1])

    def discard(self) -> None:
        """Take it down, and what looks at it; the next use builds another."""
        self._look_no_more()
        super().discard()

    def _looked(self, look: Callable[[Inspection], list[Finding]]) -> list[Finding]:
        """What a look shows. Raises InfraError when the lab can't be looked at; the next look begins anew."""
        fabric = self.fabric
        if self._inspection is None:
            self._inspection = self._beside.enter_context(inspecting(fabric))
        try:
            return look(self._inspection)
        except InfraError:
            self._look_no_more()
            raise

    def _look_no_more(self) -> None:
        self._inspection = None
        self._beside.close()

    def _settle_first(self, fabric: Fabric) -> None:
        if self._is_foreign:
            self.usual = _at_rest(fabric)
        else:
            settle_lab(fabric, deadline_s=CONVERGE_DEADLINE_S)


def _at_rest(fabric: Fabric) -> tuple[str, ...]:
    """What is still found when nothing changes any more. Raises InfraError("not_converged") when it never rests."""
    deadline = time.monotonic() + CONVERGE_DEADLINE_S
    seen: tuple[str, ...] | None = None
    changed = time.monotonic()
    while time.monotonic() < deadline:
        found = tuple(finding.message for finding in check_lab(fabric))
        if found != seen:
            seen, changed = found, time.monotonic()
        if not found or time.monotonic() - changed >= REST_S:
            return found
        time.sleep(_POLL_S)
    wanted = f"after {CONVERGE_DEADLINE_S:g} s it still changes: {'; '.join((seen or ())[:3])}"
    raise InfraError("not_converged", wanted)


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
