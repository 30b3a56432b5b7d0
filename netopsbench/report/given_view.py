"""What the pages of tickets and of tasks say alike."""

from netopsbench.records.conditions import Conditions
from netopsbench.report.run_view import replayed_note


def notes_of(conditions: Conditions, unfinished: tuple[int, int] | None) -> list[str]:
    """What a reader must know first; `unfinished`: of a run that hasn't ended the trials that are there, and all."""
    notes = [] if conditions.replayed is None else [replayed_note(conditions.replayed)]
    if unfinished is not None:
        notes.append(f"The run has not ended: {unfinished[0]} of {unfinished[1]} trials are there.")
    accepted = [change for sitting in conditions.sittings for change in sitting.accepted_changes]
    return [*notes, *(f"Accepted when the run was resumed: {change}." for change in accepted)]
