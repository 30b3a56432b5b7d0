"""Faults made by hand on a running fabric: they are seen, listed and cleared, and mistakes are named."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from case_runs import netopsbench

from netopsbench.core.home import home

pytestmark = pytest.mark.live

HAS_ENDED_S = 10.0


@pytest.fixture
def own_state(engine: object, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """State files that no other test's command cleans up meanwhile; the software stays where it is."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "software").symlink_to(home() / "software")
    monkeypatch.setenv("NETOPSBENCH_HOME", str(folder))


@pytest.fixture
def here(own_state: None, tmp_path: Path) -> Iterator[Path]:
    """A directory in which a fabric runs."""
    done = netopsbench("fabric", "up", "xs", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    yield tmp_path
    netopsbench("fabric", "down", "xs", cwd=tmp_path)


def injected(here: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(netopsbench("fault", "list", "--json", cwd=here).stdout)["injected"]["xs"]
    return found


def test_a_fault_is_seen_written_down_cleared_and_gone(here: Path) -> None:
    made = netopsbench("fault", "inject", "link_down", "--at", "leaf1:eth1", "--variant", "admin", cwd=here)
    assert made.returncode == 0, made.stderr
    assert "interface eth1" in made.stderr
    assert "the witness sees it" in made.stderr
    assert injected(here) == [{"kind": "link_down", "at": "leaf1:eth1", "variant": "admin"}]
    ill = netopsbench("fabric", "show", "xs", cwd=here)
    assert ill.returncode == 1
    assert "leaf1" in ill.stderr
    mended = netopsbench("fault", "clear", cwd=here)
    assert mended.returncode == 0, mended.stderr
    assert "whole again" in mended.stderr
    assert injected(here) == []
    assert netopsbench("fabric", "show", "xs", cwd=here).returncode == 0


def test_parameters_are_options_or_assignments_and_one_of_two_faults_can_be_cleared(here: Path) -> None:
    route = ("blackhole_route", "--on", "leaf1", "--set", "prefix=192.168.102.0/30", "--variant=reject")
    first = netopsbench("fault", "inject", *route, cwd=here)
    assert first.returncode == 0, first.stderr
    cable = ("link_down", "--set", "at=leaf2:eth3", "--set", "variant=carrier")
    second = netopsbench("fault", "inject", *cable, cwd=here)
    assert "commanded" in second.stderr
    assert [each["kind"] for each in injected(here)] == ["blackhole_route", "link_down"]
    one = netopsbench("fault", "clear", "2", cwd=here)
    assert one.returncode == 0, one.stderr
    assert "still injected: blackhole_route --device leaf1" in one.stderr
    assert netopsbench("fault", "clear", "blackhole_route", cwd=here).returncode == 0
    assert injected(here) == []


@pytest.mark.parametrize("words", [("high_latency", "--delay-ms", "30"), ("link_flapping", "--down-s", "1")])
def test_a_fault_that_needs_a_process_outlives_the_command_and_ends_with_another(
    here: Path, words: tuple[str, ...]
) -> None:
    kind, *keys = words
    made = netopsbench("fault", "inject", kind, "--at", "leaf1:eth1", *keys, cwd=here)
    assert made.returncode == 0, made.stderr
    again = netopsbench("fault", "inject", kind, "--at", "leaf1:eth1", *keys, cwd=here)
    assert again.returncode == 2
    assert "it is injected already; undo it with: netopsbench fault clear 1" in again.stderr
    assert [each["kind"] for each in injected(here)] == [kind]
    mended = netopsbench("fault", "clear", cwd=here)
    assert mended.returncode == 0, mended.stderr
    assert "whole again" in mended.stderr


def test_an_effect_that_nobody_sees_is_said_and_the_fault_can_still_be_cleared(here: Path) -> None:
    done = netopsbench("fabric", "exec", "leaf1", "--", "mount", "--bind", "/usr/bin/true", "/usr/bin/vtysh", cwd=here)
    assert done.returncode == 0, done.stderr
    made = netopsbench("fault", "inject", "link_down", "--at", "leaf1:eth1", cwd=here)
    assert made.returncode == 1
    assert "effect_not_seen" in made.stderr
    assert "netopsbench fault clear" in made.stderr
    assert "Traceback" not in made.stderr
    assert len(injected(here)) == 1
    assert netopsbench("fault", "clear", cwd=here).returncode == 0
    assert injected(here) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nonsense",), "one of link_down"),
        (("link_down", "--at", "leaf9:eth1"), "leaf1"),
        (("link_down", "--at", "leaf1:eth77"), "leaf1 has the ports"),
        (("link_down", "--at", "leaf1"), "node:interface"),
        (("link_down",), "(missing)"),
        (("link_down", "--at"), "--key value"),
        (("link_down", "--at", "leaf1:eth1", "--colour", "red"), "there is no such key"),
        (("blackhole_route", "--on", "leaf1", "--set", "prefix"), "key=value"),
        (("blackhole_route", "--on", "leaf1", "--prefix", "192.168.101.0/30"), "other than leaf1"),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right_and_nothing_is_made(
    words: tuple[str, ...], said: str, shared: Path
) -> None:
    done = netopsbench("fault", "inject", *words, cwd=shared)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert injected(shared) == []


@pytest.fixture(scope="module")
def shared(engine: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory in which a fabric runs that no test breaks."""
    folder = tmp_path_factory.mktemp("shared")
    done = netopsbench("fabric", "up", "xs", cwd=folder)
    assert done.returncode == 0, done.stderr
    yield folder
    netopsbench("fabric", "down", "xs", cwd=folder)


def test_a_fault_without_a_fabric_says_how_to_go_on(tmp_path: Path) -> None:
    done = netopsbench("fault", "inject", "link_down", "--at", "leaf1:eth1", cwd=tmp_path)
    assert done.returncode == 2
    assert "no fabric runs here" in done.stderr


def test_every_fault_is_listed_with_its_definition_and_parameters(tmp_path: Path) -> None:
    listed = json.loads(netopsbench("fault", "list", "--json", cwd=tmp_path).stdout)
    by_name = {each["kind"]: each for each in listed["kinds"]}
    assert "--at leaf1:eth1" in by_name["link_down"]["parameters"]
    assert "discards" in by_name["blackhole_route"]["definition"]
    assert all(each["definition"] and each["parameters"] for each in listed["kinds"])


def test_the_state_file_of_a_killed_fabric_is_recognised_removed_and_said(here: Path) -> None:
    listed = json.loads(netopsbench("fabric", "list", "--json", cwd=here).stdout)
    os.kill(next(each["keeper_pid"] for each in listed if each["directory"] == str(here)), signal.SIGKILL)
    deadline = time.monotonic() + HAS_ENDED_S
    while True:
        done = netopsbench("fabric", "list", "--json", cwd=here)
        if str(here) not in done.stdout or time.monotonic() > deadline:
            break
    assert str(here) not in done.stdout
    assert f"xs (started in {here}) is no longer running; its stale state file is removed" in done.stderr
    gone = netopsbench("fabric", "show", "xs", cwd=here)
    assert gone.returncode == 2
    assert "fabric up xs" in gone.stderr
    again = netopsbench("fabric", "up", "xs", cwd=here)
    assert again.returncode == 0, again.stderr
