"""Telegraf and InfluxDB as processes: started, found again by PID and start time, stopped."""

import contextlib
import http.client
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.native.handle import start_time
from netopsbench.telemetry.services.setup import (
    BUCKET,
    LOOPBACK,
    ORG,
    USER,
    Setup,
    influxdb_command,
    telegraf_command,
)

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0
CALL_TIMEOUT_S = 10.0


class Service(Model):
    """One running process."""

    name: str
    pid: int
    start: int
    """Its start time in clock ticks since boot: a PID alone may have been given to another process."""

    @property
    def is_running(self) -> bool:
        return start_time(self.pid) == self.start


class Services(Model):
    """Both, and what they were started with."""

    setup: Setup
    influxdb: Service
    telegraf: Service


def start_services(setup: Setup) -> Services:
    """Start InfluxDB, make user and bucket, start Telegraf. Raises InfraError("telemetry_failed"); nothing is left."""
    with ExitStack() as undoing:
        influxdb = start_influxdb(setup)
        undoing.callback(stop, influxdb)
        first_use(setup)
        telegraf = start_telegraf(setup)
        undoing.pop_all()
    return Services(setup=setup, influxdb=influxdb, telegraf=telegraf)


def start_influxdb(setup: Setup) -> Service:
    """Start InfluxDB and wait until it answers. Raises InfraError("telemetry_failed")."""
    return _start("InfluxDB", influxdb_command(setup), setup, lambda: _call(setup, "GET", "/ping")[0] == 204)


def start_telegraf(setup: Setup) -> Service:
    """Start Telegraf and wait until it listens. Raises InfraError("telemetry_failed")."""
    return _start("Telegraf", telegraf_command(setup), setup, lambda: _listens(setup.telegraf_port))


@contextmanager
def services_running(setup: Setup) -> Iterator[Services]:
    """Both for the block."""
    services = start_services(setup)
    try:
        yield services
    finally:
        stop(services.telegraf)
        stop(services.influxdb)


def stop(service: Service) -> None:
    """Ask the process to end, and end it by force when that takes too long. Nothing happens when it isn't there."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if not service.is_running:
            break
        os.kill(service.pid, signal_number)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while service.is_running and time.monotonic() < deadline:
            time.sleep(0.02)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(service.pid, os.WNOHANG)


def last_words(setup: Setup, name: str) -> str:
    """The last line of a service's log."""
    try:
        lines = _log(setup, name).read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""


def _log(setup: Setup, name: str) -> Path:
    return setup.folder / f"{name.lower()}.log"


def _start(
    name: str, command: tuple[Sequence[str], Mapping[str, str]], setup: Setup, is_ready: Callable[[], bool]
) -> Service:
    argv, variables = command
    setup.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    service = _spawned(name, argv, {"PATH": os.defpath, "HOME": str(setup.folder), **variables}, _log(setup, name))
    deadline = time.monotonic() + START_TIMEOUT_S
    with ExitStack() as undoing:
        undoing.callback(stop, service)
        while not is_ready():
            if not service.is_running:
                raise InfraError("telemetry_failed", f"{name} ended at its start: {last_words(setup, name)}")
            if time.monotonic() > deadline:
                raise InfraError("telemetry_failed", f"{name} does not answer after {START_TIMEOUT_S:g} s")
            time.sleep(0.05)
        undoing.pop_all()
    return service


def _spawned(name: str, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> Service:
    """Start a process in a session of its own, so that it outlives this one and hears no Ctrl-C."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    try:
        pid = os.posix_spawn(argv[0], list(argv), dict(environment), file_actions=actions, setsid=True)
    except OSError as error:
        raise InfraError("telemetry_failed", f"{name} can't be started from {argv[0]}: {error.strerror}") from error
    return Service(name=name, pid=pid, start=start_time(pid) or 0)


def _listens(port: int) -> bool:
    with socket.socket() as peer:
        peer.settimeout(1)
        return peer.connect_ex((LOOPBACK, port)) == 0


def first_use(setup: Setup) -> None:
    """Make the user and the bucket, unless an earlier start made them."""
    if not setup.is_version_1:
        wanted: dict[str, str | int] = {
            "username": USER,
            "password": setup.password,
            "token": setup.token,
            "org": ORG,
            "bucket": BUCKET,
            "retentionPeriodSeconds": setup.keep_s,
        }
        _expect(setup, "POST", "/api/v2/setup", json.dumps(wanted))
        # Where it was done before, it may have been done with another token.
        _expect(setup, "GET", "/api/v2/buckets")
        return
    for statement in (
        f"CREATE USER {USER} WITH PASSWORD '{setup.password}' WITH ALL PRIVILEGES",
        f'CREATE DATABASE "{BUCKET}" WITH DURATION {setup.keep_s}s NAME "autogen"',
    ):
        _expect(setup, "POST", "/query", urlencode({"q": statement}))


def _expect(setup: Setup, method: str, path: str, body: str | None = None) -> None:
    status, said = _call(setup, method, path, body)
    is_done_already = status == 422 and "already" in said
    if not is_done_already and (status not in (200, 201) or '"error"' in said):
        raise InfraError("telemetry_failed", f"InfluxDB can't be set up: {status} {said[:300]}")


def _call(setup: Setup, method: str, path: str, body: str | None = None) -> tuple[int, str]:
    """Status and text of an answer; status 0 when there is none."""
    connection = http.client.HTTPConnection(LOOPBACK, setup.influxdb_port, timeout=CALL_TIMEOUT_S)
    kind = "application/json" if path.startswith("/api") else "application/x-www-form-urlencoded"
    # A fresh InfluxDB asks for no token, whatever it gets.
    headers = {"Content-Type": kind, "Authorization": f"Token {setup.token}"}
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except OSError as error:
        return 0, str(error)
    finally:
        connection.close()
