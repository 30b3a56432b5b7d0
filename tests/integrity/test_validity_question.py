"""Nothing that an agent gets before its first tool call tells a healthy case from a faulty one."""

import json
import random
from functools import cache

import numpy as np
import pytest
from guessing import Matrix, auc_of_guess, text_features

from netopsbench.agent.programs.sandbox import ENVIRONMENT
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.queries import switches
from netopsbench.faults.benign import draw_events
from netopsbench.faults.catalog import KINDS, change_of
from netopsbench.faults.decoy import decoy_fault
from netopsbench.faults.housekeeping import gathered
from netopsbench.scenario.generate import generate
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.question import question_for
from netopsbench.tools.catalog import TOOLS

OF_EACH = 1000
CLOSE = 0.05
XS = plan_fabric(load_spec("xs"))
HEADLINE = load_campaign("balanced").model_copy(update={"scales": ("xs",)})
SWITCHES = [node.name for node in switches(XS)]
LINES = {
    ("link_down", "admin"): 1,
    ("blackhole_route", "null0"): 1,
    ("blackhole_route", "reject"): 1,
    ("static_route_misconfig", "address"): 1,
    ("static_route_misconfig", "interface"): 1,
    ("bgp_neighbor_misconfig", "password"): 1,
    ("bgp_neighbor_misconfig", "update_source"): 1,
    ("route_policy_misconfig", "missing_network"): -1,
    ("route_policy_misconfig", "route_map_deny"): 1,
}
"""By how many lines a fault makes a running configuration longer; the others leave its length alone."""
IS_FAULTY = [False] * OF_EACH + [True] * OF_EACH


@cache
def drawn() -> tuple[Scenario, ...]:
    """A thousand healthy cases of the headline campaign, then a thousand faulty ones."""
    healthy: list[Scenario] = []
    faulty: list[Scenario] = []
    seed = 0
    while min(len(healthy), len(faulty)) < OF_EACH:
        seed += 1
        for case in generate(HEADLINE.model_copy(update={"seed": seed}), {"xs": XS}):
            (faulty if case.faults else healthy).append(case)
    return (*healthy[:OF_EACH], *faulty[:OF_EACH])


@cache
def _surroundings() -> str:
    question = question_for(HEADLINE.budget, HEADLINE.most_faults)
    schemas = [tool.schema() for tool in TOOLS]
    return "\n".join([question.model_dump_json(), json.dumps(schemas), json.dumps(dict(ENVIRONMENT))])


def given(case: Scenario) -> str:
    """Everything that an agent gets before its first call: question, tools, environment."""
    return f"{_surroundings()}\n{case.timeline.timing}"


def planned(case: Scenario) -> list[float]:
    """What a trial draws from a case before anybody is asked: harmless events, and how long the injection takes."""
    events = (*gathered(XS, case.seed), *draw_events(XS, case.seed))
    kind = KINDS[(case.faults[0] if case.faults else decoy_fault(XS, case.seed)).kind]
    pace_s = random.Random(f"pace {case.seed}").uniform(kind.settles_s, 1.5 * kind.settles_s)
    timeline = case.timeline
    return [
        len(events),
        sum(len(event.saves) for event in events),
        sum(len(event.loses) for event in events),
        sum(event.pause_s + event.hold_s for event in events),
        pace_s,
        timeline.baseline_count(0.5),
        timeline.fault_count(0.5),
        *(sum(name in event.saves for event in events) for name in SWITCHES),
        *lengthened(case),
    ]


def lengthened(case: Scenario) -> list[float]:
    """By how many lines the running configuration of each switch grows, a fault's own line among them."""
    lines = dict.fromkeys(SWITCHES, 0)
    for event in (*gathered(XS, case.seed), *draw_events(XS, case.seed)):
        for step in event.do:
            lines[step.where] += sum(str(word).startswith("ip prefix-list") for word in step.argv)
    for fault in case.faults:
        lines[change_of(fault, XS).place.device] += LINES.get((fault.kind, getattr(fault, "variant", "")), 0)
    return [sum(lines.values()), max(lines.values()), min(lines.values()), *lines.values()]


def auc(features: Matrix) -> float:
    return auc_of_guess(features, IS_FAULTY)


def test_what_an_agent_is_given_tells_nothing() -> None:
    assert auc(text_features([given(case) for case in drawn()])) == pytest.approx(0.5, abs=CLOSE)


def test_what_is_drawn_from_a_case_tells_nothing() -> None:
    assert auc(np.array([planned(case) for case in drawn()])) == pytest.approx(0.5, abs=CLOSE)


def test_a_line_of_a_fault_does_not_show_in_the_length_of_a_configuration() -> None:
    rows = np.array([lengthened(case) for case in drawn()])
    assert auc(rows) == pytest.approx(0.5, abs=CLOSE)
    rows[OF_EACH:, 0] += 6
    assert auc(rows) > 0.6


def test_ids_and_seeds_of_cases_tell_nothing() -> None:
    assert auc(text_features([case.id for case in drawn()])) == pytest.approx(0.5, abs=CLOSE)
    digits = [[float(digit) for digit in f"{case.seed:015d}"] for case in drawn()]
    assert auc(np.array(digits)) == pytest.approx(0.5, abs=CLOSE)


def test_the_order_of_cases_tells_nothing() -> None:
    """Trials run in the order of ids, so an agent that counts its cases learns no more."""
    places = []
    labels = []
    for seed in range(1, 91):
        for place, case in enumerate(generate(HEADLINE.model_copy(update={"seed": seed}), {"xs": XS})):
            places.append([float(place), float(place % 2)])
            labels.append(bool(case.faults))
    assert auc_of_guess(np.array(places), labels) == pytest.approx(0.5, abs=CLOSE)


@pytest.mark.parametrize("slip", [" Have a close look.", "\n", "7"])
def test_the_classifier_would_notice_the_smallest_slip(slip: str) -> None:
    texts = [given(case) + (slip if case.faults else "") for case in drawn()]
    assert auc(text_features(texts)) > 0.95


def test_the_classifier_would_notice_a_trial_that_waits_longer_for_faults() -> None:
    rows = np.array([planned(case) for case in drawn()])
    rows[OF_EACH:, 4] += 1.0
    assert auc(rows) > 0.6
