"""What happened in one trial: everything that scoring and reports read."""

from typing import Any, Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.answers import Answer
from netopsbench.records.telemetry import BgpEvent, Window
from netopsbench.records.truth import Truth
from netopsbench.records.usage import Usage

InvalidReason = Literal[
    "deploy_failed",
    "fabric_died",
    "not_converged",
    "baseline_unhealthy",
    "telemetry_failed",
    "traffic_incomplete",
    "tools_failed",
    "injection_failed",
    "effect_not_seen",
    "effect_gone_before_answer",
    "healthy_case_disturbed",
    "not_restored",
    "record_failed",
    "interrupted",
    "internal_error",
]
"""Why a trial says nothing about the agent. A closed list."""

Telemetry = Literal["pingmesh", "pingmesh ports", "bgp", "counters", "logs", "device"]
"""Where a fault can be seen: formal anomalies of the Pingmesh, its detail per source port, sessions and prefixes,
counters of refused packets, lines of the devices at fault, and what those devices show of their own state."""


class Phase(Model):
    """One named step of a trial."""

    name: str
    started_ns: int
    elapsed_s: float


class ToolCall(Model):
    """One metered call, as the tool server saw it."""

    tool: str
    arguments: dict[str, Any]
    started_ns: int
    elapsed_s: float
    is_error: bool
    result: str
    """What the agent got, as JSON text; cut at the record's limit with a mark."""


class Receipt(Model):
    """What an injection commanded and what the independent witness saw."""

    step: Literal["inject", "read_back", "effect_before", "effect_after", "undo", "restored", "sham", "benign"]
    t_ns: int
    """When the command was given, or when the witness had seen enough."""
    what: str
    seen: str
    is_as_expected: bool
    counted: str = ""
    """Figures behind `seen`, in words."""


class TrafficView(Model):
    """Background traffic of one trial: packets of all flows together."""

    flows: int
    packets_per_s: float
    """What each flow was told to send."""
    machine_share: float
    """Of the rate that the fabric's caps allow: smaller on machines with few cores, the same for all cases."""
    baseline_sent: int
    baseline_received: int
    case_sent: int
    """From the start of the observation until the agent has answered."""
    case_received: int
    flows_cut: int
    """Flows that did not get through then, because of the fault."""


class MeshCell(Model):
    """Loss and delay of one ordered client pair over a window."""

    src: str
    dst: str
    packets_sent: int
    packets_lost: int
    rtt_median_ms: float | None


class MeshView(Model):
    """The Pingmesh matrix of one window, kept in the trial so that a report needs no store."""

    window: Window
    cells: tuple[MeshCell, ...]


Figure = Literal["sessions", "prefixes", "packets", "refused"]
"""Established BGP sessions; prefixes received by them; packets received a second; packets discarded or damaged a
second, by ports and by the kernels of nodes."""


class Trace(Model):
    """One figure over the time of a trial."""

    figure: Figure
    of: str
    """A node, a port like `leaf1:eth2`, or nothing for the whole fabric."""
    values: tuple[float | None, ...]
    """One for each step; None where no answer is known that is fresh enough."""


class Timelines(Model):
    """BGP and counters over a trial as the collectors saw them, kept in the trial so that a report needs no store."""

    since_ns: int
    """Where the first step begins."""
    step_s: float
    traces: tuple[Trace, ...]
    """Of each figure the whole fabric first, then what changed most."""
    events: tuple[BgpEvent, ...]
    """The first changes of sessions."""
    events_in_all: int


class TrialError(Model):
    """What went wrong, and on whose side."""

    side: Literal["infra", "agent"]
    reason: str
    """An `InvalidReason` or an `AgentFailure`."""
    message: str
    traceback: str = ""


class TrialLink(Model):
    """One link of the fabric, for drawing."""

    a: str
    b: str


class TrialNode(Model):
    """One node of the fabric, for drawing."""

    name: str
    role: str


class Attempt(Model):
    """An earlier try of a trial that came to nothing; what it took counts all the same."""

    started_ns: int
    reason: str
    """An `InvalidReason`, or `killed` when it left no record of its own."""
    was_question_asked: bool
    agent_time_s: float = 0.0
    tool_time_s: float = 0.0
    infra_time_s: float = 0.0
    usage: Usage | None = None


class Trial(Model):
    """The whole record of one case given to one agent."""

    schema_version: Literal[1] = 1
    trial_id: str
    case_id: str
    agent: str
    fabric: str
    scale: str
    difficulty: str
    seed: int
    repeat: int = 1
    """Which repeat of the case with this agent, from 1 on."""
    exposed_in: tuple[Telemetry, ...] = ()
    """Measured: every telemetry that did show the faults in the window of this trial; empty in a healthy case."""
    exposure: str | None = None
    """Predicted: the plainest telemetry that can show the faults of the case; None in a healthy one.

    Worked out from kind, place and length of the window before anything runs; the same in every trial of the case.
    """
    started_ns: int
    end: Literal["scored", "invalid", "unsupported"]
    """`scored`: the agent was examined (also when it failed); otherwise it is outside every denominator."""
    was_question_asked: bool
    truth: Truth
    answer: Answer | None = None
    error: TrialError | None = None
    phases: tuple[Phase, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    baseline_mesh: MeshView | None = None
    fault_mesh: MeshView | None = None
    traffic: TrafficView | None = None
    timelines: Timelines | None = None
    """None when the trial ended before it was restored."""
    nodes: tuple[TrialNode, ...] = ()
    links: tuple[TrialLink, ...] = ()
    agent_time_s: float = 0.0
    """Wall time between question and answer, without tool execution and without `provider_wait_s`."""
    tool_time_s: float = 0.0
    infra_time_s: float = 0.0
    """Everything but the agent and its tools."""
    provider_wait_s: float = 0.0
    """How long the agent stood back because its model's provider was overloaded."""
    agent_access: Literal["closed", "network", "trusted"] = "closed"
    """What the agent's process could reach: its tools alone, the network too, or the whole machine."""
    usage: Usage | None = None
    earlier: tuple[Attempt, ...] = ()
    """Tries before this one; the times above are of this one alone."""
    versions: dict[str, str] = Field(default_factory=dict)
    """netopsbench, FRR, kernel, Python."""
    agent_stderr: str = ""

    @property
    def lacks_exposure(self) -> bool:
        """Whether the predicted telemetry was not among those that were measured to show the faults."""
        return self.end == "scored" and self.exposure is not None and self.exposure not in self.exposed_in

    @property
    def is_control_plane_only(self) -> bool:
        """Whether routing shows the fault while no probe suffers from it."""
        return "bgp" in self.exposed_in and not {"pingmesh", "pingmesh ports"} & set(self.exposed_in)
