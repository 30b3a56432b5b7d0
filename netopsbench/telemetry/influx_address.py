"""Where an InfluxDB is, and the Telegraf in front of it: `influx://…` as the user writes it, and taken apart."""

import os
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model

SCHEMES = {"influx": "http", "influxs": "https"}
DEFAULT_PORT = 8086
OPTIONS = ("telegraf", "org", "topology_id")
TOKEN_VARIABLE = "NETOPSBENCH_INFLUX_TOKEN"
TELEGRAF_TOKEN_VARIABLE = "NETOPSBENCH_TELEGRAF_TOKEN"
ADDRESS_VARIABLE = "NETOPSBENCH_INFLUX_ADDRESS"
"""Hands an `InfluxAddress` to another process as JSON; a command line would show the tokens to the whole machine."""
BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)?\Z")
NAME = re.compile(r"[A-Za-z0-9_.:/@+-]+\Z")
"""What a name may consist of that becomes a tag: line protocol breaks at blanks, commas, equals signs, quotes,
backslashes and line ends."""
_FORM = "write influx://HOST:PORT/BUCKET?telegraf=http://HOST:PORT"


class InfluxAddress(Model):
    """An InfluxDB of version 1.8 or newer, or 2.x, and where to write to."""

    url: str
    """Of InfluxDB, where queries go."""
    write_url: str
    """Of Telegraf's listener; InfluxDB's own when there is no Telegraf."""
    token: str = ""
    """For InfluxDB; in 1.x `user:password`."""
    write_token: str = ""
    bucket: str = ""
    """In 1.x `database/retention-policy`; empty: a new bucket for each store."""
    org: str = "netopsbench"
    """Version 1.x ignores it."""
    topology_id: str = "default"

    @property
    def has_telegraf(self) -> bool:
        return self.write_url != self.url


def parse_influx(text: str, environment: Mapping[str, str] | None = None) -> InfluxAddress:
    """The address that `influx://…` names; tokens are best left to the environment, where no process list shows them.

    Raises SpecError with every mistake.
    """
    known = os.environ if environment is None else environment
    parts = urlsplit(text)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    bucket = unquote(parts.path).strip("/")
    problems = [*_problems(text, parts, bucket), *_option_problems(options)]
    if problems:
        raise SpecError(problems)
    url = f"{SCHEMES[parts.scheme]}://{_host(parts)}:{parts.port or DEFAULT_PORT}"
    token = known.get(TOKEN_VARIABLE, "") or _token(parts)
    telegraf = options.get("telegraf", "").rstrip("/")
    return InfluxAddress(
        url=url,
        write_url=telegraf or url,
        token=token,
        write_token=known.get(TELEGRAF_TOKEN_VARIABLE, "") if telegraf else token,
        bucket=bucket,
        org=options.get("org", "netopsbench"),
        topology_id=options.get("topology_id", "default"),
    )


def _problems(text: str, parts: SplitResult, bucket: str) -> list[Problem]:
    # The whole text may hold a password, so messages quote parts of it only.
    problems = []
    if parts.scheme not in SCHEMES:
        problems.append(Problem("telemetry", "", text.partition("://")[0], f"duckdb, or an address: {_FORM}"))
    if not parts.hostname or not _port_is_right(parts):
        problems.append(Problem("telemetry", "host", parts.netloc.rpartition("@")[2], _FORM))
    if bucket and not BUCKET.match(bucket):
        problems.append(
            Problem("telemetry", "bucket", bucket, "a bucket is NAME or, in InfluxDB 1.x, DATABASE/RETENTION-POLICY")
        )
    return problems


def _option_problems(options: Mapping[str, str]) -> list[Problem]:
    problems = [
        Problem("telemetry", name, value, f"there is no such option; known options: {', '.join(OPTIONS)}")
        for name, value in options.items()
        if name not in OPTIONS
    ]
    telegraf = options.get("telegraf")
    if telegraf is not None and not re.match(r"https?://[^/?#@]+/?\Z", telegraf):
        problems.append(Problem("telemetry", "telegraf", telegraf, "an address like http://127.0.0.1:8186"))
    topology_id = options.get("topology_id")
    if topology_id is not None and not NAME.match(topology_id):
        problems.append(Problem("telemetry", "topology_id", topology_id, "letters, digits and . _ : / @ + -"))
    return problems


def _port_is_right(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _token(parts: SplitResult) -> str:
    """`user:password@` is a 1.x token; `:token@` one of 2.x."""
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return f"{user}:{password}" if user and password else password or user
