"""Faults on real namespaces: each is seen by the witness, and gone afterwards."""

import sys
from collections.abc import Iterator
from pathlib import Path

import faults_in_turn
import pytest

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.faults.catalog import KINDS, change_of
from netopsbench.faults.inject import clear, inject, injected, sham
from netopsbench.faults.snapshot import differences, take, wait_restored
from netopsbench.faults.witness import Witness, check_effect, gate_effect
from netopsbench.records.faults import DeviceDown, FaultSpec

pytestmark = pytest.mark.live

XS = plan_fabric(load_spec("xs"))
FAULTS = faults_in_turn.one_of_each(XS)
EDITS = [fault for fault in FAULTS if not change_of(fault, XS).stops_routing]
BY_COMMAND = [fault for fault in FAULTS if not (isinstance(fault, DeviceDown) and fault.variant != "stopped")]
"""A crash isn't brought about by any command that could be replaced."""
ALL_STEPS = "inject effect_before effect_after undo restored"
STUBBED = ("vtysh", "ip", "tc", "nft", "/etc/init.d/frr")
ASKING = """
import socket, sys
for attempt in range(3):
    for port in range(33000, 33016):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.setsockopt(socket.IPPROTO_IP, 10, 2)
            probe.bind(("", port))
            try:
                probe.sendto(bytes(9072), (sys.argv[1], 33434))
            except OSError:
                sys.exit(print("refused"))
print("sent")
"""
"""Large datagrams that must not be fragmented, by the rules of the route cache."""


def named(fault: FaultSpec) -> str:
    return "-".join(map(str, fault.model_dump(mode="json").values()))


@pytest.fixture(scope="module")
def watched(engine: NativeEngine) -> Iterator[tuple[NativeFabric, Witness]]:
    with faults_in_turn.watched_fabric(engine) as both:
        yield both


@pytest.fixture(scope="module")
def stubbed(engine: NativeEngine) -> Iterator[tuple[NativeFabric, Witness]]:
    """A fabric whose commands say that all is well and do nothing."""
    with faults_in_turn.watched_fabric(engine) as (fabric, witness):
        for command in STUBBED:
            for switch in (node.name for node in fabric.plan.nodes if node.is_switch):
                _replace(lambda argv, node=switch: fabric.exec(node, argv), command)
            _replace(fabric.exec_wire, command)
        yield fabric, witness


def _replace(run, command: str) -> None:
    path = run(["sh", "-c", f"command -v {command}"]).stdout.strip()
    if path:
        done = run(["mount", "--bind", "/usr/bin/true", path])
        assert done.is_ok, done.stderr


@pytest.mark.parametrize("fault", FAULTS, ids=map(named, FAULTS))
def test_every_fault_is_witnessed_and_restored(watched, fault):
    fabric, witness = watched
    assert faults_in_turn.go_through(fabric, witness, fault) == ALL_STEPS


def test_faults_work_for_an_ordinary_user_too(as_ordinary_user, engine):
    done = as_ordinary_user([sys.executable, str(Path(faults_in_turn.__file__).resolve())])
    assert done.returncode == 0, done.stderr
    assert [line.endswith(ALL_STEPS) for line in done.stdout.splitlines()] == [True] * len(faults_in_turn.a_few(XS))


@pytest.mark.parametrize(
    "kind",
    [
        kind if number % 3 == 0 else pytest.param(kind, marks=pytest.mark.slow)
        for number, kind in enumerate(KINDS.values())
    ],
    ids=list(KINDS),
)
def test_a_fault_made_twice_is_gone_after_one_undo_and_a_second_undo_does_no_harm(watched, kind):
    fabric, witness = watched
    for keys in kind.variant_keys:
        fault = kind.parse({**kind.example, **keys}, "test")
        effect = change_of(fault, fabric.plan).effect
        before = take(witness.eyes, fabric.plan)
        inject(fabric, fault)
        inject(fabric, fault)
        gate_effect(witness, effect)
        clear(fabric, fault)
        wait_restored(witness, before, fabric.plan, effect.paths)
        clear(fabric, fault)
        wait_restored(witness, before, fabric.plan, effect.paths)


def test_a_held_fault_ends_with_its_block(watched):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    fault = KINDS["blackhole_route"].parse(KINDS["blackhole_route"].example, "test")
    with injected(fabric, [fault], witness, seed=3) as injection:
        assert injection.recheck().is_as_expected
    assert wait_restored(witness, before, fabric.plan).is_as_expected


