"""What daemons and the kernel print, as facts."""

import json
import os
from typing import Any, cast

import pytest

from netopsbench.core.errors import ToolError
from netopsbench.core.process import Completed
from netopsbench.vendors import facts as f
from netopsbench.vendors import filters, read_bgp, read_config, read_kernel, read_routing
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Facts, View
from netopsbench.vendors.live import LiveDevice
from netopsbench.vendors.names import Vendor
from netopsbench.vendors.table import commands_for


def test_adjacencies_of_all_protocols_are_read_as_the_daemons_print_them() -> None:
    ospf = {
        "neighbors": {
            "1.1.1.2": [
                {"nbrPriority": 1, "nbrState": "Full/-", "routerDeadIntervalTimerDueMsec": 3120,
                 "ifaceAddress": "10.1.1.1", "ifaceName": "eth1:10.1.1.2"}
            ]
        }
    }  # fmt: skip
    (neighbor,) = read_routing.ospf(ospf).neighbors
    assert (neighbor.router_id, neighbor.interface, neighbor.state, neighbor.role) == ("1.1.1.2", "eth1", "Full", "-")
    circuit = {"circuit": 0, "adj": "spine1", "interface": "eth1", "level": 3, "state": "Up", "expires-in": "29s"}
    isis = {"areas": [{"area": "A", "circuits": [circuit, {"circuit": 1}]}]}
    (adjacency,) = read_routing.isis(isis).neighbors
    assert (adjacency.interface, adjacency.level, adjacency.hold_s) == ("eth1", "L1L2", 29)
    bfd = [{"peer": "10.1.1.1", "interface": "eth1", "id": 1, "remote-id": 2, "status": "up"}]
    (session,) = read_routing.bfd(bfd).sessions
    assert (session.peer, session.status, session.remote_discriminator) == ("10.1.1.1", "up", 2)


def test_a_daemon_that_does_not_run_has_no_neighbors() -> None:
    assert not read_bgp.summary(None).is_running
    assert not read_bgp.sessions(None).is_running
    assert not read_bgp.table(None).is_running
    assert not read_routing.routes(None).is_running
    assert not read_routing.ospf(None).is_running
    assert not read_routing.isis(None).is_running
    assert not read_routing.bfd(None).is_running


def test_routes_are_told_apart_by_what_becomes_of_packets() -> None:
    def route(prefix: str, **hop: Any) -> dict[str, Any]:
        return {"prefix": prefix, "protocol": "static", "selected": True, "nexthops": [{"active": True, **hop}]}

    shown = {
        "10.0.0.0/8": [route("10.0.0.0/8", ip="10.1.1.1", interfaceName="eth1")],
        "10.9.0.0/16": [route("10.9.0.0/16", unreachable=True, blackhole=True)],
        "9.0.0.0/8": [route("9.0.0.0/8", unreachable=True, reject=True)],
    }
    found = read_routing.routes(shown).routes
    assert [(each.prefix, each.kind) for each in found] == [
        ("9.0.0.0/8", "reject"), ("10.0.0.0/8", "unicast"), ("10.9.0.0/16", "blackhole"),
    ]  # fmt: skip
    assert found[1].hops == (f.Hop(gateway="10.1.1.1", interface="eth1"),)
    assert found[2].hops == ()


def test_a_neighbor_that_is_an_interface_stands_behind_those_with_addresses() -> None:
    peers = {name: {"state": "Idle"} for name in ("eth1", "10.2.1.1", "10.1.1.1")}
    found = read_bgp.summary({"as": 1, "routerId": "1.1.1.1", "peers": peers})
    assert [peer.address for peer in found.peers] == ["10.1.1.1", "10.2.1.1", "eth1"]


