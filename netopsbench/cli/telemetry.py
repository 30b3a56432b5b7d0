"""`netopsbench telemetry`: Telegraf and InfluxDB of one's own, and what is stored in them."""

import json
import shlex
import shutil
import time
from contextlib import ExitStack
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.cli.numbers import count, seconds
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.core.clock import as_seconds, now_ns
from netopsbench.core.errors import InfraError, Problem, SpecError, UnsupportedError
from netopsbench.core.files import data_root
from netopsbench.core.process import run
from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_version import major_version
from netopsbench.telemetry.services import containers, state
from netopsbench.telemetry.services.programs import find_programs
from netopsbench.telemetry.services.running import Services, start_services, stop
from netopsbench.telemetry.services.setup import Setup, kept_setup, new_setup
from netopsbench.telemetry.tables import Where, checked_query, tables

telemetry = typer.Typer(help="Telegraf and InfluxDB on this machine, and what is stored in them.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
_DAY_S = 24 * 3600
_KEEP_DAYS = 7
_MOST_DAYS = 3650
_COMPOSE_TIMEOUT_S = 600.0
_DOCKER_ANSWERS_S = 20.0


@telemetry.command()
@plainly
def up(
    keep_days: Annotated[int | None, count("How long InfluxDB keeps points; at first 7.", most=_MOST_DAYS)] = None,
    compose: Annotated[bool, typer.Option("--compose", help="As containers, with Grafana.")] = False,
) -> None:
    """Start Telegraf and InfluxDB (1.8 or newer, or 2.x), for this machine only, with tokens of their own."""
    if compose:
        _compose_up(keep_days or _KEEP_DAYS)
        return
    started, before = time.monotonic(), state.load()
    if before is not None and before.influxdb.is_running and before.telegraf.is_running:
        raise SpecError([Problem("telemetry up", "", "", "they run already; see: netopsbench telemetry status")])
    setup = _chosen_setup(before, keep_days)
    with ExitStack() as undoing:
        if before is None:
            # Its tokens are written down once both run; until then nobody could use again what InfluxDB made.
            undoing.callback(shutil.rmtree, setup.files, ignore_errors=True)
        services = start_services(setup)
        undoing.callback(stop, services.influxdb)
        undoing.callback(stop, services.telegraf)
        state.save(services)
        undoing.pop_all()
    address = setup.address
    note(f"Telegraf ({address.write_url}) and InfluxDB ({address.url}) are up after {time.monotonic() - started:.1f} s")
    note("use them with: --telemetry influx://")


@telemetry.command()
@plainly
def down(
    delete: Annotated[bool, typer.Option("--delete", help="Delete what is stored, too.")] = False,
) -> None:
    """Stop Telegraf and InfluxDB; what is stored stays, unless it is to be deleted."""
    services = state.load()
    if services is None:
        note("nothing to stop: no services were started")
        return
    for service in (services.telegraf, services.influxdb):
        was_running = service.is_running
        stop(service)
        note(f"{service.name} is stopped" if was_running else f"{service.name} was not running")
    if delete:
        state.forget()
        shutil.rmtree(services.setup.folder)
        note(f"{services.setup.folder} is deleted")


@telemetry.command()
@plainly
def status(as_json: AsJson = False) -> None:
    """Whether Telegraf and InfluxDB run, and where. Exit code 1 when one of them doesn't."""
    services = state.load()
    if as_json:
        print(json.dumps(_facts(services), indent=2))
    elif services is None:
        note("no services were started; start them: netopsbench telemetry up")
    else:
        table = Table("service", "running", "PID", "address")
        facts = services.setup.address
        for service, url in ((services.telegraf, facts.write_url), (services.influxdb, facts.url)):
            table.add_row(service.name, "yes" if service.is_running else "no", str(service.pid), url)
        Console().print(table)
        note(f"bucket {facts.bucket}; tokens and logs are in {services.setup.folder}")
    if services is None or not (services.influxdb.is_running and services.telegraf.is_running):
        raise typer.Exit(FAILED)


@telemetry.command()
@plainly
def query(
    kind: Annotated[str, typer.Argument(help=f"Kind of record: {', '.join(tables())}.")],
    source: Annotated[
        str, typer.Option("--telemetry", help="influx://HOST:PORT/BUCKET; influx:// alone for the services of `up`.")
    ] = state.OURS,
    last_s: Annotated[float, seconds("Look back so many seconds.", most=_MOST_DAYS * _DAY_S)] = 600,
    where: Annotated[list[str] | None, typer.Option(help="FIELD=VALUE; give it again for more.")] = None,
    limit: Annotated[int, count("Show the newest so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Stored records of one kind, oldest first."""
    address = state.influx_of(source)
    if address is None:
        wanted = "an address like influx://…; the embedded store of a trial is asked by its tools"
        raise SpecError([Problem("telemetry query", "telemetry", source, wanted)])
    now = now_ns()
    window = Window(since_ns=now - int(last_s * 1e9), until_ns=now)
    found = _read(address, kind, window, _conditions(kind, where or []))
    if not found:
        health = _read(address, "collector_health", window, None)
        # No record may mean a quiet network or a dead collector; only the collectors' own word tells the two apart.
        note(
            f"no such record in the last {last_s:g} s; collectors said {len(health)} times in it that they were at work"
        )
    shown = found[-limit:]
    if len(found) > len(shown):
        note(f"the newest {len(shown)} of {len(found)}; --limit shows more")
    if as_json:
        print(json.dumps([record.model_dump() for record in shown], indent=2))
    elif shown:
        Console().print(_record_table(shown))


def _chosen_setup(before: Services | None, keep_days: int | None) -> Setup:
    """A new set-up, or that of last time, with whatever is left of it stopped."""
    programs = find_programs()
    if before is None:
        setup = new_setup(state.folder(), programs, (keep_days or _KEEP_DAYS) * _DAY_S)
        if setup.files.exists():
            wanted = "files of an InfluxDB whose tokens are lost; move this folder away, or delete it"
            raise SpecError([Problem("telemetry up", "", str(setup.files), wanted)])
        return setup
    was, now = before.setup.programs.influxdb_version, programs.influxdb_version
    if major_version(was) != major_version(now):
        wanted = (
            f"InfluxDB {now} can't read what {was} stored; put that version first in PATH, "
            "or delete what is stored: netopsbench telemetry down --delete"
        )
        raise SpecError([Problem("telemetry up", "influxd", programs.influxd, wanted)])
    kept_days = before.setup.keep_s // _DAY_S
    if keep_days not in (None, kept_days):
        wanted = f"what is stored is kept for {kept_days} days; to change that: netopsbench telemetry down --delete"
        raise SpecError([Problem("telemetry up", "keep-days", str(keep_days), wanted)])
    stop(before.telegraf)
    stop(before.influxdb)
    return kept_setup(before.setup, programs)


def _read(address: InfluxAddress, kind: str, window: Window, where: Where | None) -> list[Record]:
    try:
        # influxdb-client is an extra, and importing it takes a third of a second.
        from netopsbench.telemetry.influx_query import read_records
    except ModuleNotFoundError as missing:
        raise UnsupportedError(f"{missing.name} is missing; install it: pip install 'netopsbench[influx]'") from missing
    return read_records(address, kind, window, where)


def _conditions(kind: str, texts: list[str]) -> Where:
    """`FIELD=VALUE` texts as conditions with values of the fields' types."""
    pairs = [text.partition("=") for text in texts]
    problems = [
        Problem("telemetry query", "where", text, "write FIELD=VALUE")
        for text, (_, equals, _) in zip(texts, pairs, strict=True)
        if not equals
    ]
    columns = tables().get(kind, {})
    wanted: dict[str, str | int] = {}
    for name, _, value in pairs:
        wanted[name] = value
        if columns.get(name) in ("whole", "flag"):
            number = {"true": "1", "false": "0"}.get(value, value)
            if not number.lstrip("-").isdigit():
                problems.append(Problem("telemetry query", f"where {name}", value, "a whole number, true or false"))
            else:
                wanted[name] = int(number)
    if problems:
        raise SpecError(problems)
    return checked_query(kind, wanted)


def _record_table(records: list[Record]) -> Table:
    names = [name for name in type(records[0]).model_fields if name not in ("kind", "t_ns", "rtt_ms_by_port")]
    table = Table("time", *names)
    for record in records:
        clock = time.strftime("%H:%M:%S", time.localtime(as_seconds(record.t_ns)))
        values = ["–" if getattr(record, name) is None else str(getattr(record, name)) for name in names]
        table.add_row(f"{clock}.{record.t_ns % 10**9 // 10**6:03d}", *values)
    return table


def _facts(services: Services | None) -> dict[str, object]:
    if services is None:
        return {"running": False}
    address = services.setup.address
    return {
        "running": services.influxdb.is_running and services.telegraf.is_running,
        "influxdb": {"running": services.influxdb.is_running, "pid": services.influxdb.pid, "url": address.url},
        "telegraf": {"running": services.telegraf.is_running, "pid": services.telegraf.pid, "url": address.write_url},
        "bucket": address.bucket,
        "folder": str(services.setup.folder),
    }


def _compose_up(keep_days: int) -> None:
    """Write the containers' variables and start them, or say how where Docker is missing."""
    file = data_root("collectors") / "compose.yaml"
    variables = containers.write_variables(state.folder() / "compose.env", keep_days)
    argv = ["docker", "compose", "--file", str(file), "--env-file", str(variables), "up", "--detach", "--wait"]
    missing = _missing_of_docker()
    if missing:
        note(f"{missing} is missing here; where it is installed, start the containers with:")
        print(shlex.join(argv))
        raise typer.Exit(FAILED)
    done = run(argv, timeout_s=_COMPOSE_TIMEOUT_S)
    if not done.is_ok:
        raise InfraError("telemetry_failed", f"docker compose failed: {done.stderr.strip()[-500:]}")
    note(f"Grafana is at http://127.0.0.1:3000 (user admin); the passwords are in {variables}")
    note(f"use the store with: --telemetry '{containers.command_line_address()}'")
    note(f"its tokens for this shell: set -a; . {shlex.quote(str(variables))}; set +a")


def _missing_of_docker() -> str:
    """What of Docker isn't installed; empty when all is there."""
    if shutil.which("docker") is None:
        return "docker"
    # Without the plugin docker takes `compose` for a mistake and prints its whole usage.
    return "" if run(["docker", "compose", "version"], timeout_s=_DOCKER_ANSWERS_S).is_ok else "docker's compose plugin"