def test_a_sham_injection_leaves_every_running_configuration_alone(watched):
    fabric, witness = watched
    switches = [node.name for node in fabric.plan.nodes if node.is_switch]

    def running() -> dict[str, str]:
        return {name: fabric.exec(name, ["vtysh", "-c", "show running-config"]).stdout for name in switches}

    before, configured = take(witness.eyes, fabric.plan), running()
    for seed in range(3):
        with sham(fabric, witness, before, seed=seed) as injection:
            assert injection.recheck().is_as_expected
    assert running() == configured
    assert all("router bgp" in text for text in configured.values())


def test_a_sham_injection_notices_a_fabric_that_is_not_healthy(watched):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    fault = KINDS["link_down"].parse(KINDS["link_down"].example, "test")
    with (
        sham(fabric, witness, before, seed=1, deadline_s=0.5) as injection,
        injected(fabric, [fault], witness, seed=1),
        pytest.raises(InfraError) as stopped,
    ):
        injection.recheck()
    assert stopped.value.reason == "healthy_case_disturbed"
    wait_restored(witness, before, fabric.plan)


def _settings(text: str) -> set[str]:
    """Lines of a configuration that set something."""
    frame = ("!", "Building", "Current", "end", "exit", "line vty", "frr ", "no service integrated")
    return {line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(frame)}


@pytest.mark.parametrize("fault", EDITS[::4], ids=map(named, EDITS[::4]))
def test_running_saved_and_previously_saved_configuration_agree_on_every_switch(watched, fault):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    with injected(fabric, [fault], witness, seed=2):
        for switch in (node for node in fabric.plan.nodes if node.is_switch):
            shown = fabric.exec(switch.name, ["vtysh", "-c", "show running-config"]).stdout
            saved, previous = (
                fabric.exec(
                    switch.name, ["sh", "-c", f"cat /etc/frr/*d.conf{suffix} /etc/frr/zebra.conf{suffix}"]
                ).stdout
                for suffix in ("", ".sav")
            )
            assert _settings(saved) == _settings(previous) == _settings(shown)
            assert "router bgp" in saved
    wait_restored(witness, before, fabric.plan)


def test_nothing_that_was_typed_is_kept_in_a_file(watched):
    fabric, witness = watched
    fault = KINDS["blackhole_route"].parse(KINDS["blackhole_route"].example, "test")
    fabric.exec("leaf1", ["sh", "-c", "rm -f /root/.history_frr"])
    with injected(fabric, [fault], witness, seed=1):
        kept = fabric.exec("leaf1", ["grep", "-rl", "write memory", "/root", "/tmp", "/var", "/etc", "/run"]).stdout
    assert kept == ""


def test_the_witness_leaves_no_socket_in_any_node(watched):
    fabric, witness = watched
    effect = change_of(FAULTS[0], fabric.plan).effect
    assert witness.paths_unseen(effect.paths)
    for node in fabric.plan.nodes:
        sockets = fabric.exec(node.name, ["cat", "/proc/net/udp"]).stdout.splitlines()
        assert len(sockets) == 1, sockets


def test_a_carrier_fault_cannot_be_told_from_inside_by_its_configuration(watched):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    fault = KINDS["link_down"].parse({"at": "leaf1:eth2", "variant": "carrier"}, "test")
    with injected(fabric, [fault], witness, seed=1):
        assert " shutdown" not in fabric.exec("leaf1", ["vtysh", "-c", "show running-config"]).stdout
        # A port bounced by its own node must not end a fault of the cable.
        for line in ("shutdown", "no shutdown"):
            bounce = ["vtysh", "-c", "configure terminal", "-c", "interface eth2", "-c", line]
            assert fabric.exec("leaf1", bounce).is_ok
        assert check_effect(witness, change_of(fault, fabric.plan).effect, deadline_s=5).is_as_expected
    wait_restored(witness, before, fabric.plan)


@pytest.mark.parametrize("fault", BY_COMMAND, ids=map(named, BY_COMMAND))
def test_with_commands_that_do_nothing_no_fault_is_ever_seen(stubbed, fault):
    fabric, witness = stubbed
    with pytest.raises(InfraError) as stopped, injected(fabric, [fault], witness, seed=1, deadline_s=0.3):
        pytest.fail("a fault that nobody made was seen")
    assert stopped.value.reason == "effect_not_seen"


def test_hosts_forget_how_little_a_broken_path_carried(watched):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    fault = KINDS["mtu_mismatch"].parse({"at": "spine1:eth1", "variant": "both_sided"}, "test")
    # Sixteen ports take both spines, and one bad answer spoils the destination for all of them.
    send = ["python3", "-c", ASKING, "192.168.102.2"]
    if not fabric.exec("client1", ["python3", "-V"]).is_ok:
        pytest.skip("nodes have no python3 in /usr to send large datagrams with")
    with injected(fabric, [fault], witness, seed=1):
        assert fabric.exec("client1", send).stdout.strip() == "refused"
        assert witness.eyes.state(["client1"])["client1"].path_mtus
    wait_restored(witness, before, fabric.plan, change_of(fault, fabric.plan).effect.paths)
    assert fabric.exec("client1", send).stdout.strip() == "sent"


