"""The netem path of wire faults, in a user-mode kernel that has netem whatever this machine's kernel lacks."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import netem_kernel
import pytest

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import find_software

pytestmark = pytest.mark.live

DEADLINE_S = 240
MODULES = Path("/usr/lib/uml/modules")
SENT = netem_kernel.PROBES
Steps = dict[str, Any]


@pytest.fixture(scope="module")
def steps(engine: NativeEngine, tmp_path_factory: pytest.TempPathFactory) -> Steps:
    """What was measured in the user-mode kernel, by step."""
    program, modules = shutil.which("linux.uml"), sorted(MODULES.glob("*"))
    if program is None or not modules:
        pytest.skip("no kernel with netem: the package user-mode-linux is not installed")
    first = tmp_path_factory.mktemp("kernel") / "init"
    first.write_text(first_process(modules[-1]))
    first.chmod(0o755)
    options = ["rootfstype=hostfs", "rootflags=/", "ro", "mem=192M", "con=null", "con0=null,fd:1", f"init={first}"]
    # When its first process ends, so does the kernel, and says so with a failure.
    done = subprocess.run(
        [program, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=DEADLINE_S
    )
    assert netem_kernel.DONE in done.stdout, done.stdout[-3000:]
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"step"'))
    return {line["step"]: line for line in lines}


def first_process(modules: Path) -> str:
    """A script that finds the fabrics' own programs where they are."""
    software = find_software()
    root = software.root if software else None
    folders = [f"{root}/{folder}" for folder in ("usr/sbin", "usr/bin", "sbin", "bin")] if root else []
    path = ":".join([*folders, "/usr/sbin", "/usr/bin", "/sbin", "/bin"])
    libraries = ":".join(map(str, root.glob("usr/lib/*-linux-gnu"))) if root else ""
    return (
        "#!/bin/sh\n"
        f"export PATH='{path}' LD_LIBRARY_PATH='{libraries}'\n"
        f"'{sys.executable}' -B '{Path(netem_kernel.__file__).resolve()}' '{modules}'\n"
    )


def missing_pct(step: dict[str, Any]) -> float:
    return 100 * (SENT - step["there"]["arrived"]) / SENT


def test_a_cable_without_fault_has_no_qdisc_and_loses_nothing(steps: Steps) -> None:
    for name in ("laid", "mended"):
        assert "netem" not in steps[name]["qdiscs"]
        assert steps[name]["there"]["arrived"] == steps[name]["back"]["arrived"] == SENT


@pytest.mark.parametrize(("step", "share_pct"), [("loss_pct", 30), ("corruption_pct", 25), ("both", 30)])
def test_a_share_is_missing_one_way_and_nothing_the_other_way(steps: Steps, step: str, share_pct: float) -> None:
    # Six standard deviations of 1,000 probes.
    assert missing_pct(steps[step]) == pytest.approx(share_pct, abs=8.7)
    assert steps[step]["back"]["arrived"] == SENT


def test_damage_is_counted_by_the_far_node(steps: Steps) -> None:
    assert steps["corruption_pct"]["there"]["damaged"] > SENT / 10
    assert steps["loss_pct"]["there"]["damaged"] == 0


def test_a_delay_holds_every_packet_it_is_sized_for(steps: Steps) -> None:
    step = steps["delay_ms"]
    assert "limit 6000" in step["qdiscs"]
    assert step["there"]["arrived"] == SENT
    assert step["there"]["there_ms"] >= 118
    assert step["back"]["there_ms"] < step["there"]["there_ms"]
    assert "0 overrun" in step["shown"]
    assert step["complaint"] == ""


def test_several_faults_of_one_port_hold_together(steps: Steps) -> None:
    assert "delay 120ms" in steps["both"]["qdiscs"]
    assert "loss 30%" in steps["both"]["qdiscs"]
    assert steps["both"]["there"]["there_ms"] >= 118


def test_a_delay_that_loses_packets_is_told(steps: Steps) -> None:
    assert "for want of room" in steps["too small"]["complaint"]
