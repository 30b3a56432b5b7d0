"""Mistakes of different kinds in one file are told at once, without those that are only their consequences."""

from pathlib import Path

import pytest
import yaml

from netopsbench.core.errors import SpecError
from netopsbench.core.files import data_root
from netopsbench.fabric.load import load_spec
from netopsbench.scenario.load import load_campaign
from netopsbench.tickets.load import load_tickets, shipped_folder

CAMPAIGN = """
version: 1
name: mine
scales: [xs, hugge]
budget: {wall_time_s: 60, tool_calls: 20}
helthy: {count: 1}
fault_templates:
  - {name: one, fault_type: paket_loss, interface_role: uplnk, count: 2}
  - {fault_type: link_downn, count: many}
"""


def told(wrong: SpecError) -> dict[str, str]:
    return {problem.key: problem.value for problem in wrong.problems}


def campaign_told(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(SpecError) as refused:
        load_campaign(str(path))
    return told(refused.value)


def test_every_kind_of_mistake_of_a_campaign_is_told_at_once(tmp_path: Path) -> None:
    assert campaign_told(tmp_path, CAMPAIGN) == {
        "scales[2]": "hugge",
        "helthy": '{"count": 1}',
        "fault_templates[1].fault_type": "paket_loss",
        "fault_templates[1].interface_role": "uplnk",
        "fault_templates[2].name": "(missing)",
        "fault_templates[2].fault_type": "link_downn",
        "fault_templates[2].count": "many",
    }


def test_mistakes_are_no_others_consequences(tmp_path: Path) -> None:
    text = CAMPAIGN.replace("[xs, hugge]", "7").replace("paket_loss", "packet_loss").replace("link_downn", "link_down")
    assert set(campaign_told(tmp_path, text)) == {
        "scales",
        "helthy",
        "fault_templates[1].interface_role",
        "fault_templates[2].name",
        "fault_templates[2].count",
    }


def test_what_nobody_can_mend_is_told_alone(tmp_path: Path) -> None:
    text = CAMPAIGN.replace("count: 2", "count: 2, count_per_scale: {xs: 1}").replace("link_downn, count: many", "x")
    assert "fault_templates[1].interface_role" in campaign_told(tmp_path, text)
    assert set(campaign_told(tmp_path, "[a, list]")) == {""}


def test_keys_and_references_of_a_lab_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    text = (data_root("fabrics/labs") / "simple_bgp.yaml").read_text()
    path.write_text(
        text.replace("mtu: 1500", "mtuu: 1500", 1).replace("[router1:eth1, pc1:eth0]", "[a:eth1, pc1:eth0]")
    )
    with pytest.raises(SpecError) as refused:
        load_spec(str(path))
    assert told(refused.value)["mtuu"] == "1500"
    assert told(refused.value)["topology.links[2]"] == "a:eth1"


def test_an_address_that_cannot_be_read_brings_no_complaint_about_its_place_taker(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    text = (data_root("fabrics/labs") / "simple_bgp.yaml").read_text()
    path.write_text(text.replace("10.0.12.2/30", "10.0.12.2/33", 1))
    with pytest.raises(SpecError) as refused:
        load_spec(str(path))
    assert set(told(refused.value)) == {"topology.nodes.router2.interfaces.eth0"}


def test_a_class_and_a_condition_of_a_ticket_are_told_at_once_and_its_rewrites_are_left_in_peace(
    tmp_path: Path,
) -> None:
    source = shipped_folder("simple_bgp")
    for path in source.rglob("false-premise-bgp-down*.yaml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    path = tmp_path / "false-premise-bgp-down.yaml"
    ticket = yaml.safe_load(path.read_text())
    ticket["ticket_class"] = "bogus"
    ticket["claims"][0]["check"]["expect"] = "flurb"
    path.write_text(yaml.safe_dump(ticket))
    with pytest.raises(SpecError) as refused:
        load_tickets(tmp_path)
    assert told(refused.value) == {"ticket_class": "bogus", "claims.check": "flurb"}
