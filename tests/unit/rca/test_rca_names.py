"""How an answer may call interfaces and look routes up: the strict reader wants the full name, the tolerant one any."""

from pathlib import Path

import pytest

from netopsbench.rca.answer import PathHop, RestoredPath, Triple, written
from netopsbench.rca.grade import grade
from netopsbench.rca.model import CauseRef, Metadata, PathTask, RcaTask
from netopsbench.rca.record import TaskScore
from netopsbench.rca.solving.evidence import Look
from netopsbench.vendors.names import Vendor

METADATA = Metadata(observability="O1", protocols=1, vendors=1, device_types=1, is_heterogeneous=False, golden_length=1)
VENDORS: dict[str, Vendor] = {
    "client1": "linux",
    "leaf1": "cisco",
    "leaf2": "huawei",
    "spine1": "arista",
    "spine2": "sonic",
    "client2": "linux",
}
GOLDEN = (Look(device="spine1", need="route_lookup", about="10.0.2.10"),)


def shut_at(node: str) -> RcaTask:
    cause = CauseRef(triple=Triple(node=node, object="eth2", cause="shutdown"))
    return RcaTask(
        id="t000000000001",
        network="xs",
        seed=1,
        vendors=VENDORS,
        source="client1",
        target="client2",
        golden=GOLDEN,
        metadata=METADATA,
        causes=(cause,),
    )


def path_task() -> PathTask:
    steps = (("client1", "eth1"), ("leaf1", "eth4"), ("spine1", "eth2"), ("leaf2", "eth3"))
    path = RestoredPath(hops=tuple(PathHop(node=node, egress=egress) for node, egress in steps), end="client2")
    return PathTask(
        id="t000000000002",
        network="xs",
        seed=1,
        vendors=VENDORS,
        source="client1",
        target="client2",
        golden=GOLDEN,
        metadata=METADATA,
        paths=(path,),
    )


def graded(task: RcaTask | PathTask, line: str, *commands: tuple[str, str]) -> TaskScore:
    return grade(task, f"<result>\n{line}\n</result>", commands, (0, 0.0, None), "somebody")


@pytest.mark.parametrize(
    ("node", "name", "is_full"),
    [
        ("leaf1", "GigabitEthernet0/2", True),
        ("leaf1", "Gi0/2", False),
        ("leaf1", "gigabitethernet 0/2", False),
        ("leaf1", "eth2", False),
        ("leaf2", "GigabitEthernet0/0/2", True),
        ("leaf2", "GE0/0/2", False),
        ("spine1", "Ethernet2", True),
        ("spine1", "Et2", False),
        ("spine2", "Ethernet8", True),
        ("spine2", "eth8", False),
        ("client1", "eth2", True),
    ],
)
def test_a_port_may_be_called_as_tables_and_the_design_call_it_for_the_tolerant_reader(
    node: str, name: str, is_full: bool
) -> None:
    score = graded(shut_at(node), f"{node};{name};shutdown")
    assert (score.strict.accuracy, score.tolerant.accuracy) == (is_full, 1)


@pytest.mark.parametrize("name", ["Gi0/3", "GigabitEthernet0/0/2", "Et2", "Ethernet2", "2", "eth3", ""])
def test_another_port_and_another_vendors_name_are_wrong_for_both_readers(name: str) -> None:
    score = graded(shut_at("leaf1"), f"leaf1;{name};shutdown")
    assert (score.strict.accuracy, score.tolerant.accuracy) == (0, 0)


@pytest.mark.parametrize(
    "line",
    [
        "client1_eth1->leaf1_Gi0/4->spine1_Et2->leaf2_GE0/0/3->client2",
        "client1_eth1 -> leaf1_GigabitEthernet 0/4 -> spine1_Ethernet 2 -> leaf2_GigabitEthernet 0/0/3 -> client2.",
        "client1_eth1→leaf1_eth4→spine1_eth2→leaf2_eth3→client2",
    ],
)
def test_ports_of_a_path_too(line: str) -> None:
    score = graded(path_task(), line)
    assert (score.strict.accuracy, score.tolerant.accuracy) == (0, 1)


def test_the_manuals_answers_are_right_for_both_readers() -> None:
    text = (Path(__file__).parents[3] / "docs" / "rca.md").read_text(encoding="utf-8")
    lines = [each for each in text.splitlines() if each.startswith("client1_")]
    assert [graded(path_task(), line).strict.accuracy for line in lines] == [1]
    shown = next(each for each in text.splitlines() if each.endswith(";shutdown"))
    task = shut_at(shown.partition(";")[0])
    assert graded(task, shown).strict.accuracy == 1


@pytest.mark.parametrize(
    ("vendor", "line", "does_show"),
    [
        ("arista", "show ip route 10.0.2.10", True),
        ("arista", "show ip route 10.0.2.0/24", True),
        ("cisco", "show ip route 10.0.2.0 255.255.255.0", True),
        ("huawei", "display ip routing-table 10.0.2.0 24", True),
        ("arista", "show ip route 10.0.3.0/24", False),
        ("cisco", "show ip route 10.0.2.0", False),
        ("arista", "show ip route", False),
    ],
)
def test_a_look_up_of_a_prefix_shows_the_routes_to_its_addresses(vendor: Vendor, line: str, does_show: bool) -> None:
    task = path_task().model_copy(update={"vendors": {**VENDORS, "spine1": vendor}})
    assert grade(task, written(task.gold), [("spine1", line)], (1, 0.0, None), "x").evidence == does_show
    assert grade(task, written(task.gold), [("leaf1", line)], (1, 0.0, None), "x").evidence == 0
