"""One trial as the report shows it."""

from dataclasses import dataclass

from netopsbench.records.answers import Finding, Location
from netopsbench.records.score import Score
from netopsbench.records.telemetry import Window
from netopsbench.records.trial import MeshView, Trial
from netopsbench.report.heatmap import Mesh, mesh
from netopsbench.report.text import end_text, pretty_json, seconds
from netopsbench.report.timeline import TimelineView, timeline_view
from netopsbench.report.topology import Drawing, Mark, draw, marks

RESULT_SHOWN = 4_000
"""Characters of a tool result, a traceback or an agent's words that the page holds; the record keeps all."""


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a long text."""

    text: str
    total: int
    """Characters of the whole."""

    @property
    def is_cut(self) -> bool:
        return len(self.text) < self.total


@dataclass(frozen=True)
class CallView:
    """One tool call."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    at_s: float
    """Seconds since the trial began."""
    elapsed: str
    is_error: bool
    result: Excerpt


@dataclass(frozen=True)
class PhaseBar:
    """One phase on the trial's time line, in percent of its length."""

    name: str
    at: str
    elapsed: str
    left_pct: float
    width_pct: float


@dataclass(frozen=True)
class MeshWindow:
    """The matrix of one window; None where it wasn't recorded."""

    title: str
    window: str
    mesh: Mesh | None


@dataclass(frozen=True)
class TrialView:
    """Everything a reader may ask of one trial."""

    anchor: str
    trial: Trial
    score: Score | None
    ending: str
    """Why there is no score, or how the agent failed; else empty."""
    grade: str
    """`right`, `partial`, `wrong` or `none`."""
    drawing: Drawing
    drawing_id: str
    answer_marks: tuple[Mark, ...]
    truth_marks: tuple[Mark, ...]
    findings: tuple[Finding, ...]
    more_findings: int
    reasoning: Excerpt
    calls: tuple[CallView, ...]
    phases: tuple[PhaseBar, ...]
    meshes: tuple[MeshWindow, ...]
    timeline: TimelineView | None
    traceback: Excerpt
    stderr: Excerpt
    times: tuple[tuple[str, str], ...]


FINDINGS_SHOWN = 20


def trial_view(trial: Trial, score: Score | None, drawing_id: str, anchor: str) -> TrialView:
    """The view of a trial; `drawing_id` names its fabric's picture, `anchor` its place in the page."""
    answer = trial.answer
    findings = answer.findings if answer else ()
    drawing = draw(trial.nodes, trial.links)
    clients = [node.name for node in trial.nodes if node.role == "client"]
    return TrialView(
        anchor=anchor,
        trial=trial,
        score=score,
        ending=end_text(trial),
        grade=grade_word(score),
        drawing=drawing,
        drawing_id=drawing_id,
        answer_marks=marks(drawing, [finding.location for finding in findings[:FINDINGS_SHOWN]]),
        truth_marks=marks(drawing, _accepted(trial)),
        findings=findings[:FINDINGS_SHOWN],
        more_findings=max(0, len(findings) - FINDINGS_SHOWN),
        reasoning=excerpt(answer.reasoning if answer else ""),
        calls=tuple(_calls(trial)),
        phases=tuple(_phases(trial)),
        meshes=(
            _mesh_window("Before the injection", trial.baseline_mesh, clients),
            _mesh_window("After the injection", trial.fault_mesh, clients),
        ),
        timeline=timeline_view(trial),
        traceback=excerpt(trial.error.traceback if trial.error else ""),
        stderr=excerpt(trial.agent_stderr),
        times=(
            ("Agent's own time", seconds(trial.agent_time_s)),
            ("Tools", seconds(trial.tool_time_s)),
            ("Infrastructure", seconds(trial.infra_time_s)),
        ),
    )


def excerpt(text: str) -> Excerpt:
    """The beginning of a text."""
    return Excerpt(text[:RESULT_SHOWN], len(text))


def grade_word(score: Score | None) -> str:
    """`right`, `partial`, `wrong`, or `none` where there is no score."""
    if score is None:
        return "none"
    if score.strict == 1:
        return "right"
    return "partial" if score.strict > 0 else "wrong"


def _accepted(trial: Trial) -> list[Location]:
    return [location for fault in trial.truth.faults for location in fault.accepted]


def _calls(trial: Trial) -> list[CallView]:
    return [
        CallView(
            tool=call.tool,
            arguments=tuple((name, excerpt(str(value)).text) for name, value in call.arguments.items()),
            at_s=max(0.0, (call.started_ns - trial.started_ns) / 1e9),
            elapsed=seconds(call.elapsed_s),
            is_error=call.is_error,
            result=excerpt(pretty_json(call.result)),
        )
        for call in trial.calls
    ]


def _phases(trial: Trial) -> list[PhaseBar]:
    starts = [max(0.0, (phase.started_ns - trial.started_ns) / 1e9) for phase in trial.phases]
    whole = max((start + phase.elapsed_s for start, phase in zip(starts, trial.phases, strict=True)), default=0.0)
    return [
        PhaseBar(
            name=phase.name.replace("_", " "),
            at=seconds(start),
            elapsed=seconds(phase.elapsed_s),
            left_pct=round(100 * start / whole, 2) if whole else 0.0,
            width_pct=round(max(0.4, 100 * phase.elapsed_s / whole), 2) if whole else 0.0,
        )
        for start, phase in zip(starts, trial.phases, strict=True)
    ]


def _mesh_window(title: str, view: MeshView | None, clients: list[str]) -> MeshWindow:
    if view is None:
        return MeshWindow(title, "", None)
    return MeshWindow(title, _length(view.window), mesh(view, clients))


def _length(window: Window) -> str:
    return seconds((window.until_ns - window.since_ns) / 1e9)
