"""The secrets and settings that collectors/compose.yaml asks for."""

import secrets
from pathlib import Path

from netopsbench.core.files import write_atomic

SECRETS = ("INFLUX_PASSWORD", "INFLUX_TOKEN", "TELEGRAF_TOKEN", "GRAFANA_PASSWORD")


def write_variables(path: Path, keep_days: int) -> Path:
    """Write a file for `docker compose --env-file`, readable for this user only; secrets it holds already stay."""
    known = dict(line.split("=", 1) for line in _lines(path) if "=" in line)
    wanted = {name: known.get(name) or secrets.token_urlsafe(24) for name in SECRETS}
    wanted["INFLUX_RETENTION"] = f"{keep_days * 24}h"
    write_atomic(path, "".join(f"{name}={value}\n" for name, value in wanted.items()))
    return path


def command_line_address() -> str:
    """What `--telemetry` takes for the containers."""
    return "influx://127.0.0.1:8086/netopsbench?telegraf=http://127.0.0.1:8186"


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