def test_a_switch_that_was_down_starts_as_it_did_at_first(watched):
    fabric, witness = watched

    def running() -> list[str]:
        return fabric.exec("leaf1", ["ps", "-e", "-o", "args="]).stdout.splitlines()

    before, at_first = take(witness.eyes, fabric.plan), [line for line in running() if "-f /etc/frr" in line]
    for variant in ("stopped", "dead_but_forwarding"):
        fault = KINDS["device_down"].parse({"device": "leaf1", "variant": variant}, "test")
        with injected(fabric, [fault], witness, seed=1):
            assert not [line for line in running() if "-f /etc/frr" in line]
        wait_restored(witness, before, fabric.plan)
        assert [line for line in running() if "-f /etc/frr" in line] == at_first
    assert len(at_first) == 3
    assert not [line for line in running() if "defunct" in line]


def test_packet_filters_of_every_switch_are_loaded_at_the_start(watched):
    fabric, witness = watched
    for node in fabric.plan.nodes:
        rules = witness.eyes.state([node.name])[node.name].filters
        shown = fabric.exec(node.name, ["nft", "list", "ruleset"]).stdout
        assert bool(rules) == node.is_switch
        assert len(rules) == sum("counter" in line for line in shown.splitlines())


def test_a_rule_that_only_counts_is_no_difference_and_one_that_drops_is(watched):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    for verdict, differ in (("", 0), ("drop", 1)):
        rule = f"add rule ip filter forward ip saddr 192.0.2.0/24 counter {verdict}\n"
        assert fabric.exec("spine1", ["nft", "-f", "-"], stdin=rule).is_ok
        assert len(differences(before, take(witness.eyes, fabric.plan))) == differ
    assert fabric.exec("spine1", ["nft", "flush", "ruleset"]).is_ok
    assert fabric.exec("spine1", ["nft", "-f", "/etc/nftables.conf"]).is_ok
    assert differences(before, take(witness.eyes, fabric.plan)) == ()


def test_a_filter_chain_of_another_policy_and_queues_of_nodes_and_cables_are_differences(watched):
    fabric, witness = watched
    before, cable = take(witness.eyes, fabric.plan), fabric.wire(fabric.plan.links[0].id).a_end
    # The same words declare a chain that is there, and set its policy.
    policy = "add chain ip filter forward { type filter hook forward priority filter; policy %s; }\n"

    def changed() -> list[str]:
        return [found.rpartition(" was ")[0] for found in differences(before, take(witness.eyes, fabric.plan))]

    def queued(verb: str, device: str) -> list[str]:
        return ["tc", "qdisc", verb, "dev", device, "root", "pfifo"]

    assert fabric.exec("spine1", ["nft", "-f", "-"], stdin=policy % "drop").is_ok
    assert len(changed()) == 2
    assert all("spine1: filter chain filter forward" in words for words in changed())
    assert fabric.exec("spine1", ["nft", "-f", "-"], stdin=policy % "accept").is_ok
    assert fabric.exec("leaf1", queued("replace", "eth1")).is_ok
    assert changed() == ["leaf1: link eth1"]
    assert fabric.exec("leaf1", queued("del", "eth1")).is_ok
    assert fabric.exec_wire(queued("replace", cable)).is_ok
    assert changed() == [f"cable {cable}"]
    assert fabric.exec_wire(queued("del", cable)).is_ok
    assert changed() == []


def test_two_faults_are_held_at_once_and_both_are_gone_afterwards(engine):
    with faults_in_turn.watched_fabric(engine, "small") as (fabric, witness):
        before = take(witness.eyes, fabric.plan)
        faults = [
            KINDS["acl_misconfig"].parse({"at": "leaf1:eth3", "prefix": "192.168.101.0/30", "variant": "out"}, "test"),
            KINDS["link_down"].parse({"at": "leaf3:eth1", "variant": "admin"}, "test"),
        ]
        with injected(fabric, faults, witness, seed=1) as injection:
            assert [receipt.step for receipt in injection.receipts].count("inject") == 2
            assert injection.recheck().is_as_expected
        assert [receipt.step for receipt in injection.undone] == ["undo", "undo"]
        wait_restored(witness, before, fabric.plan)
