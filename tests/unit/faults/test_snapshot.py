import pytest
from fault_fakes import FakeEyes, FakeProber, clos, probed

from netopsbench.core.errors import InfraError
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.faults.snapshot import Comparison, Snapshot, differences, take, wait_restored
from netopsbench.faults.witness import Witness

PLAN = clos()
EFFECT = change_of(parse_fault("link_down", {"at": "leaf1:eth1"}, "test"), PLAN).effect


def test_nothing_differs_in_an_untouched_fabric():
    eyes = FakeEyes(PLAN)
    assert differences(take(eyes, PLAN), take(eyes, PLAN)) == ()


def test_a_link_its_routes_and_its_sessions_are_told_when_they_are_not_back():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    eyes.suffer(EFFECT)
    told = differences(before, Snapshot(nodes=eyes.nodes, sessions=eyes.bgp, cables=eyes.wires))
    assert any(
        line.startswith("leaf1: link eth1 was up, carrier, MTU 9100, noqueue, is down, no carrier") for line in told
    )
    assert any("leaf1: route 192.168.102.0/30 was unicast 10.1.1.1/eth 10.2.1.1/eth" in line for line in told)
    assert "leaf1: session 10.1.1.1 was Established, is Active" in told


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("addresses", (), "address"),
        ("neighbors", (), "neighbor"),
        ("addresses", ("eth1 10.1.1.2/30", "eth9 10.9.9.9/32"), "address eth9 10.9.9.9/32 was absent, is set"),
        ("chains", ("filter forward filter 5f0c drop",), "leaf1: filter chain filter forward filter 5f0c drop was"),
    ],
)
def test_what_differs_at_a_node_is_told(field, value, said):
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    eyes.nodes["leaf1"] = eyes.nodes["leaf1"].model_copy(update={field: value})
    assert any(
        said in line for line in differences(before, Snapshot(nodes=eyes.nodes, sessions=eyes.bgp, cables=eyes.wires))
    )


def test_a_changed_mtu_is_told():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    links = eyes.nodes["spine1"].links
    small = links["eth1"].model_copy(update={"mtu": 1400})
    eyes.nodes["spine1"] = eyes.nodes["spine1"].model_copy(update={"links": links | {"eth1": small}})
    told = differences(before, Snapshot(nodes=eyes.nodes, sessions=eyes.bgp, cables=eyes.wires))
    assert told == ("spine1: link eth1 was up, carrier, MTU 9100, noqueue, is up, carrier, MTU 1400, noqueue",)


def test_another_queueing_discipline_is_told():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    links = eyes.nodes["leaf1"].links
    queued = links["eth1"].model_copy(update={"qdisc": "netem"})
    eyes.nodes["leaf1"] = eyes.nodes["leaf1"].model_copy(update={"links": links | {"eth1": queued}})
    told = differences(before, Snapshot(nodes=eyes.nodes, sessions=eyes.bgp, cables=eyes.wires))
    assert told == ("leaf1: link eth1 was up, carrier, MTU 9100, noqueue, is up, carrier, MTU 9100, netem",)


def test_a_node_that_is_gone_is_told():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    del eyes.nodes["leaf2"]
    assert "leaf2 is gone" in differences(before, Snapshot(nodes=eyes.nodes, sessions=eyes.bgp, cables=eyes.wires))


@pytest.mark.parametrize("what", ["addresses", "routes", "sessions", "a session down"])
def test_an_empty_or_unhealthy_state_is_no_baseline(what):
    eyes = FakeEyes(PLAN)
    if what == "sessions":
        eyes.bgp["leaf1"] = {}
    elif what == "a session down":
        eyes.bgp["leaf1"]["10.1.1.1"] = "Connect"
    else:
        empty = () if what == "addresses" else {}
        eyes.nodes["leaf1"] = eyes.nodes["leaf1"].model_copy(update={what: empty})
    with pytest.raises(InfraError, match="leaf1") as refused:
        take(eyes, PLAN)
    assert refused.value.reason == "baseline_unhealthy"


