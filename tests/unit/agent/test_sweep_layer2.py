"""What `sweeper` reads of queues, spanning tree, VRRP, VXLANs and EVPN, and whom it blames for them."""

from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from netopsbench.agent.sweeper.layer2 import (
    read_filtered,
    read_groups,
    read_trees,
    read_tunnels,
    read_worn_queues,
)
from netopsbench.agent.sweeper.sweeper import Sweeper
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Budget, Question
from netopsbench.vendors.names import NAMES, Need, Vendor
from netopsbench.vendors.table import golden

_GOLDEN = Path(__file__).parents[1] / "vendors" / "golden"
_LAID_OUT: tuple[Vendor, ...] = ("huawei", "h3c", "cisco", "arista", "sonic")
_KERNELS_QUEUES = (
    "qdisc noqueue 0: dev eth1 root refcnt 2 \n Sent 0 bytes 0 pkt (dropped 7, overlimits 0 requeues 0) \n"
    "qdisc tbf 8001: dev eth2 root refcnt 5 rate 1Mbit burst 4Kb lat 400ms \n"
    " Sent 883374 bytes 727 pkt (dropped 968, overlimits 2341 requeues 0) \n backlog 50922b 33p requeues 0\n"
    "qdisc tbf 8002: dev eth3 root refcnt 5 rate 1Mbit burst 4Kb lat 400ms \n"
    " Sent 10 bytes 1 pkt (dropped 0, overlimits 0 requeues 0) \n"
)
_ROUTERS_GROUPS = (
    "\n Virtual Router ID                       1                   \n"
    " Interface                               eth2                \n"
    " Status (v4)                             Backup              \n"
    " Status (v6)                             Initialize          \n"
    " ..................................      10.0.0.254          \n"
    "\n Virtual Router ID                       2                   \n"
    " Status (v4)                             Master              \n"
    " ..................................      10.0.0.253          \n"
)
_KERNELS_TUNNEL = (
    "7: vxlan10: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master br0 state UNKNOWN\n"
    "    link/ether 66:e2:e6:b4:8a:12 brd ff:ff:ff:ff:ff:ff promiscuity 1 \n"
    "    vxlan id 10 local 10.255.80.4 srcport 0 0 dstport 8472 nolearning ttl auto ageing 300\n"
)


def printed(vendor: Vendor, need: str) -> str:
    """What the vendor's first command for a need prints in the golden files."""
    return (_GOLDEN / vendor / f"{need}.txt").read_text(encoding="utf-8").split("\n\n$ ")[0]


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_a_port_whose_shaper_threw_packets_away_is_read_of_every_vendor(vendor: Vendor) -> None:
    assert read_worn_queues(printed(vendor, "queues"), NAMES[vendor]) == ["eth2"]


def test_drops_without_a_shaper_and_shapers_without_drops_are_no_congestion() -> None:
    assert read_worn_queues(_KERNELS_QUEUES, NAMES["frr"]) == ["eth2"]
    idle = "Gi0/1    -   5120  6359040  733  24840\nGi0/2    1000   5120  6359040  0  24840\n"
    assert read_worn_queues(idle, NAMES["cisco"]) == []


@pytest.mark.parametrize("vendor", ["cisco", "arista", "sonic", "frr", "linux"])
def test_who_runs_spanning_tree_is_read_by_the_bridges_name(vendor: Vendor) -> None:
    assert read_trees(_whole(vendor)) == {"br0": True, "br1": False}


@pytest.mark.parametrize("vendor", ["huawei", "h3c"])
def test_vrp_names_only_the_bridge_that_runs_no_spanning_tree(vendor: Vendor) -> None:
    assert read_trees(_whole(vendor)) == {"": True, "br1": False}


