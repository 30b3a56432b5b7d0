"""A fabric or a lab on which root-cause and path tasks are set, one after the other."""

from collections.abc import Sequence

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.labs.inspect import check_lab, settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.standing import Standing
from netopsbench.rca.breaking import Broken
from netopsbench.rca.holding import are_gone
from netopsbench.rca.kernel_routes import Routes, are_back, steady_routes

CONVERGE_DEADLINE_S = 120.0
RESTORE_DEADLINE_S = 40.0
ROUTES_DEADLINE_S = 15.0


class StandingNetwork(Standing):
    """Holds one fabric or lab for the block."""

    def __init__(self, name: str, engine: Engine) -> None:
        """Raises SpecError for a network that isn't known."""
        super().__init__(plan_fabric(load_spec(name)), engine)
        self.name = name
        self._routes: Routes = {}
        """Of a lab, as it was built. Its baseline suite asks for reachability, which one of several next hops gives."""

    def settled(self) -> bool:
        """Wait until it is healthy again; one that doesn't get so is discarded, and the answer is False."""
        if self._fabric is None:
            return True
        try:
            self._settle(self._fabric, RESTORE_DEADLINE_S)
            if self._routes and not are_back(self._fabric, self._routes, ROUTES_DEADLINE_S):
                # Healthy by its own suite, on other ways than it was built with: the next task gets a new one.
                self.discard()
        except InfraError:
            self.discard()
            return False
        return True

    def restored(self, causes: Sequence[Broken]) -> bool:
        """Wait until it is healthy and shows nothing of causes that were undone; else it is discarded."""
        if not self.settled():
            return False
        if self._fabric is not None and not are_gone(self._fabric, causes, RESTORE_DEADLINE_S):
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

    def _settle_first(self, fabric: Fabric) -> None:
        self._settle(fabric, CONVERGE_DEADLINE_S)
        self._routes = steady_routes(fabric, CONVERGE_DEADLINE_S) if self.plan.lab is not None else {}

    def _settle(self, fabric: Fabric, deadline_s: float) -> None:
        if self.plan.lab is not None:
            settle_lab(fabric, deadline_s=deadline_s)
            return
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=deadline_s)
