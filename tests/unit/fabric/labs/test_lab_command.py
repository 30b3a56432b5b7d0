import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app


def test_labs_are_listed_with_their_size() -> None:
    done = CliRunner().invoke(app, ["lab", "list", "--json"])
    assert done.exit_code == 0
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert {name: row["nodes"] for name, row in rows.items()} == {
        "dc_clos_bgp": 7,
        "metro_overlay": 10,
        "ospf_eigrp_campus": 15,
        "ospf_enterprise_static": 15,
        "nat_edge": 8,
        "redundant_office": 14,
        "rip_office": 31,
        "simple_bgp": 4,
    }


def test_checking_a_lab_that_does_not_run_says_how_to_start_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["lab", "check", "simple_bgp"])
    assert done.exit_code == 2
    assert "netopsbench fabric up simple_bgp" in done.stderr


def test_a_lab_is_drawn_for_graphviz_with_its_lans() -> None:
    done = CliRunner().invoke(app, ["fabric", "graph", "rip_office", "--format", "dot"])
    assert done.exit_code == 0
    assert '"backbone" [label="backbone\\n10.20.0.0/24"' in done.stdout
    assert '"hq" -- "backbone"' in done.stdout


@pytest.mark.parametrize("arguments", [["graph"], ["graph", "--format", "svg"], ["export", "--format", "containerlab"]])
def test_pictures_in_tiers_are_refused_for_labs_with_the_way_out(arguments: list[str]) -> None:
    done = CliRunner().invoke(app, ["fabric", arguments[0], "simple_bgp", *arguments[1:]])
    assert done.exit_code == 2
    assert "a lab has no tiers to lay out; use --format" in done.stderr
