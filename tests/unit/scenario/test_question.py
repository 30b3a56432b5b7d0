from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Answer, Budget
from netopsbench.records.labels import LABELS
from netopsbench.scenario.generate import generate
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.question import question_for

BUDGET = Budget(wall_time_s=60, tool_calls=50)


def test_the_question_shows_every_label_with_its_definition_and_the_budget():
    question = question_for(BUDGET)
    assert question.labels == LABELS
    assert all(label.definition for label in question.labels)
    assert question.budget == BUDGET


def test_the_schema_in_the_question_is_that_of_an_answer():
    assert question_for(BUDGET).answer_schema == Answer.model_json_schema()


def test_the_question_holds_nothing_of_any_case():
    said = question_for(BUDGET).model_dump_json()
    campaign = load_campaign("quickstart")
    plan = plan_fabric(load_spec("xs"))
    secrets = {case.id for case in generate(campaign, {"xs": plan})} | {node.name for node in plan.nodes}
    secrets |= {campaign.name, str(campaign.seed), *(link.id for link in plan.links if len(link.id) > 3)}
    assert not [secret for secret in secrets if secret in said]


def test_the_question_is_the_same_bytes_each_time():
    assert question_for(BUDGET).model_dump_json() == question_for(BUDGET).model_dump_json()
