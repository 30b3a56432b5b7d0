"""The containers: no default password, points kept for a time, volumes with names, versions that tests run."""

import re
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.files import data_root
from netopsbench.telemetry.influx_address import parse_influx
from netopsbench.telemetry.services.containers import command_line_address, write_variables

TESTED = {"telegraf": "telegraf", "influxdb": "influxdb2"}
"""Services of the file, and what the script that builds them for tests calls their versions."""


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((data_root("collectors") / "compose.yaml").read_text())
    return found


def test_a_service_waits_for_one_that_is_there_and_says_when_it_is_healthy() -> None:
    services = compose()["services"]
    waited_for = {name for service in services.values() for name in service.get("depends_on", {})}
    assert waited_for == {name for name, service in services.items() if "healthcheck" in service}


def test_every_named_volume_is_declared_and_used() -> None:
    found = compose()
    mounts = [mount.partition(":")[0] for service in found["services"].values() for mount in service["volumes"]]
    assert {name for name in mounts if not name.startswith("./")} == set(found["volumes"])


def test_no_secret_has_a_default_and_nothing_starts_without_it() -> None:
    settings = {
        name: value
        for service in compose()["services"].values()
        for name, value in service["environment"].items()
        if name.endswith(("PASSWORD", "TOKEN", "RETENTION"))
    }
    assert len(settings) == 6
    assert all(value.startswith("${") and ":?" in value for value in settings.values())


def test_volumes_have_names_and_images_have_versions() -> None:
    found = compose()
    assert all(volume["name"].startswith("netopsbench-") for volume in found["volumes"].values())
    assert all(":" in service["image"] and "latest" not in service["image"] for service in found["services"].values())


def test_files_that_containers_mount_are_shipped() -> None:
    mounts = [mount for service in compose()["services"].values() for mount in service["volumes"]]
    shipped = [mount.partition(":")[0] for mount in mounts if mount.startswith("./")]
    assert len(shipped) == 3
    assert all((data_root("collectors") / path).exists() for path in shipped)


def test_secrets_are_made_once_and_kept_for_this_user_only(tmp_path: Path) -> None:
    path = tmp_path / "compose.env"
    first = write_variables(path, keep_days=7).read_text()
    second = write_variables(path, keep_days=30).read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert first.splitlines()[:4] == second.splitlines()[:4]
    assert len({line.partition("=")[2] for line in first.splitlines()}) == 5
    assert (first.splitlines()[4], second.splitlines()[4]) == (
        "NETOPSBENCH_INFLUX_RETENTION=168h",
        "NETOPSBENCH_INFLUX_RETENTION=720h",
    )


def test_secrets_under_their_former_names_are_kept_because_the_volumes_keep_them(tmp_path: Path) -> None:
    path = tmp_path / "compose.env"
    path.write_text("INFLUX_PASSWORD=p\nINFLUX_TOKEN=t=\nTELEGRAF_TOKEN=g\nGRAFANA_PASSWORD=w\nINFLUX_RETENTION=24h\n")
    kept = [
        "NETOPSBENCH_INFLUX_PASSWORD=p",
        "NETOPSBENCH_INFLUX_TOKEN=t=",
        "NETOPSBENCH_TELEGRAF_TOKEN=g",
        "NETOPSBENCH_GRAFANA_PASSWORD=w",
        "NETOPSBENCH_INFLUX_RETENTION=168h",
    ]
    for _ in range(2):
        assert write_variables(path, keep_days=7).read_text().splitlines() == kept


def test_a_secret_under_its_name_of_today_counts_before_a_former_one(tmp_path: Path) -> None:
    path = tmp_path / "compose.env"
    path.write_text("INFLUX_TOKEN=former\nNETOPSBENCH_INFLUX_TOKEN=of today\n")
    assert "NETOPSBENCH_INFLUX_TOKEN=of today" in write_variables(path, keep_days=7).read_text().splitlines()


def test_every_variable_that_the_containers_ask_for_is_written(tmp_path: Path) -> None:
    text = (data_root("collectors") / "compose.yaml").read_text()
    asked = {part.partition(":?")[0] for part in text.split("${")[1:]}
    written = write_variables(tmp_path / "compose.env", 7).read_text()
    assert asked == {line.partition("=")[0] for line in written.splitlines()}


def test_the_file_of_secrets_gives_the_tokens_of_the_address(tmp_path: Path) -> None:
    text = write_variables(tmp_path / "compose.env", keep_days=7).read_text()
    written = dict(line.split("=", 1) for line in text.splitlines())
    address = parse_influx(command_line_address(), written)
    assert (address.has_telegraf, address.token) == (True, written["NETOPSBENCH_INFLUX_TOKEN"])
    assert address.write_token == written["NETOPSBENCH_TELEGRAF_TOKEN"]


def test_images_are_of_the_versions_that_tests_run() -> None:
    script = (Path(__file__).parents[2] / "services" / "build.sh").read_text()
    tested = {name: re.search(rf"^{word}=(\S+)$", script, re.M) for name, word in TESTED.items()}
    for name, found in tested.items():
        assert found is not None
        assert compose()["services"][name]["image"] == f"{name}:{found[1].rpartition('.')[0]}"


def test_docker_without_its_compose_plugin_is_told_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho \"docker: 'compose' is not a docker command\" >&2\nexit 1\n")
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path / "home"))
    done = CliRunner().invoke(app, ["telemetry", "up", "--compose"])
    assert done.exit_code == 1
    assert "docker's compose plugin is missing" in done.stderr
    assert "docker compose --file" in done.stdout
