"""The services of this user that `netopsbench telemetry up` started, written down until they are stopped."""

from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.core.home import home
from netopsbench.telemetry.influx_address import InfluxAddress, parse_influx
from netopsbench.telemetry.services.running import Services

EMBEDDED = "duckdb"
OURS = "influx://"


def folder() -> Path:
    """Where the services have their files, logs and state."""
    return home() / "telemetry"


def save(services: Services) -> None:
    """Write the state file, which holds the tokens and is readable for this user only."""
    write_atomic(_path(), services.model_dump_json(indent=2))


def load() -> Services | None:
    """What was started last and not stopped; its processes may have ended meanwhile."""
    try:
        return Services.model_validate_json(_path().read_bytes())
    except (OSError, ValidationError):
        # Never written, or by another version: without a readable state there is nothing to stop.
        return None


def forget() -> None:
    """Remove the state file."""
    _path().unlink(missing_ok=True)


def influx_of(telemetry: str) -> InfluxAddress | None:
    """The InfluxDB that the option `--telemetry` means; None for the embedded store.

    `influx://` alone means the services that `netopsbench telemetry up` started. Raises SpecError.
    """
    if telemetry == EMBEDDED:
        return None
    if telemetry != OURS:
        return parse_influx(telemetry)
    services = load()
    if services is None or not (services.influxdb.is_running and services.telegraf.is_running):
        raise SpecError(
            [
                Problem(
                    "telemetry",
                    "",
                    telemetry,
                    "no services run; start them: netopsbench telemetry up, or name a server",
                )
            ]
        )
    return services.setup.address


def _path() -> Path:
    return folder() / "services.json"
