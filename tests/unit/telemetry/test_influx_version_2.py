"""What is different with InfluxDB 2.x, against a server that answers like one."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.services import running
from netopsbench.telemetry.services.programs import Programs
from netopsbench.telemetry.services.setup import Setup, influxdb_command, new_setup


class Server(ThreadingHTTPServer):
    def __init__(self, setup_status: int, version: str, token: str | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: dict[str, dict[str, Any]] = {}
        self.setup_status, self.version, self.token = setup_status, version, token


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        if self.path == "/ping":
            self.reply(204, {})
        elif self.server.token not in (None, self.headers["Authorization"].removeprefix("Token ")):
            self.reply(401, {"code": "unauthorized", "message": "unauthorized access"})
        elif self.path.startswith("/api/v2/orgs"):
            self.reply(200, {"orgs": [{"id": "0123456789abcdef", "name": "netopsbench"}]})
        else:
            self.reply(200, {"buckets": [{"name": "netopsbench"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies[self.path.partition("?")[0]] = body
        refused = {"code": "conflict", "message": "onboarding has already been completed"}
        is_setup = self.path == "/api/v2/setup"
        self.reply(self.server.setup_status if is_setup else 201, refused if self.server.setup_status > 400 else body)

    def reply(self, status: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode() if body else b""
        self.send_response(status)
        self.send_header("X-Influxdb-Version", self.server.version)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def answering(setup_status: int = 201, version: str = "v2.7.12", token: str | None = None) -> Iterator[Server]:
    """A server that is of this version and takes this token only; None: any."""
    server = Server(setup_status, version, token)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def set_up(folder: Path, port: int) -> Setup:
    programs = Programs(telegraf="/bin/telegraf", influxd="/bin/influxd", influxdb_version="2.7.12")
    return new_setup(folder, programs, keep_s=3600).model_copy(update={"influxdb_port": port})


def test_a_bucket_belongs_to_the_organization_that_the_address_names() -> None:
    with answering() as server:
        url = f"http://127.0.0.1:{server.server_port}"
        with closing(InfluxConnection(InfluxAddress(url=url, write_url=url, token="t"))) as connection:
            assert not connection.is_version_1()
            connection.create_bucket("netopsbench-1", keep_s=60)
        made = server.bodies["/api/v2/buckets"]
    assert (made["name"], made["orgID"]) == ("netopsbench-1", "0123456789abcdef")
    assert made["retentionRules"] == [{"type": "expire", "everySeconds": 60}]


def test_a_server_of_version_3_is_refused_by_name() -> None:
    with answering(version="3.4.0") as server:
        url = f"http://127.0.0.1:{server.server_port}"
        with (
            closing(InfluxConnection(InfluxAddress(url=url, write_url=url, token="t"))) as connection,
            pytest.raises(InfraError, match=r"is version 3\.4\.0; InfluxDB 1\.8 or newer, or 2\.x, is needed"),
        ):
            connection.is_version_1()


def test_the_first_start_makes_user_token_and_bucket_at_once(tmp_path: Path) -> None:
    with answering() as server:
        setup = set_up(tmp_path, server.server_port)
        running.first_use(setup)
        asked = server.bodies["/api/v2/setup"]
    assert (asked["token"], asked["bucket"], asked["retentionPeriodSeconds"]) == (setup.token, "netopsbench", 3600)
    assert (setup.bucket, ":" in setup.token) == ("netopsbench", False)


def test_a_later_start_finds_it_done(tmp_path: Path) -> None:
    with answering(setup_status=422) as server:
        running.first_use(set_up(tmp_path, server.server_port))


def test_a_later_start_with_another_token_is_named(tmp_path: Path) -> None:
    with (
        answering(setup_status=422, token="of the first start") as server,
        pytest.raises(InfraError, match=r"InfluxDB can't be set up: 401 .*unauthorized access"),
    ):
        running.first_use(set_up(tmp_path, server.server_port))


def test_a_set_up_that_fails_is_named(tmp_path: Path) -> None:
    with answering(setup_status=500) as server, pytest.raises(InfraError, match="InfluxDB can't be set up: 500"):
        running.first_use(set_up(tmp_path, server.server_port))


def test_it_listens_on_the_loopback_address_and_reports_nothing_home(tmp_path: Path) -> None:
    argv, _ = influxdb_command(set_up(tmp_path, 8086))
    assert argv[argv.index("--http-bind-address") + 1] == "127.0.0.1:8086"
    assert "--reporting-disabled" in argv
