"""Tasks drawn from our networks: how many, of what kind, the same bytes, and a key that fits."""

import itertools
import json
import re

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple, written
from netopsbench.rca.breaking.repertoire import MAKERS, NOT_MADE, breakages, broken_of
from netopsbench.rca.files import MANIFEST, load_tasks, suite_files
from netopsbench.rca.generate import NETWORKS, Suite, generate, task_id
from netopsbench.rca.grade import action_of, grade
from netopsbench.rca.labels import CAUSE_BY_LABEL, CAUSES
from netopsbench.rca.model import CauseRef
from netopsbench.rca.naming import told_paths, told_triples
from netopsbench.rca.question import task_question
from netopsbench.rca.solving.evidence import Look, alternatives, denials, smallest
from netopsbench.records.answers import Budget
from netopsbench.vendors.names import Vendor
from netopsbench.vendors.table import golden

BUDGET = Budget(wall_time_s=60, tool_calls=10)


@pytest.fixture(scope="module")
def plans() -> dict[str, FabricPlan]:
    return {name: plan_fabric(load_spec(name)) for name in NETWORKS}


@pytest.fixture(scope="module")
def suite(plans: dict[str, FabricPlan]) -> Suite:
    return generate(plans, 1)


def some(suite: Suite) -> Suite:
    return Suite(rca=suite.rca[:4], paths=suite.paths[:4])


def test_the_published_numbers_of_tasks_and_root_causes(suite: Suite) -> None:
    assert (len(suite.rca), len(suite.paths)) == (126, 108)
    assert sum(len(task.causes) for task in suite.rca) == 214
    assert {len(task.causes) for task in suite.rca} == {1, 2, 3, 4}
    assert {task.metadata.observability for task in suite.rca} == {"O1", "O2"}
    assert {task.metadata.paths > 1 for task in suite.paths} == {True, False}


def test_every_label_is_in_tasks_or_has_a_reason_why_not(suite: Suite) -> None:
    used = {cause.triple.cause for task in suite.rca for cause in task.causes}
    assert used == set(MAKERS)
    assert {cause.label for cause in CAUSES} == used | set(NOT_MADE)
    assert not used & set(NOT_MADE)


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_tasks(
    suite: Suite, plans: dict[str, FabricPlan]
) -> None:
    again = generate(plans, 1)
    assert again == suite
    assert suite_files(some(again), plans, 1) == suite_files(some(suite), plans, 1)
    assert generate(plans, 8) != suite


def test_written_tasks_are_read_again(suite: Suite, plans: dict[str, FabricPlan], tmp_path) -> None:
    few = some(suite)
    files = suite_files(few, plans, 1)
    counts = json.loads(files[MANIFEST])["counts"]
    assert (counts["rca"], counts["path"]) == (len(few.rca), len(few.paths))
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert {task.id for task in load_tasks(tmp_path)} == {task.id for task in (*few.rca, *few.paths)}


def test_a_folder_without_tasks_is_named(tmp_path) -> None:
    with pytest.raises(SpecError, match="benchmark prepare --suite ctbench"):
        load_tasks(tmp_path)


def test_root_causes_of_a_task_leave_each_other_alone(suite: Suite, plans: dict[str, FabricPlan]) -> None:
    for task in suite.rca:
        touches = [set(broken.touches) for broken in broken_of(task.causes, plans[task.network])]
        assert not any(one & other for one, other in itertools.combinations(touches, 2))


def test_golden_steps_are_permitted_and_every_vendor_has_a_command_for_them(suite: Suite) -> None:
    for task in (*suite.rca, *suite.paths):
        assert not set(task.golden) & set(task.denied)
        for look in task.golden:
            arguments = {"address": look.about} if look.need == "route_lookup" else {}
            line = golden(task.vendors[look.device], look.need, arguments)
            assert action_of(task.vendors, look.device, line) is not None


def test_the_key_with_the_golden_commands_scores_one_and_silence_nothing(suite: Suite) -> None:
    for task in (*suite.rca[:10], *suite.paths[:10]):
        key = written(told_triples(task)) if task.kind == "rca" else written(told_paths(task))
        typed = [
            (look.device, golden(task.vendors[look.device], look.need, {"address": look.about} if look.about else {}))
            for look in task.golden
            if look.need != "fib"
        ]
        typed += [(x.device, golden(task.vendors[x.device], "fib")) for x in task.golden if x.need == "fib"]
        right = grade(task, key, typed, (len(typed), 1.0, None), "oracle")
        assert (right.strict.accuracy, right.tolerant.accuracy, right.evidence) == (1, 1, 1)
        silent = grade(task, "", [], (0, 1.0, None), "nop")
        assert (silent.strict.accuracy, silent.evidence) == (0, 0)


def test_no_two_tasks_have_the_same_root_causes_in_the_same_network(suite: Suite) -> None:
    assert len({(task.network, task.gold) for task in suite.rca}) == len(suite.rca)
    assert len({(task.network, task.source, task.target) for task in suite.paths}) == len(suite.paths)


def test_ids_are_drawn_from_the_seed_and_not_from_the_key(suite: Suite, plans: dict[str, FabricPlan]) -> None:
    ids = [task.id for task in (*suite.rca, *suite.paths)]
    assert len(set(ids)) == 234
    assert ids[:2] == [task_id("rca", 1, number) for number in range(2)]
    assert not set(ids) & {task_id(kind, 2, number) for kind in ("rca", "path") for number in range(126)}


def test_what_a_path_task_says_of_its_first_device_is_how_every_line_of_the_key_begins(
    suite: Suite, plans: dict[str, FabricPlan]
) -> None:
    for task in suite.paths:
        text = task_question(task, plans[task.network], BUDGET).text
        found = re.search(rf"Begin with {task.source} \(its interface is (\S+)\)", " ".join(text.split()))
        assert found is not None
        assert all(str(path).startswith(f"{task.source}_{found[1]}->") for path in told_paths(task))


