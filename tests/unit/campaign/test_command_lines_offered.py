"""A campaign that offers the devices' command lines says so in the question and in its records."""

import json

from fake_trials import campaign_file, ids, planned

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.records.answers import Budget
from netopsbench.scenario.question import question_for

OWN = Budget(wall_time_s=60, tool_calls=50)


def test_command_lines_are_offered_only_where_the_campaign_says_so(tmp_path):
    plain = planned(tmp_path)
    path = campaign_file(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tools": {"command_lines": True}}))
    plan = plan_run(RunRequest(source=str(path), agents=("nop",)))
    assert (plan.cases.has_command_lines, plan.info.has_command_lines) == (True, True)
    assert (plain.cases.has_command_lines, plain.info.has_command_lines) == (False, False)
    assert set(ids(plan)).isdisjoint(ids(plain))


def test_the_question_tells_of_them():
    assert "execute" in question_for(OWN, has_command_lines=True).text
    assert "execute" not in question_for(OWN, has_shell=True).text
