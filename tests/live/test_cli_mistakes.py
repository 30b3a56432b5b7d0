"""What users get wrong, and what their machine lacks: a clear message each, and never a traceback."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from case_runs import COMMAND, NULL_ROUTE, campaign_of, netopsbench, written

from netopsbench.scoring.run import score_run

pytestmark = pytest.mark.live

Ordinary = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]
Done = "subprocess.CompletedProcess[str]"


def refused(done: Done, code: int, *said: str) -> None:
    """It ended with this exit code and these words, on stderr and without a traceback."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    for words in said:
        assert words in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fabric", "up", "huge"), ("'huge'", "known names", "xs")),
        (("fabric", "up", "./gone.yaml"), ("gone.yaml", "no file")),
        (("fabric", "down", "xs"), ("'xs'", "none runs here")),
        (("fabric", "exec", "leaf1", "--", "true"), ("no fabric runs here",)),
        (("quickstart", "--campaign", "world-cup"), ("'world-cup'", "known names", "quickstart")),
        (("quickstart", "--agent", "smith"), ("'smith'", "known agents", "baseline")),
        (("quickstart", "--agent", "smith", "--agent", "jones"), ("'smith'", "'jones'")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    words: tuple[str, ...], said: tuple[str, ...], tmp_path: Path
) -> None:
    refused(netopsbench(*words, cwd=tmp_path), 2, *said)


def test_three_mistakes_of_a_fabric_file_are_told_at_once(tmp_path: Path) -> None:
    spec = tmp_path / "lab.yaml"
    spec.write_text("name: lab\ntopology: {kind: clos, spines: 0, leaves: 2, clients: 3}\nmtu: big\n")
    done = netopsbench("fabric", "up", "lab.yaml", cwd=tmp_path)
    refused(done, 2)
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    for line, (key, value, wanted) in zip(
        sorted(lines),
        [("mtu", "'big'", "a whole number"), ("topology.clients", "'3'", "no such key"),
         ("topology.spines", "'0'", "at least 1")],
        strict=True,
    ):  # fmt: skip
        assert line.startswith(f"netopsbench: lab.yaml: {key} ")
        assert value in line
        assert wanted in line


def test_three_mistakes_of_a_campaign_file_are_told_at_once(tmp_path: Path) -> None:
    keys = campaign_of({**NULL_ROUTE, "fault_type": "gremlins"}, {**NULL_ROUTE, "parameters": {"variant": "null9"}})
    keys["scales"] = ["tiny"]
    done = netopsbench("quickstart", "--campaign", str(written(keys, tmp_path / "bad.yaml")), cwd=tmp_path)
    refused(done, 2, "'gremlins'", "'null9'", "'tiny'")
    assert all(line.startswith("netopsbench: ") and "bad.yaml: " in line for line in done.stderr.splitlines())


def test_a_file_that_is_not_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text("name: lab\ntopology: [\n")
    refused(netopsbench("fabric", "up", "lab.yaml", cwd=tmp_path), 2, "lab.yaml: line 3")


def test_without_the_routing_software_the_way_to_it_is_told(tmp_path: Path) -> None:
    if Path("/usr/lib/frr/bgpd").exists():
        pytest.skip("this system has FRR of its own")
    bare = {"NETOPSBENCH_HOME": str(tmp_path / "home"), "PATH": str(tmp_path)}
    refused(netopsbench("fabric", "up", "xs", cwd=tmp_path, env=bare), 1, "netopsbench doctor --fix")
    refused(netopsbench("quickstart", cwd=tmp_path, env=bare), 1, "Install frr, bubblewrap")
    doctor = netopsbench("doctor", cwd=tmp_path, env=bare)
    refused(doctor, 1)
    assert "MISSING" in doctor.stdout
    assert not (tmp_path / "runs").exists()


# Inside a user namespace of its own the limit can be set without touching the host's.
POWERLESS = ("unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c",
             'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"', "sh")  # fmt: skip


def test_without_user_namespaces_an_ordinary_user_is_sent_to_the_doctor(
    engine: object, as_ordinary_user: Ordinary
) -> None:
    assert as_ordinary_user([sys.executable, "-c", "from netopsbench.fabric.native.software import fetch_software\n"
                             "fetch_software(print)"]).returncode == 0  # fmt: skip
    refused(as_ordinary_user([*POWERLESS, *COMMAND, "fabric", "up", "xs"]), 2, "namespaces", "netopsbench doctor")
    doctor = as_ordinary_user([*POWERLESS, *COMMAND, "doctor"])
    refused(doctor, 1)
    assert "user namespace" in doctor.stdout


@pytest.mark.parametrize("place", ["/proc/runs", "/dev/null/runs"])
def test_a_folder_that_cannot_be_made_is_named(place: str, engine: object, tmp_path: Path) -> None:
    refused(netopsbench("quickstart", "--out", place, cwd=tmp_path), 2, place)


def test_a_folder_that_holds_a_run_already_is_left_alone(engine: object, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("precious")
    refused(netopsbench("quickstart", "--out", str(tmp_path), cwd=tmp_path), 2, str(tmp_path), "--out")
    assert (tmp_path / "run.json").read_text() == "precious"


def on_small_disk(mount: str, options: str) -> tuple[str, ...]:
    """A command that runs another one with a small disk at `mount`, which nobody else sees."""
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    script = f'mount -t tmpfs -o {options} tmpfs "$1" && shift && exec "$@"'
    return ("unshare", *user, "--mount", "sh", "-c", script, "sh", mount)


def test_a_full_disk_under_the_store_makes_trials_invalid_and_the_run_ends(engine: object, tmp_path: Path) -> None:
    (tmp_path / "out" / "work").mkdir(parents=True)
    campaign = written(campaign_of(NULL_ROUTE), tmp_path / "small.yaml")
    done = netopsbench(
        "quickstart", "--campaign", str(campaign), "--agent", "nop", "--out", "out",
        cwd=tmp_path, under=on_small_disk(f"{tmp_path}/out/work", "size=8k"),
    )  # fmt: skip
    refused(done, 1)
    [trial] = score_run(tmp_path / "out").records.trials
    assert trial.error is not None
    assert (trial.end, trial.error.reason) == ("invalid", "telemetry_failed")
    assert trial.error.traceback == ""
    assert not trial.was_question_asked


def test_a_full_disk_under_the_trials_ends_the_run_with_its_name_and_keeps_earlier_ones(
    engine: object, tmp_path: Path
) -> None:
    (tmp_path / "out" / "trials").mkdir(parents=True)
    shutil.copytree(tmp_path / "out", tmp_path / "seen")
    campaign = written(campaign_of(NULL_ROUTE, healthy=2), tmp_path / "small.yaml")
    # A disk with room for one file beside its root: the second trial finds it full.
    copy = f'"$@"; code=$?; cp {tmp_path}/out/trials/* {tmp_path}/seen/trials/; exit $code'
    done = netopsbench(
        "quickstart", "--campaign", str(campaign), "--agent", "nop", "--out", "out",
        cwd=tmp_path, under=(*on_small_disk(f"{tmp_path}/out/trials", "nr_inodes=2"), "sh", "-c", copy, "sh"),
    )  # fmt: skip
    refused(done, 1, "No space left on device", "the trials that were over are saved in out")
    shutil.copy(tmp_path / "out" / "run.json", tmp_path / "seen" / "run.json")
    scored = score_run(tmp_path / "seen")
    assert [trial.end for trial in scored.records.trials] == ["scored"]
    assert scored.records.problems == ()
