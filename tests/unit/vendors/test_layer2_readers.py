"""Queues, bridges, tunnels and VRRP groups out of what kernel and routing software print."""

import re
from typing import Any

import pytest
from known_facts import KnownDevice

from netopsbench.vendors import facts as f
from netopsbench.vendors import read_layer2
from netopsbench.vendors.command import View
from netopsbench.vendors.names import VENDORS, Vendor
from netopsbench.vendors.table import commands_for


def test_a_shaped_port_has_a_limit_and_another_one_none() -> None:
    shown: list[dict[str, Any]] = [
        {"kind": "noqueue", "dev": "lo", "root": True},
        {"kind": "noqueue", "dev": "eth1", "root": True, "bytes": 5, "packets": 1, "drops": 0, "backlog": 0},
        {
            "kind": "tbf", "dev": "eth2", "root": True, "options": {"rate": 125_000, "burst": 16_384}, "bytes": 392_472,
            "packets": 316, "drops": 437, "backlog": 53_406,
        },
        {"kind": "clsact", "dev": "eth2", "options": {}},
    ]  # fmt: skip
    free, full = read_layer2.queues(shown).queues
    assert (free.interface, free.limit_kbps, free.dropped) == ("eth1", None, 0)
    assert (full.interface, full.limit_kbps, full.packets, full.octets) == ("eth2", 1000, 316, 392_472)
    assert (full.dropped, full.waiting_octets) == (437, 53_406)


def bridge(stp_state: int, root_port: int) -> dict[str, Any]:
    told = {"stp_state": stp_state, "bridge_id": "2000.2:4e", "root_id": "2000.2:4e", "root_port": root_port}
    return {"ifname": "br0", "linkinfo": {"info_kind": "bridge", "info_data": told | {"root_path_cost": 2}}}


def port(name: str, number: str, designated: str, root: str = "1000.2:4e") -> dict[str, Any]:
    told = {"state": "forwarding", "no": number, "cost": 2, "priority": 32, "bridge_id": designated, "root_id": root}
    return {"ifname": name, "master": "br0", "linkinfo": {"info_slave_kind": "bridge", "info_slave_data": told}}


def dropped(family: str, name: str, target: str) -> dict[str, Any]:
    matches = [
        {"match": {"op": "==", "left": {"meta": {"key": "oifname"}}, "right": name}},
        {"match": {"op": "==", "left": {"payload": {"protocol": "ether", "field": "daddr"}}, "right": target}},
    ]
    return {"rule": {"family": family, "table": "t", "chain": "c", "expr": [*matches, {"drop": None}]}}


def test_a_bridge_has_its_root_by_its_root_port_and_roles_by_who_speaks_for_a_link() -> None:
    links = [
        port("eth1", "0x1", "1000.2:4e"),
        port("eth2", "0x2", "2000.2:4e"),
        port("eth3", "0xa", "3000.2:4e"),
        bridge(1, 1),
    ]
    (found,) = read_layer2.bridges(links, None).bridges
    assert (found.has_spanning_tree, found.id, found.root) == (True, "2000.2:4e", "1000.2:4e")
    assert {each.interface: each.role for each in found.ports} == {
        "eth1": "root",
        "eth2": "designated",
        "eth3": "alternate",
    }
    assert found.ports[2].number == 10


def test_a_bridge_without_spanning_tree_is_its_own_root() -> None:
    (found,) = read_layer2.bridges([bridge(0, 0), port("eth1", "0x1", "2000.2:4e")], None).bridges
    assert (found.has_spanning_tree, found.root) == (False, found.id)


def test_only_a_filter_of_bridges_that_drops_spanning_tree_marks_a_port() -> None:
    tree = "01:80:c2:00:00:00"
    rules = [
        dropped("bridge", "eth1", tree),
        dropped("bridge", "eth2", "ff:ff:ff:ff:ff:ff"),
        dropped("ip", "eth3", tree),
    ]
    links = [bridge(1, 0), *(port(f"eth{n}", f"0x{n}", "2000.2:4e") for n in (1, 2, 3))]
    (found,) = read_layer2.bridges(links, {"nftables": [{"metainfo": {}}, *rules]}).bridges
    assert [each.interface for each in found.ports if each.is_filtered] == ["eth1"]


def test_a_tunnel_has_the_ends_to_which_frames_for_everybody_go() -> None:
    told = {"id": 10, "local": "10.255.80.3", "port": 4789}
    links: list[dict[str, Any]] = [{"ifname": "vxlan10", "master": "br0", "linkinfo": {"info_data": told}}]
    entries = [
        {"mac": "00:00:00:00:00:00", "ifname": "vxlan10", "dst": "10.255.80.5"},
        {"mac": "00:00:00:00:00:00", "ifname": "vxlan10", "dst": "10.255.80.4"},
        {"mac": "02:4e:00:09:00:01", "ifname": "vxlan10", "dst": "10.255.80.9"},
        {"mac": "00:00:00:00:00:00", "ifname": "vxlan20", "dst": "10.255.80.8"},
    ]
    (found,) = read_layer2.tunnels(links, entries).tunnels
    assert (found.vni, found.local, found.port, found.bridge) == (10, "10.255.80.3", 4789, "br0")
    assert found.remotes == ("10.255.80.4", "10.255.80.5")


def test_groups_are_those_of_ipv4_and_none_where_the_daemon_does_not_run() -> None:
    shown = [
        {
            "vrid": 1, "interface": "eth2", "advertisementInterval": 500,
            "v4": {
                "status": "Master", "effectivePriority": 200, "primaryAddress": "10.70.0.2", "addresses": ["10.70.0.1"],
            },
            "v6": {"status": "Initialize", "addresses": []},
        }
    ]  # fmt: skip
    (found,) = read_layer2.standby(shown).groups
    assert (found.group, found.state, found.priority, found.addresses) == (1, "Master", 200, ("10.70.0.1",))
    assert not read_layer2.standby(None).is_running
    assert read_layer2.standby([]).is_running


def test_neighbors_by_lldp_are_read_and_none_where_lldpd_does_not_answer() -> None:
    entry = {
        "name": "eth1",
        "chassis": [{"id": [{"value": "02:4e:00:01:00:01"}], "name": [{"value": "core"}]}],
        "port": [{"id": [{"type": "ifname", "value": "eth2"}], "ttl": [{"value": "5"}]}],
    }
    (found,) = read_layer2.link_neighbors({"lldp": [{"interface": [entry]}]}).neighbors
    assert (found.interface, found.device, found.port, found.mac) == ("eth1", "core", "eth2", "02:4e:00:01:00:01")
    assert (found.ttl_s, found.capabilities) == (5, ())
    assert read_layer2.link_neighbors({"lldp": [{}]}) == f.LinkNeighbors(is_running=True)
    assert read_layer2.link_neighbors(None) == f.LinkNeighbors(is_running=False)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_device_that_does_not_run_lldp_says_so_instead_of_showing_an_empty_table(vendor: Vendor) -> None:
    (command,) = commands_for(vendor, "link_neighbors")
    device, said = KnownDevice(), []
    for facts in (f.LinkNeighbors(is_running=True), f.LinkNeighbors(is_running=False)):
        device.known[f.LinkNeighbors] = facts
        said.append(command.answer(device, View("leaf1", vendor)))
    empty, off = (re.search(r"not enabled|not running|unable to connect", each) for each in said)
    assert empty is None
    assert off is not None
