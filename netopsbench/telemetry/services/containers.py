"""The secrets and settings that collectors/compose.yaml asks for."""

import secrets
from collections.abc import Mapping
from pathlib import Path

from netopsbench.core.files import write_atomic
from netopsbench.telemetry.influx_address import TELEGRAF_TOKEN_VARIABLE, TOKEN_VARIABLE

# Docker lets a variable of the shell win over the file's. Names as other programs have them, such as INFLUX_TOKEN,
# might be set there to something else; with the tokens' own names here the store is asked with the same ones.
SECRETS = ("NETOPSBENCH_INFLUX_PASSWORD", TOKEN_VARIABLE, TELEGRAF_TOKEN_VARIABLE, "NETOPSBENCH_GRAFANA_PASSWORD")
RETENTION = "NETOPSBENCH_INFLUX_RETENTION"
_PREFIX = "NETOPSBENCH_"


def write_variables(path: Path, keep_days: int) -> Path:
    """Write a file for `docker compose --env-file`, readable for this user only; secrets it holds already stay."""
    known = dict(line.split("=", 1) for line in _lines(path) if "=" in line)
    wanted = {name: _kept(name, known) or secrets.token_urlsafe(24) for name in SECRETS}
    wanted[RETENTION] = f"{keep_days * 24}h"
    write_atomic(path, "".join(f"{name}={value}\n" for name, value in wanted.items()))
    return path


def command_line_address() -> str:
    """What `--telemetry` takes for the containers."""
    return "influx://127.0.0.1:8086/netopsbench?telegraf=http://127.0.0.1:8186"


def _kept(name: str, known: Mapping[str, str]) -> str:
    """A secret that the file holds already; empty when there is none.

    It may be there under its former name, INFLUX_TOKEN: the volumes were set up with it and take no other.
    """
    return known.get(name) or known.get(name.removeprefix(_PREFIX), "")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
