"""The containers: no default password, loopback only, points kept for a time, volumes with names."""

import copy
import json
import os
import stat
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.files import data_root
from netopsbench.telemetry.influx_address import parse_influx
from netopsbench.telemetry.services.containers import command_line_address, write_variables


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((data_root("collectors") / "compose.yaml").read_text())
    return found


@pytest.fixture(scope="module")
def published() -> Any:
    """Checks against the newest schema in the Go module cache, where `go mod download` puts it."""
    cache = Path(os.environ.get("GOMODCACHE") or Path.home() / "go" / "pkg" / "mod")
    found = sorted(cache.glob("github.com/compose-spec/compose-go/v2@*/schema/compose-spec.json"))
    if not found:
        pytest.skip("no compose schema; `go mod download github.com/compose-spec/compose-go/v2@latest` gets it")
    schema = json.loads(found[-1].read_text())
    return jsonschema.validators.validator_for(schema)(schema)


def test_the_file_meets_the_published_schema(published: Any) -> None:
    assert [f"{list(error.path)}: {error.message}" for error in published.iter_errors(compose())] == []


@pytest.mark.parametrize(
    ("service", "wrong"),
    [("telegraf", {"port": ["127.0.0.1:1:1"]}), ("grafana", {"restart": 5}), ("influxdb", {"healthcheck": {"try": 3}})],
)
def test_the_published_schema_would_notice_a_mistake(published: Any, service: str, wrong: dict[str, Any]) -> None:
    mistaken = copy.deepcopy(compose())
    mistaken["services"][service].update(wrong)
    assert {tuple(error.path)[:2] for error in published.iter_errors(mistaken)} == {("services", service)}


def test_a_service_waits_for_one_that_is_there_and_says_when_it_is_healthy() -> None:
    services = compose()["services"]
    waited_for = {name for service in services.values() for name in service.get("depends_on", {})}
    assert waited_for == {name for name, service in services.items() if "healthcheck" in service}


def test_every_named_volume_is_declared_and_used() -> None:
    found = compose()
    mounts = [mount.partition(":")[0] for service in found["services"].values() for mount in service["volumes"]]
    assert {name for name in mounts if not name.startswith("./")} == set(found["volumes"])


def test_every_port_is_bound_to_the_loopback_address() -> None:
    ports = [port for service in compose()["services"].values() for port in service["ports"]]
    assert len(ports) == 4
    assert all(port.startswith("127.0.0.1:") for port in ports)


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
    assert (first.splitlines()[4], second.splitlines()[4]) == ("INFLUX_RETENTION=168h", "INFLUX_RETENTION=720h")


def test_every_variable_that_the_containers_ask_for_is_written(tmp_path: Path) -> None:
    text = (data_root("collectors") / "compose.yaml").read_text()
    asked = {part.partition(":?")[0] for part in text.split("${")[1:]}
    written = write_variables(tmp_path / "compose.env", 7).read_text()
    assert asked == {line.partition("=")[0] for line in written.splitlines()}


def test_the_address_of_the_containers_is_one() -> None:
    assert parse_influx(command_line_address(), {}).has_telegraf


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
