"""What `sweeper` and `tracer` read out of devices' own words: one reader for all vendors."""

import re
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest

from netopsbench.agent.controls import Random
from netopsbench.agent.sweeper.policies import learns_nothing, missing_statics, short_lists, unbound_ports
from netopsbench.agent.sweeper.reading import (
    read_arp,
    read_connected,
    read_fib,
    read_interfaces,
    read_peers,
    read_statics,
)
from netopsbench.agent.sweeper.sweeper import Sweeper
from netopsbench.agent.tracer.path_tracer import PathTracer
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Budget, Question
from netopsbench.vendors.names import NAMES, Vendor

_GOLDEN = Path(__file__).parents[1] / "vendors" / "golden"
_LAID_OUT: tuple[Vendor, ...] = ("huawei", "h3c", "cisco", "arista")


def printed(vendor: Vendor, need: str) -> str:
    """What the vendor's first command for a need prints in the golden files."""
    return (_GOLDEN / vendor / f"{need}.txt").read_text(encoding="utf-8").split("\n\n$ ")[0]


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_interfaces_of_every_vendor_by_the_kernels_name(vendor: Vendor) -> None:
    read = {each.name: each for each in read_interfaces(printed(vendor, "interface_detail"), NAMES[vendor])}
    assert read["eth1"].is_on
    assert (read["eth1"].mtu, read["eth1"].mac) == (9100, "024e00030001")
    assert read["eth1"].addresses == ("10.1.1.2/30",)
    assert (read["eth1"].is_down, read["eth2"].is_on, read["eth2"].is_down) == (False, True, True)
    assert not read["eth3"].is_on
    assert read["lo"].addresses == ("10.255.0.3/32",)


def test_interfaces_as_linux_prints_them() -> None:
    text = (
        "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n    inet 10.255.0.3/32 scope global lo\n"
        "2: eth1@if7: <BROADCAST,MULTICAST> mtu 1280 qdisc noqueue state DOWN\n    link/ether 02:4e:00:03:00:01 brd f\n"
        "    inet 10.1.1.2/30 scope global eth1\n"
    )
    read = {each.name: each for each in read_interfaces(text, NAMES["frr"])}
    assert (read["eth1"].is_on, read["eth1"].mtu, read["eth1"].addresses) == (False, 1280, ("10.1.1.2/30",))
    assert read["lo"].is_on


@pytest.mark.parametrize("vendor", [*_LAID_OUT, "sonic"])
def test_arp_of_every_vendor(vendor: Vendor) -> None:
    read = read_arp(printed(vendor, "arp"))
    assert read[IPv4Address("10.1.1.1")] == "024e00010001"
    assert IPv4Address("192.168.101.3") not in read


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_static_routes_of_every_vendor(vendor: Vendor) -> None:
    read = {route.prefix: route.gateway for route in read_statics(printed(vendor, "route_table"))}
    default, discarded = IPv4Network("0.0.0.0/0"), IPv4Network("192.168.12.0/24")
    assert read == {default: IPv4Address("10.1.1.1"), discarded: None}


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_as_numbers_of_every_vendor(vendor: Vendor) -> None:
    read = read_peers(printed(vendor, "bgp_summary"))
    assert 65001 in read[IPv4Address("10.1.1.1")]
    assert 4200000001 in read[IPv4Address("10.2.1.1")]


USERS = [IPv4Network("10.1.0.0/24")]


@pytest.mark.parametrize(
    "head", ["ip prefix-list USERS: 1 entries", "BGP: ip prefix-list USERS: 1", "Prefix-list USERS"]
)
def test_a_prefix_list_that_lacks_a_user_is_told_by_its_name(head: str) -> None:
    other = "Prefix-list RESERVED\n  seq 5 permit 127.0.0.0/8 le 32\n"
    short = f"{other}{head}\n   seq 5 permit 10.255.0.1/32\n"
    assert [name for name, _ in short_lists(short, "10.255.0.1", USERS)] == ["USERS"]
    assert list(short_lists(f"{short}   seq 10 permit 10.1.0.0/24\n", "10.255.0.1", USERS)) == []


