"""The health of a lab's bridges, spanning trees, VXLANs and shared gateway addresses."""

import json
import struct
from typing import Any

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.devices import SeenDevices, read_devices
from netopsbench.fabric.labs.inspect_layer2 import device_findings, standby_findings
from netopsbench.fabric.labs.plan import LabPlan
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.netlink import attribute
from netopsbench.fabric.plan import FabricPlan

ROOT = "1000" + "02" * 6
"""Id of the root of redundant_office, sw1 with priority 4096."""
Seen = dict[str, SeenDevices]


def _plan(name: str) -> tuple[FabricPlan, LabPlan]:
    plan = plan_fabric(load_spec(name))
    assert plan.lab is not None
    return plan, plan.lab


def _healthy(lab: LabPlan) -> Seen:
    """Every bridge of a lab as it is meant to be."""
    seen: Seen = {}
    for number, (name, bridge) in enumerate(lab.bridges.items(), start=2):
        tunnels = [] if bridge.vni is None else [f"vxlan{bridge.vni}"]
        seen[name] = {
            "bridges": {
                "br0": {
                    "id": f"{bridge.priority or 32768:04x}" + f"{number:02x}" * 6,
                    "root": ROOT,
                    "has_tree": bridge.priority is not None,
                    "priority": bridge.priority or 32768,
                    "ports": [*bridge.ports, *tunnels],
                }
            },
            "tunnels": {device: {"vni": bridge.vni or 0, "port": 4789} for device in tunnels},
        }
    return seen


def _told(name: str, change: dict[str, Any], of: str, what: str = "bridges", device: str = "br0") -> list[str]:
    """What is said of a lab in which one device is otherwise."""
    plan, lab = _plan(name)
    seen: Any = _healthy(lab)
    seen[of][what][device] |= change
    return [message for *_, message in device_findings(plan, lab, seen)]


@pytest.mark.parametrize("name", ["redundant_office", "metro_overlay", "rip_office"])
def test_nothing_is_said_of_bridges_and_tunnels_that_are_well(name: str) -> None:
    plan, lab = _plan(name)
    assert list(device_findings(plan, lab, _healthy(lab))) == []


@pytest.mark.parametrize(
    ("change", "of", "told"),
    [
        ({"has_tree": False}, "sw3", ["br0 of sw3 runs no spanning tree"]),
        ({"root": "8000" + "05" * 6}, "sw4", ["sw4 takes sw4 for the root of its spanning tree, not sw1"]),
        ({"priority": 16384}, "sw2", ["br0 of sw2 has priority 16384 in its spanning tree, not 8192"]),
        ({"ports": ["eth1"]}, "sw5", ["sw5:eth2 is not in the bridge br0"]),
    ],
)
def test_what_is_wrong_with_a_bridge_is_told(change: dict[str, Any], of: str, told: list[str]) -> None:
    assert _told("redundant_office", change, of) == told


def test_a_bridge_that_becomes_the_root_is_told_and_taken_by_all() -> None:
    plan, lab = _plan("redundant_office")
    seen = _healthy(lab)
    for each in seen.values():
        each["bridges"]["br0"]["root"] = "0000" + "03" * 6
    seen["sw2"]["bridges"]["br0"] |= {"id": "0000" + "03" * 6, "priority": 0}
    messages = [message for *_, message in device_findings(plan, lab, seen)]
    assert messages == ["br0 of sw2 has priority 0 in its spanning tree, not 8192"]


def test_a_bridge_that_is_gone_and_one_with_an_unwanted_tree_are_told() -> None:
    plan, lab = _plan("metro_overlay")
    seen = _healthy(lab)
    seen["pe1"]["bridges"] = {}
    seen["pe2"]["bridges"]["br0"] |= {"has_tree": True, "root": seen["pe2"]["bridges"]["br0"]["id"]}
    assert [message for *_, message in device_findings(plan, lab, seen)] == [
        "pe1 has no bridge br0",
        "br0 of pe2 runs a spanning tree, and should run none",
    ]


