"""The doctor on this machine: what it tries is really tried, and power that is missing is noticed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.native.machine import check_sandbox
from netopsbench.fabric.native.probe import probe, sandbox
from netopsbench.fabric.native.software import Software, fetch_software

pytestmark = pytest.mark.live

IS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def software() -> Software:
    try:
        return fetch_software(print)
    except UnsupportedError as missing:
        pytest.skip(str(missing))


def test_dropped_capabilities_are_reported_as_no_links_here(software: Software, tmp_path: Path) -> None:
    powerless = (*sandbox(IS_ROOT), "setpriv", "--bounding-set=-all", "--inh-caps=-all")
    link = probe(software, powerless)["link"]
    check = check_sandbox(link, is_root=IS_ROOT, settings=tmp_path)
    assert not check.is_ok
    assert "cannot create links here" in check.found
    assert "Operation not permitted" in check.found
    assert check.remedy


def test_a_sandbox_that_does_not_start_gives_its_own_reason_for_every_step(software: Software) -> None:
    tried = probe(software, ("sh", "-c", "echo no namespaces today >&2; exit 1"))
    assert {step.said for step in tried.values()} == {"no namespaces today"}
    assert not any(step.is_ok for step in tried.values())


def test_probing_leaves_the_host_without_new_links_and_mounts(software: Software) -> None:
    before = host()
    tried = probe(software, sandbox(IS_ROOT))
    assert tried["link"].is_ok, tried["link"].said
    assert host() == before


def host() -> tuple[list[str], str]:
    links = sorted(path.name for path in Path("/sys/class/net").iterdir())
    return links, Path("/proc/self/mountinfo").read_text()


def test_json_holds_every_check_and_the_exit_code_is_the_verdict(software: Software) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "netopsbench.cli.main", "doctor", "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["is_able"] else 1)
    assert {"Python", "routing software", "sandbox", "scale xs", "scale xlarge"} <= {
        check["name"] for check in report["checks"]
    }
    assert all(
        set(check) == {"name", "is_ok", "is_required", "found", "needed", "remedy"} for check in report["checks"]
    )
