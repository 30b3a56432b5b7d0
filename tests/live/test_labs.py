"""Labs on real namespaces: they come up healthy, and the check finds what is broken."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from subprocess import CompletedProcess

import pytest

from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.inspect import Finding, check_lab, settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.native.service_software import BUNDLES, fetch_service_software
from netopsbench.fabric.render import render_files
from netopsbench.tools.devices.get_link_neighbors import get_link_neighbors
from netopsbench.tools.live import unmeasured
from netopsbench.tools.packets.trace_flow import trace_flow

pytestmark = pytest.mark.live

DEADLINE_S = 60.0

Ordinary = Callable[[Sequence[str]], "CompletedProcess[str]"]


@pytest.fixture(scope="module")
def lab_engine(engine: NativeEngine) -> NativeEngine:
    """An engine that can run services; skips with the reason where their programs can't be had."""
    try:
        for bundle in BUNDLES:
            fetch_service_software(bundle, print)
    except UnsupportedError as reason:
        pytest.skip(f"no programs for labs here: {reason}")
    return engine


@contextmanager
def running(engine: NativeEngine, name: str) -> Iterator[NativeFabric]:
    plan = plan_fabric(load_spec(name))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        settle_lab(fabric, deadline_s=DEADLINE_S)
        yield fabric
    finally:
        fabric.destroy()


@pytest.fixture(scope="module")
def enterprise(lab_engine: NativeEngine) -> Iterator[NativeFabric]:
    with running(lab_engine, "ospf_enterprise_static") as fabric:
        yield fabric


def told(findings: list[Finding], kind: str) -> set[tuple[str, str]]:
    return {(finding.node, finding.about) for finding in findings if finding.kind == kind}


def must(fabric: NativeFabric, node: str, command: str) -> str:
    done = fabric.exec(node, ["sh", "-c", command])
    assert done.is_ok, f"{command} on {node}: {done.stderr}"
    return done.stdout


def test_two_routers_and_their_hosts_come_up_healthy(lab_engine: NativeEngine) -> None:
    with running(lab_engine, "simple_bgp") as fabric:
        assert check_lab(fabric) == []
        must(fabric, "router1", "ip link set dev eth0 down")
        findings = check_lab(fabric)
        assert {("router1", "eth0"), ("router2", "eth0")} <= told(findings, "link")
        assert told(findings, "adjacency") == {("router1", "router2"), ("router2", "router1")}
        assert told(findings, "reachability") == {("pc1", "pc2"), ("pc2", "pc1")}
        must(fabric, "router1", "ip link set dev eth0 up")
        settle_lab(fabric, deadline_s=DEADLINE_S)


def test_an_enterprise_serves_names_and_pages(enterprise: NativeFabric) -> None:
    assert check_lab(enterprise) == []
    assert must(enterprise, "host1", "busybox wget -qO- http://web2.local/") == "travel requests\n"


def test_a_stopped_web_server_is_found_and_comes_back(enterprise: NativeFabric) -> None:
    must(enterprise, "web3", "/etc/init.d/http stop")
    findings = check_lab(enterprise)
    assert told(findings, "service") == {("web3", "http")}
    assert {about for _, about in told(findings, "http")} == {"web3"}
    must(enterprise, "web3", "/etc/init.d/http start")
    settle_lab(enterprise, deadline_s=DEADLINE_S)


def test_a_host_with_another_name_server_resolves_nothing(enterprise: NativeFabric) -> None:
    saved = must(enterprise, "host2", "cat /etc/resolv.conf")
    must(enterprise, "host2", "echo 'nameserver 10.3.0.81' > /etc/resolv.conf")
    findings = check_lab(enterprise)
    assert {node for node, _ in told(findings, "dns")} == {"host2"}
    must(enterprise, "host2", f"printf '%s' '{saved}' > /etc/resolv.conf")
    settle_lab(enterprise, deadline_s=DEADLINE_S)


def test_a_lan_cable_carries_loss_of_carrier_and_leaves_the_others_alone(enterprise: NativeFabric) -> None:
    lab = enterprise.plan.lab
    assert lab is not None
    must(enterprise, "web4", "ip link set dev eth0 down")
    findings = check_lab(enterprise)
    assert told(findings, "link") == {("web4", "eth0")}
    assert all("web4" in pair for pair in told(findings, "reachability"))
    must(enterprise, "web4", "ip link set dev eth0 up && ip route add default via 10.3.0.1")
    settle_lab(enterprise, deadline_s=DEADLINE_S)


