"""A campaign that offers the devices' command lines says so in the question and in its records."""

import json

from fake_trials import campaign_file, ids, planned

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.record import TrialOrder
from netopsbench.campaign.trial import command_lines_of
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Budget
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.question import question_for
from netopsbench.vendors.lines import vendors_by_seed

OWN = Budget(wall_time_s=60, tool_calls=50)


def test_command_lines_are_offered_only_where_the_campaign_says_so(tmp_path):
    plain = planned(tmp_path)
    path = campaign_file(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tools": {"command_lines": True}}))
    plan = plan_run(RunRequest(source=str(path), agents=("nop",)))
    assert (plan.cases.has_command_lines, plan.info.has_command_lines) == (True, True)
    assert (plain.cases.has_command_lines, plain.info.has_command_lines) == (False, False)
    assert set(ids(plan)).isdisjoint(ids(plain))


def test_rules_name_vendors_and_no_seed_by_which_a_guess_of_the_case_could_be_checked():
    plan, case = plan_fabric(load_spec("xs")), Scenario(fabric="xs", scale="xs", seed=4711)
    order = TrialOrder(trial_id="t", contestant="nop", scenario=case, has_command_lines=True)
    rules = command_lines_of(order, plan)
    assert rules is not None
    assert rules.vendors == vendors_by_seed(plan, 4711)
    assert "4711" not in rules.model_dump_json()
    assert command_lines_of(order.model_copy(update={"has_command_lines": False}), plan) is None


def test_the_question_tells_of_them():
    assert "execute" in question_for(OWN, has_command_lines=True).text
    assert "execute" not in question_for(OWN, has_shell=True).text