def test_the_question_defines_every_label_in_a_line_that_begins_with_it(
    suite: Suite, plans: dict[str, FabricPlan]
) -> None:
    task = suite.rca[0]
    lines = task_question(task, plans[task.network], BUDGET).text.splitlines()
    offered = dict(line.removeprefix("  - ").split(": ", 1) for line in lines if line.startswith("  - "))
    assert set(offered) == set(MAKERS)
    assert all(offered[label] == CAUSE_BY_LABEL[label].means for label in MAKERS)
    assert len({cause.means for cause in CAUSES}) == len(CAUSES)


def test_the_question_tells_nothing_of_the_key(suite: Suite, plans: dict[str, FabricPlan]) -> None:
    for task in suite.rca:
        text = task_question(task, plans[task.network], BUDGET).model_dump_json()
        assert "golden" not in text
        assert not any(str(triple) in text for triple in told_triples(task))
        nodes = {triple.node for triple in task.gold} - {task.source, task.target}
        assert not any(f" {node} " in text for node in nodes)


def test_commands_that_ask_the_same_are_the_same_action() -> None:
    vendors = {"a": "cisco", "b": "huawei"}
    assert action_of(vendors, "a", "sh ip arp | include 10") == action_of(vendors, "a", "show ip arp")
    assert action_of(vendors, "b", "display arp") == ("b", "arp")
    assert action_of(vendors, "a", "show ip route 10.0.0.1") != action_of(vendors, "a", "show ip route 10.0.0.2")
    assert action_of(vendors, "a", "make me a sandwich") is None
    assert action_of(vendors, "nobody", "show ip arp") is None


def test_of_a_vxlan_only_what_tells_its_udp_port_counts() -> None:
    vendors = {"pe1": "frr"}
    assert action_of(vendors, "pe1", "ip -d link show type vxlan") == ("pe1", "vxlan")
    assert action_of(vendors, "pe1", "show evpn vni") == ("pe1", "evpn")


def spoken(plan: FabricPlan, vendor: Vendor) -> dict[str, Vendor]:
    return {node.name: vendor if node.is_switch else "linux" for node in plan.nodes}


def test_indirect_evidence_of_a_shutdown_is_at_the_other_end(plans: dict[str, FabricPlan]) -> None:
    triple, vendors = Triple(node="leaf1", object="eth1", cause="shutdown"), spoken(plans["xs"], "cisco")
    denied = denials(triple, plans["xs"], vendors)
    assert denied is not None
    found = smallest([alternatives(triple, plans["xs"], vendors)], denied)
    assert found == {Look(device="spine1", need="interface_brief")}
    assert {look.device for look in denied} == {"leaf1"}


def test_a_cause_without_indirect_evidence_can_not_be_denied(plans: dict[str, FabricPlan]) -> None:
    for cause in ("MTU value misconfiguration", "interface IP error"):
        triple = Triple(node="leaf1", object="eth1", cause=cause)
        assert denials(triple, plans["xs"], spoken(plans["xs"], "arista")) is None
    hole = Triple(node="leaf1", object="192.168.102.0/30", cause="blackhole route")
    assert denials(hole, plans["xs"], spoken(plans["xs"], "arista")) is None


def test_a_denied_need_is_denied_whatever_address_it_is_about(plans: dict[str, FabricPlan]) -> None:
    hole = Triple(node="leaf1", object="192.168.102.0/30", cause="blackhole route")
    denied = {Look(device="leaf1", need=need) for need in ("route_table", "fib", "running_config", "saved_config")}
    found = smallest([alternatives(hole, plans["xs"])], frozenset(denied))
    assert found == {Look(device="leaf1", need="route_lookup", about="192.168.102.2")}
    denied.add(Look(device="leaf1", need="route_lookup"))
    assert smallest([alternatives(hole, plans["xs"])], frozenset(denied)) is None


def test_whichever_of_the_smallest_sets_is_asked_the_evidence_is_whole(suite: Suite) -> None:
    task = next(each for each in suite.rca if len(each.golden) == 1 and len(each.golden_sets) > 1)
    for (look,) in task.golden_sets:
        line = golden(task.vendors[look.device], look.need, {"address": look.about} if look.about else {})
        assert grade(task, "", [(look.device, line)], (1, 1.0, None), "other").evidence == 1
    both = [
        (look.device, golden(task.vendors[look.device], look.need)) for (look,) in task.golden_sets if not look.about
    ]
    assert grade(task, "", both[:2], (2, 1.0, None), "both").evidence == pytest.approx(2 / 3)


def test_one_question_may_decide_two_causes(plans: dict[str, FabricPlan]) -> None:
    triples = [Triple(node="leaf1", object=name, cause="interface IP error") for name in ("eth1", "eth2")]
    found = smallest([alternatives(triple, plans["xs"]) for triple in triples], frozenset())
    assert found is not None
    assert len(found) == 1


def test_a_cause_that_a_network_can_not_have_is_named(plans: dict[str, FabricPlan]) -> None:
    cause = CauseRef(triple=Triple(node="leaf9", object="eth1", cause="shutdown"))
    with pytest.raises(SpecError, match="leaf9;eth1;shutdown"):
        broken_of([cause], plans["xs"])


def test_everything_that_is_done_is_undone(plans: dict[str, FabricPlan]) -> None:
    for plan in plans.values():
        for found in breakages(plan).values():
            for broken in found:
                assert {step.where for step in broken.do} <= {step.where for step in broken.undo}
                assert broken.sights
