"""Running and resuming campaigns from Python, with everything that isn't said chosen as the command line would."""

import time
from pathlib import Path

from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.run import RunListener, Terms, resume, run
from netopsbench.fabric.engine import Engine
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.records.trial import Trial


class Silent:
    """Hears everything and says nothing."""

    def phase(self, trial_id: str, phase: str) -> None: ...

    def finished(self, trial: Trial) -> None: ...


def run_campaign(
    request: RunRequest,
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    listener: RunListener | None = None,
    engine: Engine | None = None,
) -> Path:
    """Give every case to every agent; the folder of the run, `runs/<name>-<time>` unless `out` is given.

    Runs as many trials at once as the machine holds, or `workers`. Raises SpecError for a mistake in the request,
    UnsupportedError where this machine can't run fabrics.
    """
    plan = plan_run(request)
    folder = Path(out or default_folder(plan.info.campaign))
    run(plan, engine or native_engine(), folder, listener or Silent(), Terms(workers=workers))
    return folder


def resume_run(
    run_folder: str | Path,
    *,
    workers: int | None = None,
    accept_changes: bool = False,
    listener: RunListener | None = None,
    engine: Engine | None = None,
) -> Path:
    """Go on with a run that was cut short; its folder.

    Raises SpecError when something it depends on was changed and the changes aren't accepted.
    """
    folder = Path(run_folder)
    terms = Terms(workers=workers, accept_changes=accept_changes)
    resume(folder, engine or native_engine(), listener or Silent(), terms)
    return folder


def default_folder(campaign: str) -> Path:
    """Where a run goes when nobody says."""
    return Path("runs") / f"{campaign}-{time.strftime('%Y%m%d-%H%M%S')}"


def free_folder(out: Path | None, name: str) -> Path:
    """The folder for a run of what has this name. Raises SpecError when no run can begin there."""
    folder = out or default_folder(name)
    RunFolder(folder).check_free()
    return folder


def native_engine() -> NativeEngine:
    """The engine of this machine, its routing software fetched where it isn't there."""
    return NativeEngine(fetch_software(lambda _: None))
