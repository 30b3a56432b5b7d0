"""What a run of a campaign set out to do; its trials lie beside it."""

from typing import Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price

SeedKind = Literal["practice", "headline"]

PLAN, TRIALS = "plan.json", "trials"
"""In the folder of every run: what is carried out, with the keys, and the folder of trials."""
REQUEST = "replay.json"
"""In the folder of a replay: what was asked of it."""
RUN, TASKS, TICKETS = "run.json", "tasks.json", "tickets.json"
"""One of them makes a folder that of a run: of a campaign, of tasks, of tickets."""
WAYS_ON = {RUN: "benchmark resume", TASKS: "rca resume", TICKETS: "tickets resume"}
"""The commands that go on with a run that was cut short."""


class PlannedTrial(Model):
    """One case that one agent is to be given."""

    trial_id: str
    """Also the name of the trial's file, `trials/<trial_id>.json`; a retry keeps it."""
    case_id: str
    agent: str
    repeat: int = 1
    """Which repeat of the case with this agent, from 1 on."""


class Sitting(Model):
    """One process that worked on a run: the first, or a resumption."""

    started_ns: int
    workers: int
    accepted_changes: tuple[str, ...] = ()
    """What was not as it had been planned, and was accepted by the user."""


class Replayed(Model):
    """The recording that a run was answered from."""

    recording: str
    """Name of the file."""
    sha256: str
    recorded_ns: int
    netopsbench: str
    """The version that recorded it."""


class RunInfo(Model):
    """The plan of a run, `run.json` in its folder; written before the first trial."""

    schema_version: Literal[1] = 1
    run_id: str
    campaign: str
    fabrics: tuple[str, ...]
    agents: tuple[str, ...]
    budget: Budget | None = None
    """What an agent may use up in each case; None in runs of earlier versions."""
    has_shell: bool = False
    """Whether agents were offered a shell on devices."""
    has_command_lines: bool = False
    """Whether agents were offered the command lines of devices, each in its vendor's words."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """What the models of agents cost, by agent; without those whose price nobody knows."""
    seed_kind: SeedKind
    """`practice`: the seed is public, an agent may have met these cases; `headline`: it was secret."""
    seed_sha256: str = ""
    """Hash of the secret seed, told before a headline run starts."""
    seed: int | None = None
    """The seed itself; of a headline run only once it has ended."""
    started_ns: int
    finished_ns: int | None = None
    """None while the run goes on, or when it was cut short."""
    planned: tuple[PlannedTrial, ...]
    fingerprint: dict[str, str] = Field(default_factory=dict)
    """What the results depend on, `code`, `cases`, `agent baseline` …, each with a short hash of its content."""
    sittings: tuple[Sitting, ...] = ()
    replayed: Replayed | None = None
    """None for a run on running fabrics."""
    versions: dict[str, str] = Field(default_factory=dict)
    """netopsbench, FRR, kernel, Python."""
