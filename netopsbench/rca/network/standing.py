"""A fabric or a lab on which root-cause and path tasks are set, one after the other."""

from collections.abc import Sequence

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.labs.inspect import check_lab, settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.standing import Standing
from netopsbench.faults.snapshot import Snapshot
from netopsbench.faults.witness import shown
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.holding import are_gone
from netopsbench.rca.network.as_built import kernels, left_behind
from netopsbench.rca.network.heard import wait_heard
from netopsbench.rca.network.kernel_routes import Routes, are_back, steady_routes

CONVERGE_DEADLINE_S = 120.0
RESTORE_DEADLINE_S = 40.0
ROUTES_DEADLINE_S = 15.0


class StandingNetwork(Standing):
    """Holds one fabric or lab for the block."""

    def __init__(self, name: str, engine: Engine) -> None:
        """Raises SpecError for a network that isn't known."""
        super().__init__(plan_fabric(load_spec(name)), engine)
        self.name = name
        self._built = Snapshot(nodes={}, sessions={}, cables={})
        self._routes: Routes = {}
        """Of a lab, as it was built. Its baseline suite asks for reachability, which one of several next hops gives."""

    def restored(self, causes: Sequence[Broken]) -> bool:
        """Whether it is healthy again, with nothing left of causes that were undone; see `restore`."""
        try:
            self.restore(causes)
        except InfraError:
            return False
        return True

    def restore(self, causes: Sequence[Broken]) -> None:
        """Wait until it is healthy, as it was built, and shows nothing of causes that were undone.

        Raises InfraError with what is left at the deadline; the network is discarded then.
        """
        if self._fabric is None:
            return
        try:
            self._settle_again(self._fabric)
            if not are_gone(self._fabric, causes, RESTORE_DEADLINE_S):
                raise InfraError("not_restored", "the effect of a cause that was undone is still seen")
        except InfraError:
            self.discard()
            raise
        if self._routes and not are_back(self._fabric, self._routes, ROUTES_DEADLINE_S):
            # Healthy by its own suite, on other ways than it was built with: the next task gets a new one.
            self.discard()

    def problems(self) -> list[str]:
        """What isn't as in the healthy network, some of it."""
        if self.plan.lab is not None:
            return [finding.message for finding in check_lab(self.fabric)]
        with observing(self.fabric) as eyes:
            eyes.expect_converged()
            return eyes.missing()[1]

    def _settle_first(self, fabric: Fabric) -> None:
        self._settle(fabric, CONVERGE_DEADLINE_S)
        self._routes = steady_routes(fabric, CONVERGE_DEADLINE_S) if self.plan.lab is not None else {}
        with observing(fabric) as eyes:
            self._built = kernels(eyes, self.plan)

    def _settle_again(self, fabric: Fabric) -> None:
        # First, so that a session that is about to end has ended before all are waited for.
        wait_heard(fabric, RESTORE_DEADLINE_S)
        self._settle(fabric, RESTORE_DEADLINE_S)
        with observing(fabric) as eyes:
            left = left_behind(self._built, eyes, self.plan, ROUTES_DEADLINE_S)
        if left:
            raise InfraError("not_restored", f"not as it was built: {shown(left)}")

    def _settle(self, fabric: Fabric, deadline_s: float) -> None:
        if self.plan.lab is not None:
            settle_lab(fabric, deadline_s=deadline_s)
            return
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=deadline_s)
