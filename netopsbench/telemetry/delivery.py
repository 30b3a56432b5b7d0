"""Whether all that the prober and the collectors were told is stored can be read back."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.collecting import PollReport
from netopsbench.telemetry.pingmesh import EpochReport


class Counting(Protocol):
    """A store that counts what it holds."""

    def counts(self, window: Window | None = None) -> dict[str, int]: ...


def prove_delivery(
    store: Counting,
    epochs: Sequence[EpochReport],
    polls: Sequence[PollReport],
    windows: Mapping[str, Window],
) -> None:
    """Compare what the store acknowledged with what it holds, in each window by its name, and in all.

    Raises InfraError("telemetry_failed") with the counts when they differ. Both sorts of reports must have been taken
    before the call: what is stored since then isn't missed.
    """
    for name, window in windows.items():
        inside = [each for each in epochs if window.since_ns <= each.started_ns and each.ended_ns <= window.until_ns]
        acknowledged, stored = sum(each.rows for each in inside), store.counts(window)["probe"]
        if stored != acknowledged:
            raise InfraError(
                "telemetry_failed",
                f"{acknowledged} Pingmesh records of the {name} window were acknowledged in {len(inside)} epochs, "
                f"and {stored} are stored",
            )
    # An epoch has a record of its collector's health beside its rows; those of a poll are among its rows.
    acknowledged = sum(each.rows + 1 for each in epochs) + sum(each.rows for each in polls)
    stored = sum(store.counts().values())
    if stored < acknowledged:
        raise InfraError(
            "telemetry_failed",
            f"{acknowledged} records were acknowledged in {len(epochs)} epochs and {len(polls)} polls, "
            f"and {stored} are stored",
        )
