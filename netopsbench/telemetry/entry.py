"""What a store lets in: batches with the declared columns, names that every store can carry, times of this hour."""

from collections.abc import Sequence

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.telemetry.batch import Batch
from netopsbench.telemetry.influx_address import NAME
from netopsbench.telemetry.influx_names import measurement_of
from netopsbench.telemetry.tables import tables

FURTHEST_S = 3600.0
"""How far from now a record's time may lie: a time in another unit lies decades away."""


def check_entry(batches: Sequence[Batch], furthest_s: float = FURTHEST_S) -> None:
    """Raises InfraError("telemetry_failed") for the first thing that must not get in; then nothing may be stored."""
    for batch in batches:
        _check_columns(batch)
        _check_names(batch)
        _check_times(batch, furthest_s)


def _check_columns(batch: Batch) -> None:
    found = {name: column.type for name, column in batch.columns.items()}
    if found != tables().get(batch.kind):
        raise InfraError(
            "telemetry_failed", f"a batch of {batch.kind} records has other columns than that kind declares"
        )


def _check_names(batch: Batch) -> None:
    for column in measurement_of(batch.kind).tags:
        for text in batch.columns[column].texts:
            if text and not NAME.match(text):
                raise InfraError(
                    "telemetry_failed",
                    f"{batch.kind}.{column} is {text[:80]!r}; names are letters, digits and . _ : / @ + -",
                )


def _check_times(batch: Batch, furthest_s: float) -> None:
    if not batch.rows:
        return
    now, times = now_ns(), batch.columns["t_ns"].values
    for t_ns in (min(times), max(times)):
        if abs(t_ns - now) > furthest_s * 1e9:
            raise InfraError(
                "telemetry_failed",
                f"a {batch.kind} record has the time {t_ns}, more than {furthest_s:g} s from now; "
                "times are nanoseconds since 1970",
            )