def test_the_kernels_tables_are_read_in_order() -> None:
    shown = [
        {"dst": "10.9.0.0/16", "type": "blackhole", "protocol": "196", "metric": 20, "flags": []},
        {"dst": "default", "gateway": "10.1.1.1", "dev": "eth1", "protocol": "bgp", "flags": ["dead", "linkdown"]},
    ]
    first, second = read_kernel.fib(shown).routes
    assert (first.prefix, first.hops[0].is_active) == ("0.0.0.0/0", False)
    assert (second.protocol, second.kind, second.hops) == ("static", "blackhole", ())


def test_only_the_routing_software_is_told_of_and_its_use_is_over_its_life() -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    fields = [
        "S",
        "1",
        *["0"] * 9,
        str(5 * ticks),
        str(5 * ticks),
        *["0"] * 6,
        str(100 * ticks),
        "0",
        "25",
        *["0"] * 20,
    ]
    stat = " ".join(fields)
    text = f"200.00 50.00\n11 (bgpd) {stat}\n1 (sh) {stat}\n"
    (process,) = read_kernel.processes(text).processes
    assert (process.name, process.pid, process.cpu_pct) == ("bgpd", 11, 10.0)
    assert process.resident_kib == 25 * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.parametrize(
    ("text", "rtts", "error"),
    [
        ("64 bytes from 10.0.0.1: icmp_seq=1 ttl=63 time=0.062 ms\n", (0.062,), None),
        ("ping: connect: Network is unreachable\n", (), "connect: Network is unreachable"),
        ("From 10.1.1.1 icmp_seq=1 Destination Host Unreachable\n", (), "Destination Host Unreachable"),
        ("2 packets transmitted, 0 received\n", (), None),
    ],
)
def test_what_ping_says_is_kept(text: str, rtts: tuple[float, ...], error: str | None) -> None:
    found = read_kernel.ping(text, "10.0.0.1", None, 56, 2)
    assert (found.rtts_ms, found.error, found.sent) == (rtts, error, 2)


def test_rules_of_all_tables_are_read_with_what_only_a_packet_filter_has() -> None:
    def rule(table: str, chain: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"rule": {"family": "ip", "table": table, "chain": chain, "handle": 4, "expr": list(parts)}}

    def match(kind: str, key: str, right: object, op: str = "==") -> dict[str, Any]:
        left = {"meta": {"key": key}} if kind == "meta" else {"payload": {"protocol": kind, "field": key}}
        return {"match": {"op": op, "left": left, "right": right}}

    shown = {
        "nftables": [
            {"chain": {"table": "filter", "name": "forward", "policy": "drop"}},
            rule("filter", "forward", match("ip", "saddr", {"prefix": {"addr": "10.0.0.0", "len": 8}}), {"drop": None}),
            rule(
                "filter",
                "forward",
                match("tcp", "dport", {"set": [23, {"range": [80, 90]}]}),
                {"counter": {"packets": 2}},
            ),
            rule(
                "filter",
                "forward",
                match("meta", "mark", 1, "!="),
                {"mangle": {"key": {"meta": {"key": "mark"}}, "value": 2}},
            ),
            rule("nat", "postrouting", match("meta", "oifname", "eth2"), {"masquerade": None}),
            rule("nat", "prerouting", {"dnat": {"addr": "10.0.0.9", "port": 80}}),
        ]
    }
    found = read_kernel.packet_filter(shown)
    assert found.defaults == {"forward": "drop"}
    first, second, third, fourth, fifth = found.rules
    assert (first.sources, first.action) == (("10.0.0.0/8",), "drop")
    assert (second.protocols, second.destination_ports, second.packets) == (("tcp",), ("23", "80-90"), 2)
    assert (third.others, third.action) == (("meta mark != 1", "set meta mark 2"), "count")
    assert (fourth.table, fourth.out_interfaces, fourth.action) == ("nat", ("eth2",), "masquerade")
    assert (fifth.action, fifth.others) == ("dnat", ("to 10.0.0.9",))