def test_number_and_port_of_a_tunnel_are_looked_at() -> None:
    wrong_port = _told("metro_overlay", {"port": 8472}, "pe3", "tunnels", "vxlan10")
    assert wrong_port == ["vxlan10 of pe3 has number 10 and UDP port 8472, not 10 and 4789"]
    wrong_number = _told("metro_overlay", {"vni": 11}, "pe1", "tunnels", "vxlan10")
    assert wrong_number == ["vxlan10 of pe1 has number 11 and UDP port 4789, not 10 and 4789"]
    plan, lab = _plan("metro_overlay")
    seen = _healthy(lab)
    seen["pe2"]["tunnels"] = {}
    assert [message for *_, message in device_findings(plan, lab, seen)] == ["pe2 has no VXLAN vxlan10"]


def _group(number: int, address: str, priority: int, status: str) -> dict[str, Any]:
    told = {"status": status, "effectivePriority": priority, "addresses": [address]}
    return {"vrid": number, "interface": "eth2", "v4": told, "v6": {"status": "Initialize"}}


def _groups() -> dict[str, list[dict[str, Any]]]:
    one, two = "10.70.0.1", "10.70.0.254"
    return {
        "gw1": [_group(1, one, 200, "Master"), _group(2, two, 100, "Backup")],
        "gw2": [_group(1, one, 100, "Backup"), _group(2, two, 200, "Master")],
    }


def _standby_told(groups: dict[str, list[dict[str, Any]]]) -> list[str]:
    _, lab = _plan("redundant_office")
    answers = {name: json.dumps(listed) for name, listed in groups.items()}
    return [message for *_, message in standby_findings(lab, answers)]


def test_the_router_of_the_largest_priority_answers_for_a_shared_address() -> None:
    groups = _groups()
    assert _standby_told(groups) == []
    groups["gw1"][0]["v4"]["status"], groups["gw2"][0]["v4"]["status"] = "Backup", "Master"
    assert _standby_told(groups) == [
        "VRRP group 1 on gw1:eth2 is Backup, not Master",
        "VRRP group 1 on gw2:eth2 is Master, not Backup",
    ]


def test_a_group_that_is_gone_or_told_otherwise_is_named() -> None:
    groups = _groups()
    groups["gw1"].pop(0)
    groups["gw2"][1]["v4"] |= {"effectivePriority": 90, "addresses": []}
    assert _standby_told(groups) == [
        "there is no VRRP group 1 on gw1:eth2",
        "VRRP group 2 on gw2:eth2 lacks the address 10.70.0.254",
        "VRRP group 2 on gw2:eth2 has priority 90, not 200",
    ]
    _, lab = _plan("redundant_office")
    silent = standby_findings(lab, {"gw1": None, "gw2": "% Unknown command"})
    assert len(list(silent)) == 4


def _link(index: int, name: str, master: int = 0, kind: str = "", data: bytes = b"") -> bytes:
    """A link as a kernel tells it."""
    told = attribute(3, name.encode() + b"\0")
    told += attribute(10, struct.pack("=I", master)) if master else b""
    told += attribute(18, attribute(1, kind.encode() + b"\0") + attribute(2, data)) if kind else b""
    return struct.pack("=BxHiII", 0, 1, index, 0, 0) + told


def test_bridges_and_tunnels_are_read_from_what_a_kernel_tells() -> None:
    tree = attribute(5, struct.pack("=I", 1)) + attribute(6, struct.pack("=H", 8192))
    ids = attribute(10, bytes.fromhex(ROOT)) + attribute(11, bytes.fromhex("2000" + "07" * 6))
    tunnel = attribute(1, struct.pack("=I", 10)) + attribute(15, struct.pack("!H", 4789))
    links = [
        _link(2, "eth1", master=5),
        _link(3, "eth2"),
        _link(5, "br0", kind="bridge", data=tree + ids),
        _link(6, "vxlan10", master=5, kind="vxlan", data=tunnel),
        _link(7, "vrf1", kind="vrf"),
    ]
    assert read_devices(links) == {
        "bridges": {
            "br0": {
                "id": "2000" + "07" * 6,
                "root": ROOT,
                "has_tree": True,
                "priority": 8192,
                "ports": ["eth1", "vxlan10"],
            }
        },
        "tunnels": {"vxlan10": {"vni": 10, "port": 4789}},
    }
