"""`netopsbench telemetry` from the outside."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from points import BRISK, sessions

from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.services import state
from netopsbench.telemetry.services.programs import Programs


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, and a folder to work in whose settings are none of InfluxDB's business."""
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path))
    (tmp_path / "config.yaml").write_text("{ not for InfluxDB")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def in_path(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Telegraf and InfluxDB where the commands find them."""
    for program in (programs.telegraf, programs.influxd):
        monkeypatch.setenv("PATH", str(Path(program).parent), prepend=os.pathsep)
    return programs


def telemetry(*words: str) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, "-m", "netopsbench.cli.main", "telemetry", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


def test_services_are_started_used_found_and_stopped(in_path: Programs, home: Path) -> None:
    try:
        done = telemetry("up")
        assert (done.returncode, done.stdout) == (0, "")
        services = state.load()
        assert services is not None
        assert services.setup.programs == in_path
        said = json.loads(telemetry("status", "--json").stdout)
        assert (said["running"], said["influxdb"]["pid"]) == (True, services.influxdb.pid)
        assert services.setup.password not in json.dumps(said) + done.stderr

        again = telemetry("up")
        assert (again.returncode, "they run already" in again.stderr) == (2, True)

        address = state.influx_of("influx://")
        assert address is not None
        with closing(InfluxStore(address, BRISK)) as store:
            store.append(sessions(3))
        found = json.loads(telemetry("query", "bgp_neighbor", "--where", "source=leaf1", "--json").stdout)
        assert [record["source"] for record in found] == ["leaf1"]
        quiet = telemetry("query", "log_line")
        assert "collectors said 0 times" in quiet.stderr

        assert telemetry("down").returncode == 0
        assert telemetry("status").returncode == 1
        assert not services.influxdb.is_running
        assert not services.telegraf.is_running

        other = telemetry("up", "--keep-days", "30")
        assert (other.returncode, "is kept for 7 days" in other.stderr) == (2, True)
        assert telemetry("up").returncode == 0
        assert len(json.loads(telemetry("query", "bgp_neighbor", "--json").stdout)) == 3
    finally:
        gone = telemetry("down", "--delete")
    assert gone.returncode == 0
    assert not state.folder().exists()


def test_tokens_are_not_in_any_command_line_and_nothing_listens_outside(in_path: Programs, home: Path) -> None:
    try:
        assert telemetry("up").returncode == 0
        services = state.load()
        assert services is not None
        for service in (services.influxdb, services.telegraf):
            command_line = Path(f"/proc/{service.pid}/cmdline").read_text()
            assert services.setup.password not in command_line
            assert services.setup.write_token not in command_line
            assert set(listening(service.pid)) == {"0100007F"}
    finally:
        telemetry("down", "--delete")


def test_a_first_start_that_fails_leaves_no_files_whose_tokens_are_lost(
    in_path: Programs, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = home / "bin" / "telegraf"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho no such plugin >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent), prepend=os.pathsep)
    done = telemetry("up")
    assert (done.returncode, "Telegraf ended at its start: no such plugin" in done.stderr) == (1, True)
    assert not (state.folder() / "influxdb").exists()


def test_files_of_an_influxdb_whose_tokens_are_lost_are_named_and_kept(in_path: Programs, home: Path) -> None:
    left = state.folder() / "influxdb"
    left.mkdir(parents=True)
    done = telemetry("up")
    assert (done.returncode, str(left) in done.stderr.replace("\n", "")) == (2, True)
    assert left.exists()


def listening(pid: int) -> list[str]:
    """Addresses on which sockets of the process listen, as the kernel writes them."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    inodes = {link[8:-1] for link in links if link.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes and fields[3] in ("0A", "07"):
                found.append(fields[1].partition(":")[0])
    return found


def test_without_services_the_way_to_them_is_told(home: Path) -> None:
    asked = telemetry("query", "probe")
    assert (asked.returncode, "netopsbench telemetry up" in asked.stderr) == (2, True)
    assert telemetry("status").returncode == 1
    assert telemetry("down").returncode == 0


def test_without_programs_their_names_and_sources_are_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.setenv("PATH", "/nowhere")
    done = telemetry("up")
    assert done.returncode == 1
    assert "Telegraf and InfluxDB not found" in done.stderr
    assert "tests/services/build.sh" in done.stderr


def test_without_docker_the_command_for_the_containers_is_printed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = telemetry("up", "--compose")
    assert done.returncode == 1
    assert done.stdout.startswith("docker compose --file ")
    assert (state.folder() / "compose.env").exists()


def test_mistakes_in_conditions_are_named_together(in_path: Programs, home: Path) -> None:
    try:
        assert telemetry("up").returncode == 0
        asked = telemetry("query", "bgp_neighbor", "--where", "asn", "--where", "asn=many")
        assert asked.returncode == 2
        assert "FIELD=VALUE" in asked.stderr
        assert "whole number" in asked.stderr
    finally:
        telemetry("down", "--delete")
