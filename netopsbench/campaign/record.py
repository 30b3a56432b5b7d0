"""The record of a trial while it happens; whatever ends the trial, it becomes a whole `Trial`."""

import errno
import platform
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from netopsbench.agent.run import Examination
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError, UnsupportedError
from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.telemetry import Window
from netopsbench.records.trial import (
    MeshCell,
    MeshView,
    Phase,
    Receipt,
    Telemetry,
    Timelines,
    ToolCall,
    TrafficView,
    Trial,
    TrialError,
    TrialLink,
    TrialNode,
)
from netopsbench.records.truth import Truth
from netopsbench.scenario.exposure import exposure_of
from netopsbench.scenario.model import Scenario
from netopsbench.telemetry.detect import mesh_summary
from netopsbench.telemetry.path_table import PathTable
from netopsbench.telemetry.services.state import EMBEDDED

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

PhaseListener = Callable[[str], None]
"""Hears the name of each phase as it begins."""


class TrialOrder(Model):
    """One case that one contestant is to be given."""

    trial_id: str
    contestant: str
    scenario: Scenario
    repeat: int = 1
    telemetry: str = EMBEDDED
    """Where records go: the embedded store, or the address of another."""
    has_shell: bool = False
    """Whether the agent is offered a shell on devices."""
    has_command_lines: bool = False
    """Whether the agent is offered the command lines of devices, each in its vendor's words."""
    recording: Path | None = None
    """File to record the case into."""


class TrialRecord:
    """Gathers what happens; `finished` makes the trial of it."""

    def __init__(self, order: TrialOrder, hear: PhaseListener) -> None:
        self._order = order
        self._hear = hear
        self._started_ns = now_ns()
        self._started = time.monotonic()
        self._phases: list[Phase] = []
        self._receipts: list[Receipt] = []
        self._meshes: dict[str, MeshView] = {}
        self._plan: FabricPlan | None = None
        self._truth = Truth()
        self._exposure: str | None = None
        self._exposed_in: tuple[Telemetry, ...] = ()
        self._examination: Examination | None = None
        self._calls: tuple[ToolCall, ...] = ()
        self._versions = {
            "netopsbench": metadata.version("netopsbench"),
            "python": platform.python_version(),
            "kernel": platform.release(),
        }
        self._traffic: TrafficView | None = None
        self._timelines: Timelines | None = None
        self._was_asked = False

    @property
    def order(self) -> TrialOrder:
        """What is carried out."""
        return self._order

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a step, and tell that it has begun."""
        self._hear(name)
        started_ns, started = now_ns(), time.monotonic()
        try:
            yield
        finally:
            self._phases.append(Phase(name=name, started_ns=started_ns, elapsed_s=time.monotonic() - started))

    def plan(self, plan: FabricPlan, truth: Truth) -> None:
        self._plan, self._truth = plan, truth
        self._exposure = next(iter(exposure_of(self._order.scenario, plan)), None)

    def versions(self, more: Mapping[str, str]) -> None:
        self._versions.update(more)

    def receipts(self, receipts: Sequence[Receipt]) -> None:
        self._receipts += receipts

    def mesh(self, name: str, window: Window, table: PathTable) -> None:
        """Keep the matrix of a window: `baseline` or `fault`."""
        cells = tuple(
            MeshCell(
                src=path.src,
                dst=path.dst,
                packets_sent=path.packets_sent,
                packets_lost=path.packets_lost,
                rtt_median_ms=path.rtt_median_ms,
            )
            for path in mesh_summary(table)
        )
        self._meshes[name] = MeshView(window=window, cells=cells)

    def traffic(self, view: TrafficView) -> None:
        self._traffic = view

    def timelines(self, view: Timelines) -> None:
        self._timelines = view

    def exposed(self, kinds: tuple[Telemetry, ...]) -> None:
        """Keep which telemetry did show the faults."""
        self._exposed_in = kinds

    def asked(self) -> None:
        """The question is handed over: from now on a failure can depend on the agent."""
        self._was_asked = True

    def answered(self, examination: Examination, calls: tuple[ToolCall, ...]) -> None:
        self._examination, self._calls = examination, calls

    def finished(self, failure: BaseException | None = None) -> Trial:
        """The whole trial; `failure` is what ended it, if it didn't come to its end."""
        agent = self._examination
        agent_s = agent.elapsed_s if agent else 0.0
        waited_s = agent.waited_s if agent else 0.0
        tool_s = min(agent_s, sum(call.elapsed_s for call in self._calls))
        nodes = self._plan.nodes if self._plan else ()
        links = self._plan.links if self._plan else ()
        return Trial(
            trial_id=self._order.trial_id,
            case_id=self._order.scenario.id,
            agent=self._order.contestant,
            fabric=self._order.scenario.fabric,
            scale=self._order.scenario.scale,
            difficulty=self._order.scenario.difficulty,
            seed=self._order.scenario.seed,
            repeat=self._order.repeat,
            started_ns=self._started_ns,
            end="scored" if failure is None else "unsupported" if isinstance(failure, UnsupportedError) else "invalid",
            was_question_asked=self._was_asked,
            truth=self._truth,
            exposure=self._exposure,
            exposed_in=self._exposed_in,
            answer=agent.answer if agent else None,
            error=_infra_error(failure) if failure is not None else _agent_error(agent),
            phases=tuple(self._phases),
            calls=self._calls,
            receipts=tuple(self._receipts),
            baseline_mesh=self._meshes.get("baseline"),
            fault_mesh=self._meshes.get("fault"),
            traffic=self._traffic,
            timelines=self._timelines,
            nodes=tuple(TrialNode(name=node.name, role=node.role) for node in nodes),
            links=tuple(TrialLink(a=str(link.a), b=str(link.b)) for link in links),
            agent_time_s=max(0.0, agent_s - tool_s - waited_s),
            tool_time_s=tool_s,
            infra_time_s=time.monotonic() - self._started - agent_s,
            provider_wait_s=waited_s,
            agent_access=agent.access if agent else "closed",
            usage=agent.usage if agent else None,
            versions=self._versions,
            agent_stderr=agent.stderr if agent else "",
        )


def _agent_error(agent: Examination | None) -> TrialError | None:
    if agent is None or agent.failure is None:
        return None
    return TrialError(side="agent", reason=agent.failure, message=agent.message)


def _infra_error(failure: BaseException) -> TrialError:
    if is_interruption(failure):
        return TrialError(side="infra", reason="interrupted", message="interrupted by the user")
    if isinstance(failure, InfraError):
        return TrialError(side="infra", reason=failure.reason, message=str(failure))
    if isinstance(failure, UnsupportedError):
        return TrialError(side="infra", reason="unsupported", message=str(failure))
    if isinstance(failure, OSError) and failure.errno in _NO_ROOM:
        return TrialError(side="infra", reason="record_failed", message=f"can't write: {failure.strerror}")
    return TrialError(
        side="infra",
        reason="internal_error",
        message=f"{type(failure).__name__}: {failure}",
        traceback="".join(traceback.format_exception(failure)),
    )


def is_interruption(failure: BaseException | None) -> bool:
    """Whether the user's Ctrl-C stands behind it: a terminal sends it to our processes too, which then fail."""
    while failure is not None:
        if isinstance(failure, KeyboardInterrupt):
            return True
        failure = failure.__context__
    return False
