"""What docker compose makes of the containers' file: the library inside it reads the file and the variables."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from netopsbench.core.files import data_root
from netopsbench.core.process import Completed, run
from netopsbench.telemetry.services.containers import RETENTION, SECRETS, write_variables

FILE = data_root("collectors") / "compose.yaml"


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in `compose_model`; skips with the reason where it can't be built, except in CI, which must."""
    program = tmp_path_factory.mktemp("compose") / "compose_model"
    source = Path(__file__).parent / "compose_model"
    reason = "the compose file can't be read as docker does: Go 1.24 or newer is missing"
    if shutil.which("go"):
        done = run(["go", "build", "-C", str(source), "-buildvcs=false", "-o", str(program), "."], timeout_s=240)
        reason = f"the compose file can't be read as docker does: {done.stderr.strip()[-300:]}"
    if not program.exists() and os.environ.get("CI"):
        pytest.fail(reason)
    if not program.exists():
        pytest.skip(reason)
    return program


@pytest.fixture
def variables(tmp_path: Path) -> Path:
    return write_variables(tmp_path / "compose.env", keep_days=7)


@pytest.fixture
def project(reader: Path, variables: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(reader, FILE, variables).stdout)
    return found


def read(reader: Path, file: Path, variables: Path) -> Completed:
    return run([str(reader), str(file), str(variables)], timeout_s=30)


def written(variables: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in variables.read_text().splitlines())


def environment(project: dict[str, Any], service: str) -> dict[str, str]:
    found: dict[str, str] = project["services"][service]["environment"]
    return found


def test_every_port_is_bound_to_the_loopback_address(project: dict[str, Any]) -> None:
    ports = [port for service in project["services"].values() for port in service["ports"]]
    assert {port["host_ip"] for port in ports} == {"127.0.0.1"}
    assert sorted(port["published"] for port in ports) == ["3000", "6514", "8086", "8186"]


def test_no_container_has_the_hosts_network_or_more_rights_than_it_needs(project: dict[str, Any]) -> None:
    for service in project["services"].values():
        assert set(service["networks"]) == {"default"}
        assert not {"network_mode", "privileged", "cap_add", "devices", "pid"} & set(service)


def test_what_is_mounted_is_there_and_can_only_be_read(project: dict[str, Any]) -> None:
    mounts = [mount for service in project["services"].values() for mount in service["volumes"]]
    binds = [mount for mount in mounts if mount["type"] == "bind"]
    assert len(binds) == 3
    assert all(Path(mount["source"]).exists() and mount["read_only"] for mount in binds)


def test_secrets_reach_those_who_need_them_and_nobody_else(project: dict[str, Any], variables: Path) -> None:
    secret = written(variables)
    token = secret["NETOPSBENCH_INFLUX_TOKEN"]
    holders = {
        value: sorted((name, key) for name in project["services"] for key in environment(project, name)
                      if environment(project, name)[key] == value)
        for value in secret.values()
    }  # fmt: skip
    assert holders == {
        token: [("grafana", "INFLUX_TOKEN"), ("influxdb", "DOCKER_INFLUXDB_INIT_ADMIN_TOKEN"),
                ("telegraf", "INFLUX_TOKEN")],
        secret["NETOPSBENCH_TELEGRAF_TOKEN"]: [("telegraf", "TELEGRAF_TOKEN")],
        secret["NETOPSBENCH_INFLUX_PASSWORD"]: [("influxdb", "DOCKER_INFLUXDB_INIT_PASSWORD")],
        secret["NETOPSBENCH_GRAFANA_PASSWORD"]: [("grafana", "GF_SECURITY_ADMIN_PASSWORD")],
        secret[RETENTION]: [("influxdb", "DOCKER_INFLUXDB_INIT_RETENTION")],
    }  # fmt: skip


@pytest.mark.parametrize("name", [*SECRETS, RETENTION])
@pytest.mark.parametrize("value", [None, ""], ids=["missing", "empty"])
def test_nothing_starts_without_a_variable_which_is_named(
    reader: Path, variables: Path, name: str, value: str | None
) -> None:
    kept = {**written(variables), name: value}
    variables.write_text("".join(f"{key}={text}\n" for key, text in kept.items() if text is not None))
    done = read(reader, FILE, variables)
    assert (done.returncode, done.stdout) == (1, "")
    assert set(re.findall(r"required variable (\w+)", done.stderr)) == {name}
    assert "run netopsbench telemetry up --compose" in done.stderr


def test_telegraf_and_grafana_find_every_variable_that_their_files_name(project: dict[str, Any]) -> None:
    asked = re.findall(r"\$\{(\w+)\}", (FILE.parent / "telegraf.conf").read_text())
    assert set(asked) == set(environment(project, "telegraf"))
    source = (FILE.parent / "grafana" / "provisioning" / "datasources" / "influxdb.yaml").read_text()
    assert set(re.findall(r"\$(\w+)", source)) <= set(environment(project, "grafana"))


def test_all_three_mean_the_same_server_organization_and_bucket(project: dict[str, Any]) -> None:
    influxdb, telegraf = environment(project, "influxdb"), environment(project, "telegraf")
    provisioned = yaml.safe_load(
        (FILE.parent / "grafana" / "provisioning" / "datasources" / "influxdb.yaml").read_text()
    )
    (source,) = provisioned["datasources"]
    made = (influxdb["DOCKER_INFLUXDB_INIT_ORG"], influxdb["DOCKER_INFLUXDB_INIT_BUCKET"])
    assert (telegraf["INFLUX_ORG"], telegraf["INFLUX_BUCKET"]) == made
    assert (source["jsonData"]["organization"], source["jsonData"]["defaultBucket"]) == made
    assert source["url"] == telegraf["INFLUX_URL"] == "http://influxdb:8086"


@pytest.mark.parametrize(
    ("service", "wrong", "named"),
    [
        ("telegraf", {"port": ["127.0.0.1:1:1"]}, "port"),
        ("grafana", {"restart": 5}, "restart"),
        ("influxdb", {"healthcheck": {"try": 3}}, "try"),
        ("grafana", {"depends_on": ["influx"]}, "undefined service"),
        ("influxdb", {"volumes": ["nowhere:/data"]}, "undefined volume"),
    ],
)
def test_a_mistake_in_the_file_would_be_noticed(
    reader: Path, variables: Path, tmp_path: Path, service: str, wrong: dict[str, Any], named: str
) -> None:
    mistaken = yaml.safe_load(FILE.read_text())
    mistaken["services"][service].update(wrong)
    file = tmp_path / "compose.yaml"
    file.write_text(yaml.safe_dump(mistaken))
    done = read(reader, file, variables)
    assert done.returncode == 1
    assert service in done.stderr
    assert named in done.stderr
