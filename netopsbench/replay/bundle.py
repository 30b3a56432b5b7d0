"""The recorded cases of a run in one file: what devices and probes answered, and no word of what was wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Budget
from netopsbench.records.telemetry import Window
from netopsbench.replay.archive import Archive, write_archive
from netopsbench.vendors.lines import CommandLineRules

FORMAT = "netopsbench recording"
_CASE_FORMAT = "netopsbench recorded case"
_TAPE, _STORE, _PLAN = "case.json", "store.bin", "plan.json"
_COMMANDS, _REPLIES, _BOOK = "commands.tsv", "replies.tsv", "devices.z"


class CaseTape(Model):
    """What a recorded case is."""

    case_id: str
    plan: str
    """The digest of its fabric's plan."""
    baseline: Window
    current: Window
    versions: dict[str, str]
    left_out: int
    """Usual calls for which there was no time."""
    command_lines: CommandLineRules | None = None
    """Rules of devices' own command lines; None where these aren't offered."""


class About(Model):
    """What a recording says of itself."""

    campaign: str
    recorded_ns: int
    netopsbench: str
    """The version that recorded it."""
    budget: Budget
    most_faults: int
    cases: tuple[str, ...]


@dataclass(frozen=True)
class RecordedCase:
    """One case as it lies in a recording."""

    tape: CaseTape
    plan: FabricPlan
    records: bytes
    """Its telemetry, packed."""
    commands: bytes
    """What commands printed, packed."""
    replies: bytes
    """What tools said, packed."""
    book: bytes = b""
    """What devices told on their command lines, packed; empty where these aren't offered."""


def write_case(path: Path, case: RecordedCase) -> None:
    """Keep one case until its run is over. Raises OSError."""
    write_archive(path, _CASE_FORMAT, {"case": case.tape.case_id}, _parts(case))


def read_case(path: Path) -> RecordedCase:
    """A case that `write_case` kept. Raises RecordingError."""
    archive = Archive(path, _CASE_FORMAT)
    return _case(archive, "", _PLAN)


def write_bundle(path: Path, about: About, cases: Sequence[RecordedCase]) -> None:
    """Write the cases into one file. Raises OSError."""
    parts: dict[str, bytes] = {}
    for case in cases:
        own = _parts(case)
        parts[plan_name(case.tape.plan)] = own.pop(_PLAN)
        parts |= {f"cases/{case.tape.case_id}/{name}": content for name, content in own.items()}
    write_archive(path, FORMAT, about.model_dump(mode="json"), parts)


class Bundle:
    """A recording, open for replay."""

    def __init__(self, path: Path) -> None:
        """Raises RecordingError for a file that is none, is damaged or of another version."""
        self.archive = Archive(path, FORMAT)
        self.about = self.archive.about_as(About)
        self._plans: dict[str, FabricPlan] = {}

    @property
    def path(self) -> Path:
        return self.archive.path

    @property
    def sha256(self) -> str:
        """Of the whole file."""
        return self.archive.sha256

    def case(self, case_id: str) -> RecordedCase:
        """One case. Raises RecordingError when it is damaged."""
        return _case(self.archive, f"cases/{case_id}/", None, self._plans)

    def has_command_lines(self, case_id: str) -> bool:
        """Whether devices' own command lines are offered in a case. Raises RecordingError when it is damaged."""
        return self.archive.understood(f"cases/{case_id}/{_TAPE}", CaseTape).command_lines is not None

    def check(self) -> None:
        """Read every part once. Raises RecordingError for the first that is damaged."""
        self.archive.check()


def _parts(case: RecordedCase) -> dict[str, bytes]:
    parts = {
        _TAPE: case.tape.model_dump_json().encode(),
        _STORE: case.records,
        _COMMANDS: case.commands,
        _REPLIES: case.replies,
        _PLAN: case.plan.model_dump_json().encode(),
    }
    return parts | ({_BOOK: case.book} if case.book else {})


def plan_name(digest: str) -> str:
    """The part that holds the plan of this digest, once for all that ran on it."""
    return f"plans/{digest[:16]}.json"


def _case(
    archive: Archive, folder: str, plan_part: str | None, known: dict[str, FabricPlan] | None = None
) -> RecordedCase:
    tape = archive.understood(f"{folder}{_TAPE}", CaseTape)
    plans = {} if known is None else known
    if tape.plan not in plans:
        plans[tape.plan] = archive.understood(plan_part or plan_name(tape.plan), FabricPlan)
    return RecordedCase(
        tape=tape,
        plan=plans[tape.plan],
        records=archive.read(f"{folder}{_STORE}"),
        commands=archive.read(f"{folder}{_COMMANDS}"),
        replies=archive.read(f"{folder}{_REPLIES}"),
        book=archive.read(f"{folder}{_BOOK}") if tape.command_lines is not None else b"",
    )
