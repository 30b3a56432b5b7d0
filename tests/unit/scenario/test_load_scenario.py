from pathlib import Path

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.scenario.load import check_scenario, load_campaign, load_scenario
from netopsbench.scenario.model import Scenario

CAMPAIGN = """
version: 1
name: mine
scales: [xs]
budget: {wall_time_s: 60, tool_calls: 50}
healthy: {count: 1}
fault_templates:
  - {name: a, fault_type: link_down, count: 1, parameters: {variant: carrier}}
"""


def written(folder: Path, text: str) -> str:
    path = folder / "file.yaml"
    path.write_text(text)
    return str(path)


def test_a_campaign_file_is_read(tmp_path):
    campaign = load_campaign(written(tmp_path, CAMPAIGN))
    assert (campaign.name, campaign.scales, campaign.seed) == ("mine", ("xs",), 42)
    assert campaign.fault_templates[0].at("xs") == 1


def test_all_mistakes_of_a_campaign_are_told_with_file_key_value_and_what_would_be_right(tmp_path):
    text = CAMPAIGN.replace("[xs]", "[xs, huge, xs]") + (
        "  - {name: a, fault_type: meteor, count: 1}\n"
        "  - {name: b, fault_type: link_down, count: 1, parameters: {variant: half, at: leaf1:eth1, depth: 3}}\n"
        "  - {name: c, fault_type: link_down, count_per_scale: {tiny: 2, xs: -1}}\n"
    )
    path = written(tmp_path, text)
    with pytest.raises(SpecError) as wrong:
        load_campaign(path)
    told = {problem.key: problem for problem in wrong.value.problems}
    assert set(told) == {
        "scales[2]",
        "scales[3]",
        "fault_templates[2].name",
        "fault_templates[2].fault_type",
        "fault_templates[3].parameters.variant",
        "fault_templates[3].parameters.at",
        "fault_templates[3].parameters.depth",
        "fault_templates[4].count_per_scale",
        "fault_templates[4].count_per_scale.xs",
    }
    assert {problem.source for problem in told.values()} == {path}
    assert told["fault_templates[3].parameters.variant"].value == "half"
    assert "admin" in told["fault_templates[3].parameters.variant"].wanted
    assert "blackhole_route" in told["fault_templates[2].fault_type"].wanted


def test_a_count_is_given_in_one_way(tmp_path):
    both = CAMPAIGN.replace("count: 1, parameters", "count: 1, count_per_scale: {xs: 1}, parameters")
    with pytest.raises(SpecError, match="either count or count_per_scale"):
        load_campaign(written(tmp_path, both))


def test_an_unknown_campaign_is_answered_with_the_known_ones():
    with pytest.raises(SpecError, match="quickstart"):
        load_campaign("quickstrat")


def test_the_example_scenario_fits_its_fabric():
    scenario = load_scenario("example")
    check_scenario(scenario, plan_fabric(load_spec(scenario.fabric)), "example")
    assert str(scenario.faults[0].at) == "leaf1:eth1"


def test_every_fault_that_does_not_fit_is_told_with_its_number(tmp_path):
    path = written(
        tmp_path,
        "fabric: xs\nscale: xs\nseed: 1\nfaults:\n"
        "  - {kind: link_down, at: leaf9:eth1}\n"
        "  - {kind: blackhole_route, device: leaf1, prefix: 10.0.0.0/8}\n",
    )
    with pytest.raises(SpecError) as wrong:
        check_scenario(load_scenario(path), plan_fabric(load_spec("xs")), path)
    assert [(problem.source, problem.key) for problem in wrong.value.problems] == [
        (path, "faults[1].at"),
        (path, "faults[2].prefix"),
    ]


def test_an_id_depends_on_all_of_the_content_and_on_nothing_else():
    scenario = Scenario(fabric="xs", scale="xs", seed=1)
    again = Scenario.model_validate_json(scenario.model_dump_json())
    assert again.id == scenario.id == "c7451f7b5ad06"
    assert scenario.model_copy(update={"seed": 2}).id != scenario.id
    assert scenario.model_copy(update={"difficulty": "hard"}).id != scenario.id