def test_everybody_on_a_lan_answers_and_flows_are_followed_over_it(enterprise: NativeFabric) -> None:
    tools = unmeasured(enterprise)
    asked = get_link_neighbors(tools, "farm").neighbors
    assert len(asked) == 6
    assert [each for each in asked if each.actual_peer != each.designed_peer] == []
    there, back = trace_flow(tools, "host1", "web2", source_port=7), trace_flow(tools, "web2", "host1", source_port=7)
    assert (there.is_complete, there.hops[-1].device, back.hops[0].next_device) == (True, "farm", "farm")
    assert {hop.device for hop in there.hops} == {hop.next_device for hop in back.hops}
    assert [hop.next_device for hop in trace_flow(tools, "web1", "web2", source_port=7).hops] == ["web2"]


def test_an_ended_ospfd_is_missed_by_its_neighbor(enterprise: NativeFabric) -> None:
    must(
        enterprise,
        "pod1",
        "pid=$(cat /run/frr/ospfd.pid); kill $pid; while kill -0 $pid 2>/dev/null; do sleep 0.05; done",
    )
    assert ("pod1", "core1") in told(check_lab(enterprise), "adjacency")
    must(enterprise, "pod1", "/etc/init.d/frr start")
    settle_lab(enterprise, deadline_s=DEADLINE_S)


@pytest.mark.slow
def test_redundancy_that_is_taken_away_is_told(lab_engine: NativeEngine) -> None:
    with running(lab_engine, "redundant_office") as fabric:
        tools = unmeasured(fabric)
        asked = get_link_neighbors(tools, "sw1").neighbors
        assert [(each.designed_peer, each.actual_peer) for each in asked] == [
            (far, far) for far in ("sw2:eth1", "sw3:eth1", "gw1:eth2", "pc4:eth0")
        ]
        way = trace_flow(tools, "pc2", "files1", source_port=7)
        assert [hop.next_device for hop in way.hops] == ["gw2", "core", "files1"]
        must(fabric, "gw1", "vtysh -c 'configure terminal' -c 'interface eth2' -c 'no vrrp 1'")
        must(fabric, "sw2", "ip link set dev br0 type bridge priority 0")
        findings = check_lab(fabric)
        assert ("gw1", "eth2 1") in told(findings, "gateway")
        assert ("sw2", "br0") in told(findings, "bridge")


@pytest.mark.slow
def test_another_number_of_a_vxlan_is_told(lab_engine: NativeEngine) -> None:
    with running(lab_engine, "metro_overlay") as fabric:
        made = "ip link add name vxlan10 type vxlan id 11 local 10.255.80.3 dstport 4789 nolearning"
        must(fabric, "pe1", f"ip link del dev vxlan10 && {made} && ip link set dev vxlan10 master br0 up")
        findings = check_lab(fabric)
        assert told(findings, "tunnel") == {("pe1", "vxlan10")}
        assert ("shop1", "shop2") in told(findings, "reachability")


@pytest.mark.slow
def test_an_ordinary_user_runs_a_lab_with_services(as_ordinary_user: Ordinary) -> None:
    def netopsbench(*words: str) -> str:
        done = as_ordinary_user([sys.executable, "-m", "netopsbench.cli.main", *words])
        assert done.returncode == 0, done.stderr
        return done.stderr

    netopsbench("doctor", "--fix")
    netopsbench("fabric", "up", "rip_office")
    try:
        assert "rip_office is healthy" in netopsbench("lab", "check", "rip_office")
    finally:
        netopsbench("fabric", "down", "rip_office")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "dc_clos_bgp",
        "rip_office",
        "ospf_eigrp_campus",
        pytest.param("redundant_office", marks=pytest.mark.slow),
        pytest.param("metro_overlay", marks=pytest.mark.slow),
    ],
)
def test_every_other_lab_comes_up_healthy_too(lab_engine: NativeEngine, name: str) -> None:
    with running(lab_engine, name) as fabric:
        assert check_lab(fabric) == []