def _whole(vendor: Vendor) -> str:
    """All that the command prints: blocks of several bridges stand apart by an empty line."""
    return (_GOLDEN / vendor / "spanning_tree.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_a_port_that_is_kept_out_of_spanning_tree_is_read_of_every_vendor(vendor: Vendor) -> None:
    assert read_filtered(_whole(vendor), NAMES[vendor]) == ["eth3"]


def test_on_frr_the_packet_filter_tells_which_port_is_kept_out() -> None:
    rules = 'table bridge tree {\n\toifname "eth4" ether daddr 01:80:c2:00:00:00 drop\n\toifname "eth5" tcp drop\n'
    assert read_filtered(rules, NAMES["frr"]) == ["eth4"]


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_groups_of_every_vendor_with_their_master(vendor: Vendor) -> None:
    read = {each.address: (each.number, each.is_master) for each in read_groups(printed(vendor, "vrrp"))}
    assert read == {IPv4Address("10.1.1.254"): (1, True), IPv4Address("10.1.1.253"): (2, False)}


def test_groups_as_frr_prints_them() -> None:
    read = [(each.number, each.is_master, str(each.address)) for each in read_groups(_ROUTERS_GROUPS)]
    assert read == [(1, False, "10.0.0.254"), (2, True, "10.0.0.253")]
    assert read_groups("% Unknown command: show vrrp") == []


@pytest.mark.parametrize("vendor", _LAID_OUT)
def test_tunnels_of_every_vendor(vendor: Vendor) -> None:
    read = [(each.name, each.vni, each.port) for each in read_tunnels(printed(vendor, "vxlan") + "\n")]
    assert read == [("vxlan10", 10, 4789), ("vxlan20", 20, 8472)]


def test_a_tunnel_as_linux_prints_it() -> None:
    assert [(each.name, each.vni, each.port) for each in read_tunnels(_KERNELS_TUNNEL)] == [("vxlan10", 10, 8472)]


class _Trio:
    """Three routers of two vendors on one LAN, each with a cable to the router `core`; nothing listed is denied."""

    def __init__(self, said: dict[tuple[str, Need], str], denied: frozenset[tuple[str, Need]] = frozenset()) -> None:
        self._vendors: dict[str, Vendor] = {"r1": "cisco", "r2": "huawei", "r3": "frr", "core": "arista"}
        self._said = {(device, golden(self._vendors[device], need)): text for (device, need), text in said.items()}
        self._denied = {(device, golden(self._vendors[device], need)) for device, need in denied}

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        if name == "get_topology":
            return _design()
        asked = (arguments["device"], arguments["command"])
        if asked in self._denied or (asked[1] != "?" and asked not in self._said):
            raise ToolError("No permission to perform the operation", "denied")
        return {"vendor": self._vendors[asked[0]], "result": f"{asked[0]}#{asked[1]}\n{self._said.get(asked, '')}"}


def _design() -> dict[str, Any]:
    names = ("r1", "r2", "r3")
    lan, cables = [], []
    for number, name in enumerate(names, start=1):
        here = {"device": name, "interface": "eth1", "address": f"10.0.0.{number}"}
        there = {"device": names[number % 3], "interface": "eth1", "address": f"10.0.0.{number % 3 + 1}"}
        lan.append({"a": here, "b": there, "prefix": "10.0.0.0/24", "mtu_bytes": 1500, "kind": "lan"})
        ends = [
            {"device": device, "interface": port, "address": f"10.{number}.0.{end}"}
            for device, port, end in ((name, "eth2", 1), ("core", f"eth{number}", 2))
        ]
        prefix = f"10.{number}.0.0/30"
        cables.append({"a": ends[0], "b": ends[1], "prefix": prefix, "mtu_bytes": 1500, "kind": "fabric"})
    nothing = {"asn": 1, "loopback": None, "address": None, "attached_to": None}
    return {
        "nodes": [{"name": name, "role": "router", **nothing} for name in (*names, "core")],
        "links": [*lan, *cables],
        "page": {"total": 6, "offset": 0, "returned": 6, "next_offset": None},
    }


def _blamed(said: dict[tuple[str, Need], str], denied: frozenset[tuple[str, Need]] = frozenset()) -> list[str]:
    question = Question.model_validate(
        {"task": "rca", "text": "", "labels": (), "budget": Budget(wall_time_s=60, tool_calls=90), "answer_schema": {}}
    )
    return Sweeper().answer(question, _Trio(said, denied)).reasoning.splitlines()[1:-1]


_GROUPS = "1     Master       GigabitEthernet0/0/1     200      500        10.0.0.254\n"
_NO_VRRP = "vrrp;global VRRP hot standby redundancy protocol not enabled"


def test_a_router_without_groups_is_told_where_another_answers_for_the_gateway_of_its_lan() -> None:
    none = "Interface          Grp Pri Time  State       Own addr        Group addr\n"
    assert _blamed({("r2", "vrrp"): _GROUPS, ("r1", "vrrp"): none}) == [f"r1;{_NO_VRRP}"]
    elsewhere = _GROUPS.replace("10.0.0.254", "10.9.0.254")
    assert _blamed({("r2", "vrrp"): elsewhere, ("r1", "vrrp"): none}) == [""]


def test_where_its_groups_are_denied_the_configuration_tells_that_a_router_has_none() -> None:
    bare = "interface GigabitEthernet0/1\n ip address 10.0.0.1 255.255.255.0\n!\n"
    assert _blamed({("r2", "vrrp"): _GROUPS, ("r1", "running_config"): bare}) == [f"r1;{_NO_VRRP}"]
    grouped = bare.replace("!", " ! FRR only: vrrp 1\n!")
    assert _blamed({("r2", "vrrp"): _GROUPS, ("r1", "running_config"): grouped}) == [""]


def test_a_bridge_without_a_tree_is_told_only_where_others_run_one() -> None:
    without = "br0\n  Spanning tree is disabled\n"
    tree = "CIST Bridge            :4096 .024e-0001-0001\n"
    assert _blamed({("r1", "spanning_tree"): without}) == [""]
    assert _blamed({("r1", "spanning_tree"): without, ("r2", "spanning_tree"): tree}) == [
        "r1;br0;global STP not enabled"
    ]


def test_a_filter_of_frames_is_told_beside_what_the_bridge_shows() -> None:
    tree = "br0\n bridge id\t\t1000.2:4e:0:4:0:1\n path cost\t\t0\n stp enabled\t\tyes"
    rules = 'table bridge tree {\n  oifname "eth1" ether daddr 01:80:c2:00:00:00 drop\n}\n'
    assert _blamed({("r3", "spanning_tree"): tree, ("r3", "acl"): rules}) == ["r3;eth1;port STP not enabled"]
    # The last line of one answer and the first of the next are two lines.
    last = "br0\n  Spanning tree enabled protocol ieee\nGi0/1     Desg FWD 2   32.4     BPDU filter enabled"
    said: dict[tuple[str, Need], str] = {("r1", "spanning_tree"): last, ("r1", "acl"): "Extended IP access list x\n"}
    assert _blamed(said) == ["r1;GigabitEthernet0/1;port STP not enabled"]


def test_of_a_vxlan_the_end_that_differs_from_most_is_told() -> None:
    row = "{}        vxlan10     10.255.0.3        {}      br0           10.255.0.4\n"
    said: dict[tuple[str, Need], str] = {("r1", "vxlan"): row.format(10, 4789), ("r2", "vxlan"): row.format(10, 4789)}
    assert _blamed({**said, ("r3", "vxlan"): _KERNELS_TUNNEL}) == ["r3;vxlan10;VXLAN configuration error"]
    assert _blamed({("r1", "vxlan"): row.format(10, 4789), ("r2", "vxlan"): row.format(11, 4789)}) == [""]


_EVPN = (
    "bgp 65080\n peer 10.255.0.2 as-number 65080\n peer 10.255.0.3 as-number 65080\n #\n"
    " # FRR only: address-family l2vpn evpn\n  # FRR only: neighbor 10.255.0.2 activate\n"
    "  # FRR only: neighbor 10.255.0.3 activate\n  # FRR only: advertise-all-vni\n#\nreturn\n"
)


def test_evpn_that_a_neighbor_or_nobody_is_told_of() -> None:
    assert _blamed({("r2", "running_config"): _EVPN}) == [""]
    unheard = _EVPN.replace("  # FRR only: neighbor 10.255.0.3 activate\n", "")
    assert _blamed({("r2", "running_config"): unheard}) == ["r2;evpn;L2VPN configuration error"]
    silent = _EVPN.replace("  # FRR only: advertise-all-vni\n", "")
    assert _blamed({("r2", "running_config"): silent}) == ["r2;evpn;VPN configuration missing"]


def test_isis_that_is_passive_or_takes_a_cable_for_a_lan() -> None:
    port = "interface GigabitEthernet0/{}\n ip router isis X\n isis network point-to-point\n!\n"
    whole = port.format(1) + port.format(2)
    assert _blamed({("r1", "running_config"): whole}) == [""]
    for wrong in ("", " isis network point-to-point\n isis passive\n"):
        changed = port.format(1) + port.format(2).replace(" isis network point-to-point\n", wrong)
        assert _blamed({("r1", "running_config"): changed}) == ["r1;GigabitEthernet0/2;ISIS configuration error"]


def test_congestion_is_told_at_the_port_that_is_full() -> None:
    row = "GigabitEthernet0/2                1000            5120         6359040             733           24840\n"
    assert _blamed({("r1", "queues"): row}) == ["r1;GigabitEthernet0/2;traffic congestion occupying port bandwidth"]
