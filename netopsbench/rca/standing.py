"""A network that stands for many tasks, one after the other, and is built anew when one has left it broken."""

from contextlib import AbstractContextManager
from types import TracebackType

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.labs.inspect import check_lab, settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files

CONVERGE_DEADLINE_S = 120.0
RESTORE_DEADLINE_S = 40.0


class StandingNetwork(AbstractContextManager["StandingNetwork"]):
    """Holds one fabric or lab for the block."""

    def __init__(self, name: str, engine: Engine) -> None:
        """Raises SpecError for a network that isn't known."""
        self.name = name
        self.plan = plan_fabric(load_spec(name))
        self._engine = engine
        self._fabric: Fabric | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    @property
    def fabric(self) -> Fabric:
        """The running network, healthy when it is built. Raises InfraError when it can't be, or doesn't converge."""
        if self._fabric is None:
            self._fabric = self._engine.deploy(self.plan, render_files(self.plan))
            self._settle(CONVERGE_DEADLINE_S)
        return self._fabric

    def settled(self) -> bool:
        """Wait until it is healthy again; one that doesn't get so is discarded, and the answer is False."""
        try:
            self._settle(RESTORE_DEADLINE_S)
        except InfraError:
            self.discard()
            return False
        return True

    def problems(self) -> list[str]:
        """What isn't as in the healthy network, some of it."""
        if self.plan.lab is not None:
            return [finding.message for finding in check_lab(self.fabric)]
        with observing(self.fabric) as eyes:
            eyes.expect_converged()
            return eyes.missing()[1]

    def discard(self) -> None:
        """Take it down; the next use builds another."""
        fabric, self._fabric = self._fabric, None
        if fabric is not None:
            fabric.destroy()

    def _settle(self, deadline_s: float) -> None:
        if self._fabric is None:
            return
        if self.plan.lab is not None:
            settle_lab(self._fabric, deadline_s=deadline_s)
            return
        with observing(self._fabric) as eyes:
            converge(eyes, deadline_s=deadline_s)
