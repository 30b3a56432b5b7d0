"""`netopsbench fabric` as people type it, as whoever runs the tests and as an ordinary user."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from netopsbench.fabric.native.engine import NativeEngine

pytestmark = pytest.mark.live

Done = subprocess.CompletedProcess[str]
Typed = Callable[[Path, Sequence[str]], Done]


@pytest.fixture
def typed(engine: NativeEngine, tmp_path: Path) -> Typed:
    """Runs `netopsbench` in a directory, with a state folder of this test's own."""
    home = tmp_path / "home"
    software = Path(os.environ.get("NETOPSBENCH_HOME", Path.home() / ".local/share/netopsbench")) / "software"
    home.mkdir()
    if software.is_dir():
        (home / "software").symlink_to(software)

    def run(directory: Path, words: Sequence[str]) -> Done:
        return subprocess.run(
            [sys.executable, "-m", "netopsbench.cli.main", *words], capture_output=True, text=True, cwd=directory,
            env={**os.environ, "NETOPSBENCH_HOME": str(home)}, check=False, timeout=120,
        )  # fmt: skip

    return run


def test_a_fabric_is_found_again_shown_and_ended(typed: Typed, tmp_path: Path) -> None:
    up = typed(tmp_path, ["fabric", "up", "xs"])
    assert up.returncode == 0, up.stderr
    try:
        assert "up and converged" in up.stderr
        listed = json.loads(typed(tmp_path, ["fabric", "list", "--json"]).stdout)
        assert [(each["name"], each["switches"], each["clients"]) for each in listed] == [("xs", 4, 2)]
        shown = typed(tmp_path, ["fabric", "show", "xs", "--json"])
        assert shown.returncode == 0, shown.stderr
        health = json.loads(shown.stdout)
        assert health["missing"] == 0
        assert {node["sessions_up"] for node in health["nodes"] if node["role"] != "client"} == {2}
        summary = typed(tmp_path, ["fabric", "exec", "leaf1", "--", "vtysh", "-c", "show bgp summary"])
        assert "spine1" in summary.stdout
        failing = typed(tmp_path, ["fabric", "exec", "leaf1", "--", "sh", "-c", "echo out; exit 7"])
        assert (failing.returncode, failing.stdout) == (7, "out\n")
        again = typed(tmp_path, ["fabric", "up", "xs"])
        assert again.returncode == 2
        assert "fabric down xs" in again.stderr
    finally:
        down = typed(tmp_path, ["fabric", "down", "xs"])
    assert down.returncode == 0
    assert json.loads(typed(tmp_path, ["fabric", "list", "--json"]).stdout) == []


def test_a_fabric_that_is_not_well_is_said_so(typed: Typed, tmp_path: Path) -> None:
    assert typed(tmp_path, ["fabric", "up", "xs"]).returncode == 0
    try:
        typed(tmp_path, ["fabric", "exec", "leaf1", "--", "ip", "link", "set", "dev", "eth1", "down"])
        shown = typed(tmp_path, ["fabric", "show", "xs"])
        assert shown.returncode == 1
        assert "not well" in shown.stderr
        assert "eth1" in shown.stdout
    finally:
        typed(tmp_path, ["fabric", "down", "xs"])


def test_the_same_name_in_two_directories_is_two_fabrics(typed: Typed, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for directory in (here, there):
        directory.mkdir()
        assert typed(directory, ["fabric", "up", "xs"]).returncode == 0
    try:
        assert typed(here, ["fabric", "down", "xs"]).returncode == 0
        assert typed(there, ["fabric", "show", "xs"]).returncode == 0
        gone = typed(here, ["fabric", "show", "xs"])
        assert gone.returncode == 2
        assert "none runs here" in gone.stderr
    finally:
        assert typed(there, ["fabric", "down", "xs"]).returncode == 0


def test_an_ordinary_user_brings_a_fabric_up_and_down(
    as_ordinary_user: Callable[[Sequence[str]], Done], engine: NativeEngine
) -> None:
    command = [sys.executable, "-m", "netopsbench.cli.main"]
    assert as_ordinary_user([*command, "doctor", "--fix"]).returncode == 0
    up = as_ordinary_user([*command, "fabric", "up", "xs"])
    assert up.returncode == 0, up.stderr
    try:
        ping = as_ordinary_user(
            [*command, "fabric", "exec", "client1", "--", "ping", "-c", "2", "-i", "0.3", "192.168.102.2"]
        )
        assert ping.returncode == 0, ping.stdout
        assert as_ordinary_user([*command, "fabric", "show", "xs"]).returncode == 0
    finally:
        assert as_ordinary_user([*command, "fabric", "down", "xs"]).returncode == 0


def test_an_unknown_node_or_fabric_is_named_with_those_there_are(typed: Typed, tmp_path: Path) -> None:
    unknown = typed(tmp_path, ["fabric", "up", "exes"])
    assert unknown.returncode == 2
    assert "known names" in unknown.stderr
    assert "xs" in unknown.stderr
    assert "Traceback" not in unknown.stderr


@pytest.mark.parametrize("words", [["graph", "small"], ["export", "xs"], ["export", "xs", "--format", "dot"]])
def test_a_fabric_is_drawn_and_exported_without_running(typed: Typed, tmp_path: Path, words: list[str]) -> None:
    done = typed(tmp_path, ["fabric", *words])
    assert done.returncode == 0, done.stderr
    assert "leaf1" in done.stdout


def test_a_containerlab_export_binds_files_that_are_there(typed: Typed, tmp_path: Path) -> None:
    assert typed(tmp_path, ["fabric", "export", "xs", "--format", "containerlab", "--out", "lab"]).returncode == 0
    assert (tmp_path / "lab" / "xs.clab.yml").is_file()
    assert len(list((tmp_path / "lab").rglob("bgpd.conf"))) == 4
    again = typed(tmp_path, ["fabric", "export", "xs", "--format", "containerlab", "--out", "lab"])
    assert again.returncode == 2
    assert "not empty" in again.stderr