def test_a_restored_fabric_is_proven_by_state_and_by_probes():
    eyes, prober = FakeEyes(PLAN), FakeProber()
    receipt = wait_restored(Witness(eyes, prober), take(eyes, PLAN), PLAN, EFFECT.paths, deadline_s=0)
    assert (receipt.step, receipt.is_as_expected) == ("restored", True)
    assert prober.asked == [probed(claim) for claim in EFFECT.paths]


def test_state_as_before_is_not_enough_when_probes_are_still_lost():
    eyes, prober = FakeEyes(PLAN), FakeProber()
    prober.suffer(EFFECT)
    with pytest.raises(InfraError, match="0 of 16 probes arrive") as stopped:
        wait_restored(Witness(eyes, prober), take(eyes, PLAN), PLAN, EFFECT.paths, deadline_s=0)
    assert stopped.value.reason == "not_restored"


def test_a_fabric_that_does_not_come_back_says_what_differs():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    eyes.suffer(EFFECT)
    with pytest.raises(InfraError, match=r"spine1: link eth1 was up, .*; and [0-9]+ more") as stopped:
        wait_restored(Witness(eyes, FakeProber()), before, PLAN, deadline_s=0)
    assert stopped.value.reason == "not_restored"


def test_a_cable_that_still_lies_otherwise_is_no_restored_fabric():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    link = PLAN.links[0].id
    eyes.wires = {**eyes.wires, link: "up, clsact, netem"}
    with pytest.raises(InfraError, match=f"cable {link} was up, clsact, is up, clsact, netem") as stopped:
        wait_restored(Witness(eyes, FakeProber()), before, PLAN, deadline_s=0)
    assert stopped.value.reason == "not_restored"
    assert differences(before, take(eyes, PLAN))


class CountingEyes(FakeEyes):
    """Remembers which nodes were read, look by look."""

    def __init__(self, plan) -> None:
        super().__init__(plan)
        self.looks: list[list[str]] = []

    def state(self, nodes):
        self.looks.append(list(nodes))
        return super().state(nodes)


def test_only_nodes_that_differed_are_looked_at_again_and_all_of_them_at_the_end():
    eyes = CountingEyes(PLAN)
    before = take(eyes, PLAN)
    eyes.suffer(EFFECT)
    comparison = Comparison(Witness(eyes, FakeProber()), before, PLAN, ["leaf1"])
    eyes.looks.clear()
    assert comparison.differences()
    assert comparison.differences()
    assert eyes.looks == [["leaf1"], ["leaf1"]]
    eyes.recover()
    assert comparison.differences() == ()
    assert [len(look) for look in eyes.looks] == [1, 1, 1, len(PLAN.nodes)]


def test_what_differs_where_nobody_expected_it_is_found_all_the_same():
    eyes = CountingEyes(PLAN)
    before = take(eyes, PLAN)
    eyes.nodes["spine2"] = eyes.nodes["spine2"].model_copy(update={"filters": ("filter forward 1 abc",)})
    comparison = Comparison(Witness(eyes, FakeProber()), before, PLAN, ["leaf1"])
    assert comparison.differences() == ("spine2: filter rule filter forward 1 abc was absent, is set",)
    eyes.looks.clear()
    assert comparison.differences()
    assert eyes.looks == [["spine2"]]


def test_what_a_host_remembers_of_a_narrow_path_is_told():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    eyes.nodes["client1"] = eyes.nodes["client1"].model_copy(update={"path_mtus": ("192.168.102.2/32 1400",)})
    told = differences(before, Snapshot(nodes=eyes.nodes, sessions=eyes.bgp, cables=eyes.wires))
    assert told == ("client1: path MTU 192.168.102.2/32 1400 was absent, is set",)
