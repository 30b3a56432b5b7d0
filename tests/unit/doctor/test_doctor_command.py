"""`netopsbench doctor` as a person or a program runs it, on machines that exist only in the test."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from netopsbench.cli import doctor as command
from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.native.machine import Check, check_python, check_software
from netopsbench.fabric.native.software import Say, Software

FETCHED = Software(
    root=Path("/srv/software/one"),
    frr_version="10.3",
    bwrap=Path("/srv/software/one/usr/bin/bwrap"),
    frr_daemons_dir="/usr/lib/frr",
    has_mgmtd=True,
)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """The command on a machine that lacks only the routing software, and can fetch it."""

    def fetch(say: Say) -> Software:
        say("Downloading [everything] …")
        return FETCHED

    def examine(software: Software | None) -> tuple[Check, ...]:
        return check_python((3, 12, 1)), check_software(software)

    monkeypatch.setattr(command, "find_software", lambda: None)
    monkeypatch.setattr(command, "fetch_software", fetch)
    monkeypatch.setattr(command, "fetch_service_software", lambda bundle, say: say(f"{bundle.names} are there."))
    monkeypatch.setattr(command, "examine", examine)
    app = typer.Typer()
    app.command()(command.doctor)
    return app


def test_missing_software_is_exit_code_one_with_one_line_per_check(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert lines[2].split()[:3] == ["MISSING", "routing", "software"]
    assert "netopsbench doctor --fix" in lines[2]
    assert done.stderr == "This machine can't run fabrics yet; missing: routing software.\n"


def test_fix_fetches_and_says_so_on_stderr(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["--fix"])
    assert done.exit_code == 0
    assert "FRR 10.3, in a private folder" in done.stdout
    assert done.stderr.startswith("Downloading [everything] …\n")


def test_json_is_alone_on_stdout(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["--fix", "--json"])
    report = json.loads(done.stdout)
    assert report["is_able"] is True
    assert [check["name"] for check in report["checks"]] == ["Python", "routing software"]


def test_a_fetch_that_fails_is_told_and_the_findings_still_follow(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(say: Say) -> Software:
        raise UnsupportedError("apt-get could not download frr: [no network]")

    monkeypatch.setattr(command, "fetch_software", refuse)
    done = CliRunner().invoke(app, ["--fix"])
    assert done.exit_code == 1
    assert "apt-get could not download frr: [no network]" in done.stderr
    assert "MISSING" in done.stdout
