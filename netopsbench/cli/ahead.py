"""Runs of tickets and tasks, given one after the other: what is told before they begin, and which trial it is."""

from collections.abc import Sequence
from pathlib import Path

from netopsbench.campaign.contestants import is_unpaid
from netopsbench.cli.speak import note
from netopsbench.records.answers import Budget
from netopsbench.report.text import duration

Given = Sequence[tuple[str, str]]
"""What is given, by its id, and where."""


def tell_ahead(given: Given, agents: Sequence[str], what: str, folder: Path) -> None:
    """The first line of a run, on stderr; `what` is one of the things that are given."""
    places = ", ".join(dict.fromkeys(place for _, place in given))
    trials = len(given) * len(dict.fromkeys(agents))
    note(
        f"{_counted(trials, 'trial')}: {_counted(len(given), what)} on {places}, agent {', '.join(agents)}, in {folder}"
    )


def show_ahead(given: Given, agents: Sequence[str], what: str, budget: Budget, *, is_replayed: bool = False) -> None:
    """The trials on stdout, what they would take on stderr."""
    names = tuple(dict.fromkeys(agents))
    # On stderr, so that whoever reads stdout gets the trials alone.
    note(f"{what:<36} {'on':<24} agent")
    for name, place in given:
        for agent in names:
            print(f"{name:<36} {place:<24} {agent}")
    trials = len(given) * len(names)
    cost = "none, no agent here calls a model" if all(map(is_unpaid, names)) else "unknown before the run"
    on_top = "" if is_replayed else "; starting, breaking and restoring networks comes on top"
    agents_s = duration(trials * budget.wall_time_s)
    note(
        f"{_counted(trials, 'trial')}, one after the other: "
        f"the agents may take up to {agents_s} together{on_top}; cost: {cost}"
    )


def numbered(number: int, planned: int) -> str:
    """Which trial it is, before what became of it."""
    return f"[{number:>{len(str(planned))}}/{planned}]"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
