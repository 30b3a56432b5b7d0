"""Packet filters, configurations and the BGP table: what devices print becomes typed results."""

import json
from ipaddress import IPv4Network
from typing import Any

import pytest
from printing import PrintingFabric

from netopsbench.core.errors import ToolError
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.get_bgp_rib import get_bgp_rib
from netopsbench.tools.devices.get_device_acl import get_device_acl
from netopsbench.tools.devices.get_device_config import get_device_config

CONFIG = """\
Building configuration...

Current configuration:
!
frr version 8.4.4
hostname leaf1
ip route 192.168.12.0/24 Null0
!
interface eth1
 description spine1 eth1
exit
!
router bgp 65011
 neighbor 10.1.1.1 remote-as 65001
 !
 address-family ipv4 unicast
  network 192.168.101.0/30
 exit-address-family
exit
!
route-map FABRIC-IN permit 20
exit
!
end
"""


def match(left: dict[str, Any], right: Any, op: str = "==") -> dict[str, Any]:
    return {"match": {"op": op, "left": left, "right": right}}


def field(protocol: str, name: str) -> dict[str, Any]:
    return {"payload": {"protocol": protocol, "field": name}}


def ruleset(*expressions: list[dict[str, Any]]) -> str:
    chain = {"chain": {"name": "forward", "policy": "accept"}}
    rules = [{"rule": {"chain": "forward", "handle": 7, "comment": "c", "expr": parts}} for parts in expressions]
    return json.dumps({"nftables": [{"metainfo": {}}, chain, *rules]})


def test_a_rule_is_told_with_its_conditions_counter_and_action(context: ToolContext, fabric: PrintingFabric) -> None:
    prefix = {"prefix": {"addr": "192.168.101.0", "len": 30}}
    fabric.printed = ruleset(
        [match({"meta": {"key": "iifname"}}, "eth3"), match(field("ip", "saddr"), prefix), {"counter": {"packets": 4}},
         {"drop": None}],
    )  # fmt: skip
    (rule,) = get_device_acl(context, "leaf1").rules
    assert (rule.in_interfaces, rule.sources, rule.action, rule.packets) == (
        ("eth3",),
        ("192.168.101.0/30",),
        "drop",
        4,
    )
    assert rule.destinations == rule.protocols == rule.destination_ports == rule.other_conditions == ()


def test_sets_ranges_and_protocols_are_spelled_out(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = ruleset(
        [
            match({"meta": {"key": "oifname"}}, {"set": ["eth1", "eth2"]}),
            match(field("udp", "dport"), {"range": [1, 9]}),
        ],
        [match(field("ip", "protocol"), 1), {"accept": None}],
    )
    ports, icmp = get_device_acl(context, "leaf1").rules
    assert ports.out_interfaces == ("eth1", "eth2")
    assert (ports.protocols, ports.destination_ports, ports.action) == (("udp",), ("1-9",), "count")
    assert (icmp.protocols, icmp.action, icmp.packets) == (("icmp",), "accept", None)


def test_a_condition_that_is_no_equality_is_not_taken_for_one(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = ruleset([match(field("ip", "saddr"), "10.0.0.1", "!="), {"drop": None}])
    (rule,) = get_device_acl(context, "leaf1").rules
    assert rule.sources == ()
    assert "10.0.0.1" in rule.other_conditions[0]


def test_only_rules_that_name_the_interface_are_shown(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = ruleset(
        *([match({"meta": {"key": "iifname"}}, name), {"drop": None}] for name in ("eth1", "eth2"))
    )
    found = get_device_acl(context, "leaf1", interface="eth2")
    assert [rule.in_interfaces for rule in found.rules] == [("eth2",)]
    assert found.default_actions == {"forward": "accept"}


def test_numbers_and_comments_of_rules_are_not_told(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = ruleset([{"drop": None}])
    shown = get_device_acl(context, "leaf1").model_dump_json()
    assert "handle" not in shown
    assert "comment" not in shown


def test_a_device_without_a_readable_filter_is_an_error(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.returncode = 1
    with pytest.raises(ToolError, match="did not show"):
        get_device_acl(context, "leaf1")


def test_a_configuration_comes_in_sections(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = CONFIG
    found = get_device_config(context, "leaf1")
    assert [section.title for section in found.sections] == [
        "", "interface eth1", "router bgp 65011", "route-map FABRIC-IN permit 20",
    ]  # fmt: skip
    assert found.sections[0].lines == ("frr version 8.4.4", "hostname leaf1", "ip route 192.168.12.0/24 Null0")
    assert "  network 192.168.101.0/30" in found.sections[2].lines


def test_a_part_of_a_configuration_is_chosen_by_its_beginning(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = CONFIG
    assert [part.title for part in get_device_config(context, "leaf1", "router bgp").sections] == ["router bgp 65011"]
    (routes,) = get_device_config(context, "leaf1", "ip route").sections
    assert routes.lines == ("ip route 192.168.12.0/24 Null0",)


def test_routing_software_that_does_not_answer_is_said(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.returncode = 1
    config, rib = get_device_config(context, "leaf1"), get_bgp_rib(context, "leaf1")
    assert not config.is_running
    assert not rib.is_running
    assert "did not answer" in config.message
    assert "did not answer" in rib.message


def test_a_prefix_is_told_with_every_path(context: ToolContext, fabric: PrintingFabric) -> None:
    path = {"valid": True, "bestpath": True, "path": "65001 65012", "nexthops": [{"ip": "10.1.1.1"}], "weight": 0}
    own = {"valid": True, "bestpath": True, "path": "", "nexthops": [{"ip": "0.0.0.0"}], "weight": 32768}
    fabric.printed = json.dumps({"routes": {"192.168.102.0/30": [path], "192.168.101.0/30": [own]}})
    first, second = get_bgp_rib(context, "leaf1").prefixes
    assert (first.prefix, first.paths[0].as_path, first.paths[0].from_peer) == ("192.168.101.0/30", (), None)
    assert (second.paths[0].as_path, second.paths[0].from_peer) == ((65001, 65012), "spine1:eth1")
    inside = get_bgp_rib(context, "leaf1", IPv4Network("192.168.102.0/24")).prefixes
    assert [each.prefix for each in inside] == ["192.168.102.0/30"]
