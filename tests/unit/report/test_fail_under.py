"""A threshold for CI: the exit code of the command, and a test in the JUnit XML."""

import xml.etree.ElementTree as ET

import pytest
from report_runs import usual_run, write_run
from typer.testing import CliRunner

from netopsbench.cli.main import app


@pytest.mark.parametrize(("threshold", "exit_code"), [("0.1", 0), ("0.9", 1)])
def test_a_low_score_fails_the_command_and_its_test(tmp_path, threshold, exit_code):
    write_run(tmp_path, usual_run())
    done = CliRunner().invoke(app, ["benchmark", "report", str(tmp_path), "--fail-under", threshold])
    assert done.exit_code == exit_code
    assert ("score below 0.9: baseline" in done.stderr) is bool(exit_code)
    root = ET.parse(tmp_path / "junit.xml").getroot()
    [gate] = [test for test in root.iter("testcase") if test.get("name") == f"score is at least {threshold}"]
    assert (gate.find("failure") is not None) is bool(exit_code)
