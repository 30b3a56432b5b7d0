"""The wheel, installed with its dependencies into a clean environment, brings the quickstart to a scored report."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ORDINARY_UID = 65534
ROOT = Path(__file__).resolve().parents[2]
Done = subprocess.CompletedProcess[str]
Runner = Callable[[Sequence[str]], Done]

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture
def someone(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Runner, Path]:
    """Runs commands as an ordinary user in a home of its own; as oneself when that isn't root."""
    become: list[str] = []
    home = tmp_path
    if os.geteuid() == 0:
        home = request.getfixturevalue("ordinary_home")
        become = ["setpriv", f"--reuid={ORDINARY_UID}", f"--regid={ORDINARY_UID}", "--clear-groups"]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def run(argv: Sequence[str]) -> Done:
        return subprocess.run(
            [*become, *argv], cwd=home, env=environment, capture_output=True, text=True, check=False, timeout=1200
        )

    return run, home


def test_the_installed_wheel_runs_the_quickstart_as_an_ordinary_user(someone: tuple[Runner, Path]) -> None:
    run, home = someone
    built = home / "built"
    built.mkdir(mode=0o755)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    wheel = next(built.glob("*.whl"))
    wheel.chmod(0o644)
    assert run([sys.executable, "-m", "venv", "--without-pip", "venv"]).returncode == 0
    python = str(home / "venv" / "bin" / "python")
    fetched = run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", str(wheel)])
    assert fetched.returncode == 0, fetched.stderr
    netopsbench = str(home / "venv" / "bin" / "netopsbench")

    version = run([netopsbench, "--version"]).stdout.split()
    assert version == ["netopsbench", zipfile.Path(wheel).root.filename.rpartition("/")[2].split("-")[1]]
    doctor = run([netopsbench, "doctor", "--json"])
    assert json.loads(doctor.stdout), doctor.stderr

    done = run([netopsbench, "quickstart", "--out", "run"])
    assert done.returncode == 0, done.stderr
    report = json.loads((home / "run" / "report.json").read_text())
    assert report["agents"][0]["agent"] == "baseline"
    assert report["agents"][0]["strict"]["value"] > 0.8
    assert (home / "run" / "report.html").stat().st_size > 10_000
