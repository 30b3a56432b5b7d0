import pytest
from fault_fakes import FakeEyes, FakeProber, clos, probed

from netopsbench.core.errors import InfraError
from netopsbench.faults import witness as watching_module
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.faults.contract import PORTS, Effect
from netopsbench.faults.witness import Witness, check_effect, gate_effect, poll

UPLINK = ("link_down", {"at": "leaf1:eth1"})
CLIENT = ("link_down", {"at": "leaf1:eth3", "variant": "carrier"})
ROUTE = ("blackhole_route", {"device": "leaf1", "prefix": "192.168.102.0/30"})


def seen(fault) -> tuple[Effect, FakeEyes, FakeProber, Witness]:
    plan = clos()
    eyes, prober = FakeEyes(plan), FakeProber()
    return change_of(parse_fault(*fault, "test"), plan).effect, eyes, prober, Witness(eyes, prober)


@pytest.mark.parametrize("fault", [UPLINK, CLIENT, ROUTE])
def test_the_whole_effect_passes_the_gate(fault):
    effect, eyes, prober, witness = seen(fault)
    eyes.suffer(effect)
    prober.suffer(effect)
    receipt = gate_effect(witness, effect, deadline_s=0)
    assert receipt.step == "effect_before"
    assert receipt.is_as_expected
    assert check_effect(witness, effect, deadline_s=0).step == "effect_after"


@pytest.mark.parametrize("fault", [UPLINK, CLIENT, ROUTE])
def test_a_healthy_fabric_fails_the_gate(fault):
    effect, _, _, witness = seen(fault)
    with pytest.raises(InfraError) as stopped:
        gate_effect(witness, effect, deadline_s=0)
    assert stopped.value.reason == "effect_not_seen"


@pytest.mark.parametrize("missing", ["ports", "hops_gone", "sessions"])
def test_each_part_of_an_effect_is_missed_by_name(missing):
    effect, eyes, prober, witness = seen(UPLINK)
    eyes.suffer(effect.model_copy(update={missing: ()}))
    prober.suffer(effect)
    said = {
        "ports": "leaf1:eth1 has carrier",
        "hops_gone": "routes still lead to 10.1.1.1",
        "sessions": "leaf1: session with 10.1.1.1 is Established",
    }
    with pytest.raises(InfraError, match=said[missing]):
        gate_effect(witness, effect, deadline_s=0)


def test_a_missing_route_is_missed_by_name():
    effect, _, prober, witness = seen(ROUTE)
    prober.suffer(effect)
    with pytest.raises(InfraError, match=r"route 192\.168\.102\.0/30 is unicast in the kernel, not blackhole"):
        gate_effect(witness, effect, deadline_s=0)


def test_a_lost_carrier_is_not_an_administrative_fault():
    effect, eyes, prober, witness = seen(UPLINK)
    eyes.suffer(
        effect.model_copy(update={"ports": tuple(p.model_copy(update={"is_admin_up": True}) for p in effect.ports)})
    )
    prober.suffer(effect)
    with pytest.raises(InfraError, match="leaf1:eth1 is administratively up"):
        gate_effect(witness, effect, deadline_s=0)


def test_one_probe_that_gets_through_is_enough_to_doubt():
    effect, eyes, prober, witness = seen(ROUTE)
    eyes.suffer(effect)
    prober.suffer(effect)
    lost = next(claim for claim in effect.paths if claim.arrives == "none")
    prober.counts[probed(lost)] = (1, 0)
    with pytest.raises(InfraError, match=r"client1 .* to client2 .*: 1 of 16 probes arrive"):
        gate_effect(witness, effect, deadline_s=0)


def test_a_control_path_that_loses_one_probe_fails_the_gate():
    effect, eyes, prober, witness = seen(CLIENT)
    eyes.suffer(effect)
    prober.suffer(effect)
    control = next(claim for claim in effect.paths if claim.arrives == "all")
    prober.counts[probed(control)] = (PORTS - 1, PORTS - 1)
    with pytest.raises(InfraError, match="15 of 16 probes arrive"):
        gate_effect(witness, effect, deadline_s=0)


def test_no_probe_is_sent_before_the_rest_of_the_effect_is_there():
    effect, eyes, prober, witness = seen(ROUTE)
    assert witness.unseen(effect)
    assert prober.asked == []
    eyes.suffer(effect)
    assert witness.unseen(effect)
    assert len(prober.asked) == len(effect.paths)


def test_an_effect_that_comes_late_is_waited_for():
    effect, eyes, prober, witness = seen(ROUTE)
    looks = 0
    look = eyes.state

    def late(nodes):
        nonlocal looks
        looks += 1
        if looks == 3:
            eyes.suffer(effect)
            prober.suffer(effect)
        return look(nodes)

    eyes.state = late
    assert gate_effect(witness, effect, deadline_s=60).is_as_expected
    assert looks == 3


def test_an_effect_that_ended_while_the_agent_worked_is_told_as_such():
    effect, _, _, witness = seen(ROUTE)
    with pytest.raises(InfraError) as stopped:
        check_effect(witness, effect, deadline_s=0)
    assert stopped.value.reason == "effect_gone_before_answer"


def test_a_session_that_the_daemon_does_not_know_is_not_established():
    effect, eyes, prober, witness = seen(UPLINK)
    eyes.suffer(effect)
    prober.suffer(effect)
    eyes.bgp["leaf1"].clear()
    assert gate_effect(witness, effect, deadline_s=0).is_as_expected


@pytest.mark.parametrize(("look_s", "looks"), [(30, 2), (9, 3), (0, 3)])
def test_what_is_still_missing_is_never_judged_by_a_look_from_before_the_deadline(monkeypatch, look_s, looks):
    clock, begun = [0.0], []
    monkeypatch.setattr(watching_module.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(watching_module.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + 10))

    def look() -> tuple[str, ...]:
        begun.append(clock[0])
        clock[0] += look_s
        return ("a route",)

    assert poll(look, 20) == ("a route",)
    assert begun[-1] >= 20
    assert len(begun) == looks