class _Filtering:
    """A device whose packet filter alone is known."""

    def __init__(self, held: f.PacketFilter) -> None:
        self._held = held

    def look(self, want: type[Facts], view: View) -> Facts:
        return cast(Facts, self._held)


def printed(vendor: Vendor, held: f.PacketFilter) -> str:
    (command, *_) = commands_for(vendor, "acl")
    return command.answer(_Filtering(held), View("leaf1", vendor))


def test_filters_of_frames_are_told_from_those_of_packets() -> None:
    def chain(family: str, name: str, policy: str) -> dict[str, Any]:
        return {"chain": {"family": family, "table": "filter", "name": name, "policy": policy}}

    left = {"payload": {"protocol": "ether", "field": "daddr"}}
    expr = [{"match": {"op": "==", "left": left, "right": "01:80:c2:00:00:00"}}, {"drop": None}]
    shown = {
        "nftables": [
            chain("bridge", "output", "accept"),
            {"rule": {"family": "bridge", "table": "filter", "chain": "output", "expr": expr}},
            {"rule": {"family": "bridge", "table": "filter", "chain": "forward", "expr": expr}},
            chain("inet", "forward", "drop"),
            chain("bridge", "forward", "accept"),
            chain("netdev", "ingress", "accept"),
        ]
    }
    found = read_kernel.packet_filter(shown)
    assert [(rule.family, rule.others) for rule in found.rules] == [("bridge", ("ether daddr 01:80:c2:00:00:00",))] * 2
    assert found.defaults == {
        "bridge output": "accept",
        "forward": "drop",
        "bridge forward": "accept",
        "netdev ingress": "accept",
    }
    assert filters.of_packets(found) == f.PacketFilter(defaults={"forward": "drop"}, rules=())
    assert printed("cisco", found) == "Extended IP access list forward\n    10 deny ip any any"


def test_saved_files_of_daemons_become_one_configuration() -> None:
    common = "hostname leaf1\nlog syslog informational\n!\n"
    zebra = common + "interface eth1\n ip address 10.0.0.1/30\nexit\n!\nline vty\nexit\n"
    bgpd = common + "router bgp 1\n bgp router-id 1.1.1.1\nexit\n"
    assert read_config.saved(zebra + bgpd) == (
        "hostname leaf1", "log syslog informational", "!", "interface eth1", " ip address 10.0.0.1/30", "exit", "!",
        "router bgp 1", " bgp router-id 1.1.1.1", "exit",
    )  # fmt: skip


def test_prefix_lists_without_numbers_or_prefixes_are_read_too() -> None:
    (found,) = read_config.policies(["ip prefix-list ALL permit any", "ip prefix-list ALL deny 10.0.0.0/8 ge 9"]).lists
    assert found.rules[0] == f.PrefixRule(sequence=5, action="permit", prefix="0.0.0.0/0", at_most=32)
    assert (found.rules[1].sequence, found.rules[1].at_least) == (10, 9)


class Printing:
    """A device on which every command prints the same."""

    def __init__(self, printed: str, returncode: int = 0) -> None:
        self._done = Completed((), returncode, printed, "")

    def run(self, argv: object) -> Completed:
        return self._done

    def log(self) -> f.LogLines:
        return f.LogLines(lines=())

    def trace(self, target: str, source: str | None) -> f.Trace:
        return f.Trace(target=target, hops=(), is_reached=False)


@pytest.mark.parametrize("printed", ["", "not json", json.dumps({}), json.dumps("text")])
def test_a_device_that_shows_no_state_is_an_error_and_one_without_daemons_is_not(printed: str) -> None:
    device, view = LiveDevice(Printing(printed, returncode=1)), View("leaf1", "cisco")
    with pytest.raises(ToolError, match="did not show"):
        device.look(f.Interfaces, view)
    assert not device.look(s.BgpSummary, view).is_running
    assert not device.look(f.Policies, view).is_running
    assert device.look(f.Configuration, view).lines == ()
