"""What all tests share: fabrics when this machine can run them, and running as an ordinary user."""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.process import run
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.services.programs import Programs, find_programs
from netopsbench.telemetry.services.running import Services, services_running
from netopsbench.telemetry.services.setup import new_setup

ORDINARY_UID = 65534
Ordinary = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def engine() -> NativeEngine:
    """The native engine; skips with the reason where this machine can't run it."""
    try:
        return NativeEngine(fetch_software(print))
    except UnsupportedError as reason:
        pytest.skip(f"no fabrics here: {reason}")


@pytest.fixture(scope="session")
def ordinary_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home for the ordinary user, with the routing software fetched once."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("running as an ordinary user can only be set up by root with setpriv")
    # pytest's own temporary folders are closed to other users.
    home = Path("/var/tmp") / f"ordinary-{os.getpid()}"
    home.mkdir(mode=0o755)
    os.chown(home, ORDINARY_UID, ORDINARY_UID)
    yield home
    shutil.rmtree(home)


@pytest.fixture
def as_ordinary_user(ordinary_home: Path) -> Ordinary:
    """Runs a command as an ordinary user without sudo, in a clean environment and an own home."""
    if not os.access(sys.executable, os.X_OK) or "/root/" in str(Path(sys.executable).resolve()):
        pytest.skip("this Python lies in root's home, where an ordinary user can't reach it")

    def run(argv: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        become = ["setpriv", f"--reuid={ORDINARY_UID}", f"--regid={ORDINARY_UID}", "--clear-groups"]
        environment = {"HOME": str(ordinary_home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        return subprocess.run(
            [*become, *argv],
            capture_output=True,
            text=True,
            env=environment,
            cwd=ordinary_home,
            check=False,
            timeout=240,
        )

    return run


def built(*words: str) -> Programs:
    """What the build script made; skips with its reason where it made nothing, except in CI, which must have it."""
    done = run(["sh", str(Path(__file__).parent / "services" / "build.sh"), *words, "--check"], timeout_s=60)
    if not done.is_ok and os.environ.get("CI"):
        pytest.fail(done.stderr.strip())
    if not done.is_ok:
        pytest.skip(done.stderr.strip())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", done.stdout.strip(), prepend=os.pathsep)
        return find_programs()


@pytest.fixture(scope="session")
def programs_1() -> Programs:
    """Telegraf and InfluxDB as this machine has them; the build script makes a 1.x."""
    try:
        return find_programs()
    except UnsupportedError:
        return built()


@pytest.fixture(scope="session")
def programs_2(programs_1: Programs) -> Programs:
    """The same Telegraf, and an InfluxDB 2.x, whose building takes so long that only slow tests ask for it."""
    return built("influxdb2").model_copy(update={"telegraf": programs_1.telegraf})


@pytest.fixture(scope="session")
def services_1(programs_1: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A Telegraf and an InfluxDB that all tests share; whoever kills them starts their own."""
    with services_running(new_setup(tmp_path_factory.mktemp("services"), programs_1, keep_s=0)) as services:
        yield services


@pytest.fixture(scope="session")
def services_2(programs_2: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The same with InfluxDB 2.x."""
    with services_running(new_setup(tmp_path_factory.mktemp("services"), programs_2, keep_s=0)) as services:
        yield services


def empty_bucket(services: Services) -> InfluxAddress:
    address = services.setup.address
    bucket = address.bucket.replace("netopsbench", f"test-{secrets.token_hex(4)}", 1)
    with closing(InfluxConnection(address)) as connection:
        connection.create_bucket(bucket, keep_s=0)
    return address.model_copy(update={"bucket": bucket})


@pytest.fixture
def influx_1_address(services_1: Services) -> InfluxAddress:
    """An empty bucket behind Telegraf that keeps points of any age."""
    return empty_bucket(services_1)


@pytest.fixture
def influx_2_address(services_2: Services) -> InfluxAddress:
    """The same in InfluxDB 2.x."""
    return empty_bucket(services_2)


@pytest.fixture(scope="session", params=["1", pytest.param("2", marks=pytest.mark.slow)], ids="InfluxDB {}.x".format)
def influxdb(request: pytest.FixtureRequest) -> str:
    """The version with which a test is run: both, where it takes `programs` or anything of theirs."""
    version: str = request.param
    return version


@pytest.fixture(scope="session")
def programs(influxdb: str, request: pytest.FixtureRequest) -> Programs:
    found: Programs = request.getfixturevalue(f"programs_{influxdb}")
    return found


@pytest.fixture(scope="session")
def telemetry_services(influxdb: str, request: pytest.FixtureRequest) -> Services:
    found: Services = request.getfixturevalue(f"services_{influxdb}")
    return found


@pytest.fixture
def influx_address(influxdb: str, request: pytest.FixtureRequest) -> InfluxAddress:
    address: InfluxAddress = request.getfixturevalue(f"influx_{influxdb}_address")
    return address
