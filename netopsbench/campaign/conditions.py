"""What the results of a run of tickets or tasks depend on, when it begins and when it goes on."""

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from netopsbench.campaign.contestants import prices_of
from netopsbench.campaign.plan import changes_between, examined_with
from netopsbench.campaign.run import check_accepted, not_yet_accepted
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import SpecError
from netopsbench.fabric.native.limits import read_limits
from netopsbench.records.conditions import Conditions, Machine
from netopsbench.records.run import Sitting

Fingerprint = Mapping[str, str]


def conditions_now(agents: Sequence[str], asked: Fingerprint, versions: Mapping[str, str]) -> Conditions:
    """Those of a run that begins: `asked` is the fingerprint of what agents get, `versions` of what isn't ours."""
    return Conditions(
        fingerprint={**examined_with(agents), **asked},
        versions={"netopsbench": metadata.version("netopsbench"), "Python": platform.python_version(), **versions},
        prices=prices_of(agents),
    )


def sat_down(conditions: Conditions, accepted: Sequence[str] = ()) -> Conditions:
    """Those of a run on which one more process works from now on."""
    sitting = Sitting(started_ns=now_ns(), workers=1, accepted_changes=tuple(accepted))
    return conditions.model_copy(
        update={"sittings": (*conditions.sittings, sitting), "machines": (*conditions.machines, this_machine())}
    )


def sat_down_again(
    folder: Path, conditions: Conditions, now: Callable[[], Fingerprint], *, accept_changes: bool
) -> Conditions:
    """Those of a run in `folder` that goes on.

    Raises SpecError naming whatever isn't as it was planned, unless it is accepted: then it is written down.
    """
    changes = not_yet_accepted(_changes(conditions.fingerprint, now), conditions.sittings)
    check_accepted(folder, changes, are_accepted=accept_changes)
    return sat_down(conditions, changes)


def this_machine() -> Machine:
    """The machine that this process runs on, as it is now."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    if sys.platform != "linux":
        # Replays alone run there, and other systems tell in other ways.
        return Machine(cores=os.cpu_count() or 1, system=system)
    limits = read_limits(Path())
    return Machine(cores=round(limits.cores, 1), memory_gib=round(limits.memory_gib, 1), system=system)


def _changes(planned: Fingerprint, now: Callable[[], Fingerprint]) -> Sequence[str]:
    try:
        return changes_between(planned, now())
    except SpecError as gone:
        return [f"what is asked can't be made again: {problem}" for problem in gone.problems]
