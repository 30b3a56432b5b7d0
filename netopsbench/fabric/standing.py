"""A network that stands for many tasks, one after the other, and is built anew when one has left it broken."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files


class Standing(ABC):
    """Holds one fabric for the block."""

    def __init__(self, plan: FabricPlan, engine: Engine) -> None:
        self.plan = plan
        self._engine = engine
        self._fabric: Fabric | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    @property
    def fabric(self) -> Fabric:
        """The running network, healthy when it is built. Raises InfraError when it can't be, or doesn't converge."""
        if self._fabric is None:
            self._fabric = self._engine.deploy(self.plan, render_files(self.plan))
            self._settle_first(self._fabric)
        return self._fabric

    def discard(self) -> None:
        """Take it down; the next use builds another."""
        fabric, self._fabric = self._fabric, None
        if fabric is not None:
            fabric.destroy()

    @abstractmethod
    def _settle_first(self, fabric: Fabric) -> None:
        """Wait until what was just built is healthy. Raises InfraError when it doesn't get so."""