def test_ports_that_translation_leaves_out_are_inner_or_outer() -> None:
    whole = 'iifname "eth0" set meta mark 1\nchain postrouting {\noifname "eth2" meta mark 0x1 masquerade\n'
    inner = {"eth0": True, "eth2": False}
    assert list(unbound_ports(whole, inner)) == []
    assert [port for port, _ in unbound_ports(whole.replace("eth2", "eth9"), inner)] == ["eth2"]
    assert [cause[:12] for _, cause in unbound_ports(whole.replace("eth0", "eth1"), inner)] == ["NAT internal"]
    assert list(unbound_ports("chain forward {", inner)) == []


def test_a_missing_route_is_a_network_or_where_there_is_a_single_way_out_the_default() -> None:
    near, far = IPv4Network("10.1.0.0/24"), IPv4Network("10.2.0.0/24")

    def lacking(table: str, *, has_one_way: bool) -> list[str]:
        return [thing for thing, _ in missing_statics(table, [near, far], has_one_way=has_one_way)]

    # Arista names its VRF above the table.
    assert lacking("VRF: default\n C 10.1.0.0/24", has_one_way=False) == ["10.2.0.0/24"]
    assert lacking("C 10.1.0.0/24", has_one_way=True) == ["0.0.0.0/0"]
    assert lacking("default via 10.1.0.1 dev eth0", has_one_way=True) == []
    assert lacking("S 0.0.0.0/0 via", has_one_way=False) == []


def test_who_learns_routes_is_seen_in_the_configuration_and_else_among_the_processes() -> None:
    assert learns_nothing("ip route 10.0.0.0/8 10.1.0.1", "")
    assert not learns_nothing("router isis CORE", "")
    assert learns_nothing("", "zebra 0.0%\nstaticd 0.0%")
    assert not learns_nothing("", "zebra 0.0%\nospfd 0.0%")
    assert not learns_nothing("", "")


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_connected_networks_of_every_vendor_by_the_kernels_name(vendor: Vendor) -> None:
    read = read_connected(printed(vendor, "route_table"), NAMES[vendor])
    assert ("eth1", IPv4Network("10.1.1.0/30")) in read


@pytest.mark.parametrize("vendor", [*_LAID_OUT, "sonic"])
def test_the_kernels_routes_of_every_vendor(vendor: Vendor) -> None:
    read = {route.prefix: route.gateway for route in read_fib(printed(vendor, "fib"))}
    assert read[IPv4Network("192.168.12.0/24")] is None
    assert None not in {gateway for prefix, gateway in read.items() if prefix != IPv4Network("192.168.12.0/24")}


def test_the_kernels_routes_as_linux_prints_them() -> None:
    text = (
        "blackhole 10.9.0.0/24 proto static metric 20\n10.1.0.0/24 dev eth0 proto kernel scope link src 10.1.0.1\n"
        "10.3.0.7 via 10.1.0.2 dev eth0 proto static metric 20\n"
    )
    read = {str(route.prefix): route.gateway for route in read_fib(text)}
    assert read == {"10.9.0.0/24": None, "10.3.0.7/32": IPv4Address("10.1.0.2")}


POLICY = "security policy rule does not permit the corresponding user"


class _Pair:
    """Two routers between two hosts: r1 Cisco, r2 Huawei; a command that isn't listed is denied."""

    def __init__(self, said: dict[tuple[str, str], str]) -> None:
        self._said = said
        self.typed: list[tuple[str, str]] = []

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        if name == "get_topology":
            return _TOPOLOGY
        device, command = arguments["device"], arguments["command"]
        vendor = {"r1": "cisco", "r2": "huawei"}.get(device, "linux")
        if command != "?" and (device, command) not in self._said:
            raise ToolError("No permission to perform the operation", "denied")
        self.typed.append((device, command))
        # A device repeats the line behind its prompt.
        return {"vendor": vendor, "result": f"{device}#{command}\n{self._said.get((device, command), '')}"}


def _end(port: str, address: str) -> dict[str, str]:
    device, _, interface = port.partition(":")
    return {"device": device, "interface": interface, "address": address}


