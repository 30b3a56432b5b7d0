"""Trials as a Parquet file, for programs that read tables by columns."""

import json
import tempfile
from pathlib import Path

import duckdb

from netopsbench.report.tables import COLUMNS, trial_rows
from netopsbench.scoring.run import ScoredRun

PARQUET = "trials.parquet"
_TYPES = {
    **dict.fromkeys(COLUMNS, "VARCHAR"),
    **dict.fromkeys(("confidence", "strict", "paper", "cost_usd"), "DOUBLE"),
    **dict.fromkeys(("agent_time_s", "tool_time_s", "infra_time_s"), "DOUBLE"),
    **dict.fromkeys(("repeat", "tool_calls", "attempts"), "INTEGER"),
    **dict.fromkeys(("input_tokens", "cached_input_tokens", "output_tokens"), "BIGINT"),
    **dict.fromkeys(("was_question_asked", "is_detected", "is_device_right"), "BOOLEAN"),
    **dict.fromkeys(("is_interface_right", "is_type_right"), "BOOLEAN"),
}


def write_parquet(run: ScoredRun, run_folder: Path) -> Path:
    """The columns and rows of `trials.csv` with their types; NULL is unknown or doesn't apply.

    Raises OSError when it can't be written.
    """
    target = run_folder / PARQUET
    # Beside its place, so that a reader finds the old file or the whole new one.
    with tempfile.TemporaryDirectory(dir=run_folder, prefix=".parquet.") as folder:
        rows, made = Path(folder) / "rows.json", Path(folder) / PARQUET
        with rows.open("w", encoding="utf-8") as lines:
            lines.writelines(f"{json.dumps(row)}\n" for row in trial_rows(run))
        try:
            _convert(rows, made)
        except duckdb.Error as error:
            raise OSError(None, str(error).partition("\n")[0], str(target)) from error
        made.replace(target)
    return target


def _convert(rows: Path, made: Path) -> None:
    columns = ", ".join(f"'{name}': '{type_}'" for name, type_ in _TYPES.items())
    # An extension would be fetched over the network.
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(config=settings) as connection:
        read = f"read_json($rows, format = 'newline_delimited', columns = {{{columns}}})"
        connection.execute(f"CREATE TABLE trials AS SELECT * FROM {read}", {"rows": str(rows)})
        connection.execute("COPY trials TO $made (FORMAT parquet)", {"made": str(made)})
