"""What the manual tells people to save and run is right: files load, functions work, small agents are those shipped."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from netopsbench.core.errors import ToolError
from netopsbench.core.files import find_data
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.limits import Limits
from netopsbench.fabric.native.machine import FEATURES, check_limits
from netopsbench.faults import mtu_mismatch
from netopsbench.faults.catalog import parse_fault
from netopsbench.records.trial import InvalidReason
from netopsbench.scenario.generate import generate
from netopsbench.scenario.load import load_campaign
from netopsbench.tools.contract import tool

DOCS = Path(__file__).resolve().parents[3] / "docs"
EXTENDING = (DOCS / "extending.md").read_text()
STARTING = (DOCS / "getting-started.md").read_text()


def block(text: str, first_line: str) -> str:
    """The fenced block of a page that begins with this comment."""
    found = re.search(rf"```\w+\n({re.escape(first_line)}\n.*?)```", text, re.DOTALL)
    assert found is not None, f"there is no block that begins with {first_line!r}"
    return found[1]


def defined(code: str) -> Mapping[str, Any]:
    names: dict[str, Any] = {"__name__": "netopsbench_manual"}
    exec(compile(code, "extending.md", "exec", dont_inherit=True), names)
    return names


def test_the_fabric_can_be_planned(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text(block(EXTENDING, "# a fabric"))
    plan = plan_fabric(load_spec(str(tmp_path / "lab.yaml")))
    assert sum(node.role == "client" for node in plan.nodes) == 6


def test_the_campaign_gives_the_cases_that_it_asks_for(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(block(EXTENDING, "# a campaign"))
    campaign = load_campaign(str(tmp_path / "mine.yaml"))
    cases = generate(campaign, {scale: plan_fabric(load_spec(scale)) for scale in campaign.scales})
    assert sorted(case.scale for case in cases) == ["small"] * 5 + ["xs"] * 2
    assert sum(not case.faults for case in cases) == 3


def test_the_tool_answers_and_tells_what_it_cannot_find() -> None:
    names = defined(block(EXTENDING, "# a tool"))
    made = tool(names["get_designed_mtu"])
    plan = plan_fabric(load_spec("xs"))
    context: Any = SimpleNamespace(device=lambda name: next(node for node in plan.nodes if node.name == name))
    assert made.call(context, {"device": "leaf1", "interface": "eth1"}).model_dump()["mtu_bytes"] == 9100
    with pytest.raises(ToolError, match="leaf1 has no port 'eth9'"):
        made.call(context, {"device": "leaf1", "interface": "eth9"})
    assert made.example() == {"device": "leaf1", "interface": "eth1"}


def test_the_fault_is_the_real_one_with_fewer_claims() -> None:
    names = defined(block(EXTENDING, "# a fault: what it does"))
    plan = plan_fabric(load_spec("xs"))
    fault = parse_fault("mtu_mismatch", {"at": "spine1:eth1"}, "test")
    sketch, real = names["change"](fault, plan), mtu_mismatch.change(fault, plan)
    assert [step.argv for step in sketch.do] == [step.argv for step in real.do]
    assert sketch.place == real.place
    assert set(sketch.effect.mtus) <= set(real.effect.mtus)


def test_every_command_of_getting_started_names_something_that_is_there() -> None:
    campaigns = set(re.findall(r"benchmark run (\w+)", STARTING))
    assert campaigns
    for name in campaigns:
        assert find_data("campaigns", name).is_file()


def test_every_finding_of_the_doctor_is_in_troubleshooting() -> None:
    limits = Limits(
        memory_gib=1, cores=1, namespaces=1, processes=1, open_files=1, inotify_instances=1, disk_gib=1, neighbours=1
    )
    names = [feature.name for feature in FEATURES] + [check.name for check in check_limits(limits)]
    page = (DOCS / "troubleshooting.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    for name in (*names, "Python", "routing software", "sandbox", "ECMP hashing", "scale …"):
        assert name in rows


def test_every_reason_of_an_invalid_trial_is_in_troubleshooting() -> None:
    page = (DOCS / "troubleshooting.md").read_text()
    assert [reason for reason in get_args(InvalidReason) if f"| `{reason}` |" not in page] == []
