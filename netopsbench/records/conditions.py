"""Under which conditions tickets and tasks were given to agents."""

from collections import Counter
from collections.abc import Iterable

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.prices import Price
from netopsbench.records.run import Replayed, SeedKind, Sitting
from netopsbench.records.trial import TrialError


class Machine(Model):
    """What a run was carried out on."""

    cores: float
    memory_gib: float | None = None
    """Free when the run began; None where the system doesn't tell."""
    system: str
    """The kernel, its release, and the kind of processor."""


class Conditions(Model):
    """What the results of a run depend on, beside its budget."""

    fingerprint: dict[str, str] = Field(default_factory=dict)
    """`code`, `tasks`, `agent sweeper` …, each with a short hash of its content; empty in runs of earlier versions."""
    versions: dict[str, str] = Field(default_factory=dict)
    """netopsbench, FRR, Python."""
    machines: tuple[Machine, ...] = ()
    """Of each sitting; none in runs of earlier versions."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """What the models of agents cost, by agent; without those whose price nobody knows."""
    seed_kind: SeedKind = "practice"
    """`practice`: whoever knows the public seed has the keys too; `headline`: the seed was secret."""
    seed_sha256: str = ""
    """Hash of the secret seed, told before a headline run starts."""
    seed: int | None = None
    """Drew what was asked; of a headline run only once it has ended. None where nobody tells it, and for what
    was written by hand."""
    sittings: tuple[Sitting, ...] = ()
    replayed: Replayed | None = None
    """None for a run on running networks."""


def reasons_of(errors: Iterable[TrialError | None]) -> dict[str, int]:
    """How many trials ended for which reason, the most frequent first; by the errors of the trials."""
    return dict(Counter(error.reason if error else "no reason recorded" for error in errors).most_common())
