"""netopsbench: prove whether a network-troubleshooting agent works."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from netopsbench.campaign.plan import RunRequest as RunRequest
    from netopsbench.campaign.plan import plan_run as plan_run
    from netopsbench.campaign.verbs import resume_run as resume_run
    from netopsbench.campaign.verbs import run_campaign as run_campaign
    from netopsbench.report.write import write_report as write_report
    from netopsbench.scoring.compare import compare_runs as compare_runs
    from netopsbench.scoring.run import score_run as score_run

_HOMES = {
    "RunRequest": "campaign.plan",
    "plan_run": "campaign.plan",
    "resume_run": "campaign.verbs",
    "run_campaign": "campaign.verbs",
    "write_report": "report.write",
    "compare_runs": "scoring.compare",
    "score_run": "scoring.run",
}

__all__ = ["RunRequest", "compare_runs", "plan_run", "resume_run", "run_campaign", "score_run", "write_report"]


def __getattr__(name: str) -> object:
    # Processes inside the sandbox import the package too, and must stay as light as the standard library.
    if name not in _HOMES:
        raise AttributeError(f"module 'netopsbench' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"netopsbench.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