def _link(a: tuple[str, str], b: tuple[str, str], prefix: str) -> dict[str, Any]:
    return {"a": _end(*a), "b": _end(*b), "prefix": prefix, "mtu_bytes": 1500, "kind": "fabric"}


def _node(name: str, asn: int | None = None, address: str | None = None) -> dict[str, Any]:
    role = "host" if address else "router"
    return {"name": name, "role": role, "asn": asn, "loopback": None, "address": address, "attached_to": None}


_TOPOLOGY: dict[str, Any] = {
    "nodes": [_node("r1", 1), _node("r2", 2), _node("pc1", None, "10.1.0.9"), _node("pc2", None, "10.2.0.9")],
    "links": [
        _link(("pc1:eth0", "10.1.0.9"), ("r1:eth0", "10.1.0.1"), "10.1.0.0/24"),
        _link(("r1:eth1", "10.0.0.1"), ("r2:eth1", "10.0.0.2"), "10.0.0.0/30"),
        _link(("r2:eth0", "10.2.0.1"), ("pc2:eth0", "10.2.0.9"), "10.2.0.0/24"),
    ],
    "page": {"total": 3, "offset": 0, "returned": 3, "next_offset": None},
}


def _question(task: str, text: str) -> Question:
    budget = Budget(wall_time_s=60, tool_calls=50)
    return Question.model_validate({"task": task, "text": text, "labels": (), "budget": budget, "answer_schema": {}})


def test_the_tracer_follows_next_hops_and_names_ports_as_the_devices_do() -> None:
    tools = _Pair(
        {
            ("pc1", "ip route get 10.2.0.9"): "10.2.0.9 via 10.1.0.1 dev eth0 src 10.1.0.9 uid 0",
            ("r1", "show ip cef 10.2.0.9"): "10.2.0.0/24\n  nexthop 10.0.0.2 GigabitEthernet0/1",
        }
    )
    question = _question("path", "packets from pc1 (10.1.0.9) to pc2 (10.2.0.9) take")
    said = PathTracer().answer(question, tools).reasoning
    assert "pc1_eth0->r1_GigabitEthernet0/1->r2_GigabitEthernet0/0/0->pc2" in said


def test_the_tracer_asks_every_router_on_the_way_once_and_no_host_at_a_single_cable() -> None:
    hop = "Routing entry for 10.2.0.0/24\n  * 10.0.0.2, via GigabitEthernet0/1"
    connected = "10.2.0.0/24  Direct  0  0  D  10.2.0.1  GigabitEthernet0/0/0"
    lines = (("r1", "show ip route 10.2.0.9"), ("r2", "display ip routing-table 10.2.0.9"))
    tools = _Pair(dict(zip(lines, (hop, connected), strict=True)))
    PathTracer().answer(_question("path", "packets from pc1 (10.1.0.9) to pc2 (10.2.0.9) take"), tools)
    assert [typed for typed in tools.typed if typed[1] != "?"] == list(lines)


def test_the_sweeper_names_what_differs_from_the_design() -> None:
    detail = (
        "GigabitEthernet0/0 is up, line protocol is up\n  Internet address is 10.1.0.1/24\n  MTU 1500 bytes\n"
        "GigabitEthernet0/1 is administratively down, line protocol is down\n  Internet address is 10.0.0.1/30\n"
        "  MTU 1280 bytes\n"
    )
    table = "S     10.2.0.0/24 is directly connected, Null0\nS     10.2.0.9/32 [1/0] via 10.1.0.9, GigabitEthernet0/0\n"
    tools = _Pair({("r1", "show interfaces"): detail, ("r1", "show ip route"): table})
    said = set(Sweeper().answer(_question("rca", ""), tools).reasoning.splitlines())
    assert said == {
        "<result>",
        "r1;GigabitEthernet0/1;shutdown",
        "r1;GigabitEthernet0/1;MTU value misconfiguration",
        "r1;10.2.0.0/24;blackhole route",
        "r1;10.2.0.9/32;incorrect static route",
        "</result>",
    }


