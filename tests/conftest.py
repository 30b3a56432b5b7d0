"""What all tests share: fabrics when this machine can run them, and running as an ordinary user."""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
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


@pytest.fixture(scope="session")
def programs() -> Programs:
    """Telegraf and InfluxDB; skips with the reason where they are missing, except in CI, which must have them."""
    try:
        return find_programs()
    except UnsupportedError:
        reason = run(
            ["sh", str(Path(__file__).parent / "services" / "build.sh"), "--check"], timeout_s=60
        ).stderr.strip()
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def telemetry_services(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A Telegraf and an InfluxDB that all tests share; whoever kills them starts their own."""
    with services_running(new_setup(tmp_path_factory.mktemp("services"), programs, keep_s=0)) as services:
        yield services


@pytest.fixture
def influx_address(telemetry_services: Services) -> InfluxAddress:
    """An empty bucket behind Telegraf that keeps points of any age."""
    address = telemetry_services.setup.address
    bucket = address.bucket.replace("netopsbench", f"test-{secrets.token_hex(4)}", 1)
    InfluxConnection(address).create_bucket(bucket, keep_s=0)
    return address.model_copy(update={"bucket": bucket})
