"""`benchmark prepare` and `check`, as they are typed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app

runner = CliRunner()


def typed(*words: str) -> tuple[int, str, str]:
    done = runner.invoke(app, ["benchmark", *words], env={"COLUMNS": "200"})
    return done.exit_code, done.stdout, done.stderr


def test_prepared_folders_are_named_and_pass_the_check(tmp_path: Path) -> None:
    code, said, _ = typed("prepare", "--scales", "xs,small", "--out", str(tmp_path))
    assert (code, said.split()) == (0, [str(tmp_path / "xs"), str(tmp_path / "small")])
    code, figures, _ = typed("check", str(tmp_path), "--json")
    assert code == 0
    scales = json.loads(figures)["scales"]
    assert [(scale["scale"], scale["cases"], scale["distinct_truths"]) for scale in scales] == [
        ("xs", 14, 12),
        ("small", 15, 12),
    ]
    assert all(0 < scale["floor"]["value"] < 0.5 for scale in scales)


def test_unknown_scales_are_all_named() -> None:
    code, _, said = typed("prepare", "--scales", "xs,huge,tiny")
    assert code == 2
    assert "huge" in said
    assert "tiny" in said


@pytest.mark.parametrize("seed", ["-1", "x", "1e3", ""])
def test_a_seed_is_a_number_or_secret(seed: str) -> None:
    code, _, said = typed("prepare", "--scales", "xs", "--seed", seed)
    assert code == 2
    assert "or secret" in said


def test_every_mistake_of_a_spec_is_told_at_once(tmp_path: Path) -> None:
    spec = tmp_path / "mine.yaml"
    spec.write_text(
        """\
version: 1
name: mine
scales: [xs, nowhere]
budget: {wall_time_s: 60, tool_calls: 50}
fault_templates:
  - {name: a, fault_type: link_dwn, count: 1}
  - {name: a, fault_type: packet_loss, count: 1, parameters: {loss_pct: 300}}
  - {name: b, fault_type: packet_loss, count: 1, also: [{fault_type: mtu_mismatch, parameters: {mtu: 1}}]}
"""
    )
    code, _, said = typed("prepare", "--spec", str(spec))
    assert code == 2
    for mistake in ("nowhere", "link_dwn", "a name that no other template has", "300", "also[1].parameters.mtu"):
        assert mistake in said


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    typed("prepare", "--scales", "xs", "--out", str(tmp_path))
    changed = next((tmp_path / "xs").glob("*.yaml"))
    changed.write_text(changed.read_text() + "# mine\n")
    code, _, said = typed("check", str(tmp_path / "xs"))
    assert code == 2
    assert changed.name in said