def test_the_sweeper_sees_a_port_that_was_shut_down_where_it_may_not_look_from_its_other_end() -> None:
    detail = "GigabitEthernet0/1 is down, line protocol is down\n  Internet address is 10.0.0.1/30\n  MTU 1500 bytes\n"
    tools = _Pair({("r1", "show interfaces"): detail})
    said = Sweeper().answer(_question("rca", ""), tools).reasoning.splitlines()
    assert said == ["<result>", "r2;GigabitEthernet0/0/1;shutdown", "</result>"]


def test_the_sweeper_reads_the_kernels_table_where_the_routing_table_is_denied() -> None:
    fib = "10.2.0.0/24  drop  Null0\n10.2.0.9/32  10.1.0.9  GigabitEthernet0/0\n"
    said = Sweeper().answer(_question("rca", ""), _Pair({("r1", "show ip cef"): fib})).reasoning.splitlines()
    assert said[1:-1] == ["r1;10.2.0.0/24;blackhole route", "r1;10.2.0.9/32;incorrect static route"]


def test_the_sweeper_sees_a_moved_port_in_the_route_table_where_it_may_not_look_at_ports() -> None:
    table = "C     10.9.0.0/30 is directly connected, GigabitEthernet0/1\n"
    said = Sweeper().answer(_question("rca", ""), _Pair({("r1", "show ip route"): table})).reasoning.splitlines()
    assert said[1:-1] == ["r1;GigabitEthernet0/1;interface IP error"]


@pytest.mark.parametrize("mac", ["024e-0001-0001", "0016-3e00-000a"])
def test_the_sweeper_blames_a_neighbor_that_tells_nothing_for_a_session_when_their_link_is_in_order(mac: str) -> None:
    port = "is up, line protocol is up\n  Hardware address is 024e.000{}.0001\n  Internet address is {}/30\n"
    there = f"GigabitEthernet0/0/1 current state : UP\nInternet Address is 10.0.0.2/30\nHardware address is {mac}\n"
    tools = _Pair(
        {
            ("r1", "show interfaces"): f"GigabitEthernet0/1 {port.format(3, '10.0.0.1')}",
            ("r1", "show ip bgp summary"): "10.0.0.2        4         2         9        9  0  0 00:00:09 Active\n",
            ("r1", "show ip arp"): "Internet  10.0.0.2  -  024e.0001.0001  ARPA  GigabitEthernet0/1\n",
            ("r2", "display interface"): there,
        }
    )
    said = Sweeper().answer(_question("rca", ""), tools).reasoning.splitlines()
    assert ("r2;GigabitEthernet0/0/1;BGP configuration error" in said) == mac.startswith("024e")


def test_a_policy_that_refuses_a_user_is_told_and_one_that_refuses_a_service_is_not() -> None:
    head = "Extended IP access list forward\n"
    service = "    10 deny tcp any 10.1.0.0 0.0.0.255 eq 23 ! out GigabitEthernet0/0\n"
    user = "    20 deny ip 10.1.0.0 0.0.0.255 any ! in GigabitEthernet0/0\n"
    for text, said in ((head + service, []), (head + service + user, ["r1;GigabitEthernet0/0;" + POLICY])):
        tools = _Pair({("r1", "show access-lists"): text})
        assert Sweeper().answer(_question("rca", ""), tools).reasoning.splitlines()[1:-1] == (said or [""])


def test_chance_answers_in_the_form_of_the_task_and_the_same_for_the_same_seed() -> None:
    text = "- cause: one of\n  - shutdown\n  - blackhole route\n"
    for task, form in (
        ("rca", r"<result>\n\w+;eth\d;(shutdown|blackhole route)\n</result>"),
        ("path", r".*\w+_eth\d->\w+"),
    ):
        said = [Random(7).answer(_question(task, text), _Pair({})).reasoning for _ in range(2)]
        assert said[0] == said[1]
        assert re.match(form, said[0], re.DOTALL)


def test_agents_of_one_task_say_nothing_to_another() -> None:
    tools = _Pair({})
    assert PathTracer().answer(_question("rca", ""), tools).verdict == "inconclusive"
    assert Sweeper().answer(_question("path", ""), tools).verdict == "inconclusive"
