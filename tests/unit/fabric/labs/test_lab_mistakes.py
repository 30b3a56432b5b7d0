from typing import Any

import pytest
from lab_files import office, planned

from netopsbench.core.errors import SpecError
from netopsbench.core.problems import validated
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.load import known_labs, load_spec
from netopsbench.fabric.spec import FabricSpec


def mistakes(raw: dict[str, Any]) -> dict[str, str]:
    """Key and value of every mistake, to what would be right."""
    with pytest.raises(SpecError) as caught:
        planned(raw)
    return {f"{problem.key} {problem.value}": problem.wanted for problem in caught.value.problems}


def topology(raw: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = raw["topology"]
    return found


def test_the_lab_without_mistakes_has_none() -> None:
    assert check_plan(planned(office())) == []


@pytest.mark.parametrize("name", known_labs())
def test_every_shipped_lab_is_called_like_its_file_and_has_no_mistake(name: str) -> None:
    spec = load_spec(name)
    assert spec.name == name
    assert check_plan(plan_fabric(spec)) == []


def test_an_unknown_name_is_answered_with_fabrics_and_labs() -> None:
    with pytest.raises(SpecError, match=r"'rip_ofice'; known names: .*xs; labs: .*rip_office.*path to a file"):
        load_spec("rip_ofice")


def test_mistakes_of_every_part_are_told_at_once() -> None:
    raw = office()
    parts = topology(raw)
    parts["links"].append(["r9:eth0", "r1:eth7"])
    parts["links"].append(["r1:eth1", "r1:eth1"])
    parts["segments"]["r1"] = ["pc2:eth0"]
    parts["nodes"]["pc2"]["gateway"] = "10.0.1.12"
    parts["nodes"]["r1"]["asn"] = 65001
    parts["nodes"]["r1"]["files"] = {"frr/zebra.conf": "", "../motd": ""}
    parts["nodes"]["server"]["services"].append({"kind": "http"})
    parts["nodes"]["server"]["services"][0]["records"]["ghost.local"] = "10.9.9.9"
    parts["expect"] = {
        "adjacencies": [{"protocol": "bgp", "between": ["r1", "pc1"]}],
        "unreachable": [["pc1", "r2"]],
    }
    found = mistakes(raw)
    assert found["topology.links[3] r9:eth0"] == "there is no node r9; nodes: r1, r2, pc1, pc2, server"
    assert found["topology.links[3] r1:eth7"] == "interfaces of r1: eth0, eth1"
    assert found["topology.links[4] r1:eth1"] == "links[1] has this port already"
    assert found["topology.links[4] r1:eth1 r1:eth1"] == "a link joins two different nodes"
    assert found["topology.segments.r1 pc2:eth0"] == "segments.office has this port already"
    assert found["topology.segments.r1 1"] == "a segment has two ports or more"
    assert found["topology.segments.r1 r1"] == "a node is called so too; use another name"
    assert found["topology.nodes.pc2.gateway 10.0.1.12"] == "the address of a router"
    assert found["topology.nodes.r1.asn 65001"] == "add frr.bgpd, or leave the AS number out"
    assert {"topology.nodes.r1.files frr/zebra.conf", "topology.nodes.r1.files ../motd"} <= found.keys()
    assert found["topology.nodes.server.services http"] == "it stands here 2 times; one http service a node"
    assert found["topology.nodes.server.services.records.ghost.local 10.9.9.9"] == "the address of a node"
    assert found["topology.expect.adjacencies r1"] == "a router that runs bgpd"
    assert found["topology.expect.adjacencies pc1"] == "a router of this lab"
    assert found["topology.expect.unreachable r2"] == "a host of this lab"


def test_ends_in_different_networks_are_refused() -> None:
    raw = office()
    topology(raw)["nodes"]["r2"]["interfaces"]["eth1"] = "10.0.9.6/30"
    topology(raw)["nodes"]["pc2"]["interfaces"]["eth0"] = "10.0.1.12/25"
    assert mistakes(raw) == {
        "topology.links[1] r2:eth1 10.0.9.6/30": "use an address of 10.0.9.0/30, as r1:eth1 does",
        "topology.segments.office pc2:eth0 10.0.1.12/25": "use an address of 10.0.1.0/24, as r1:eth0 does",
    }


def test_a_port_without_a_cable_is_refused() -> None:
    raw = office()
    topology(raw)["nodes"]["r1"]["interfaces"]["eth5"] = "10.0.5.1/24"
    assert mistakes(raw) == {
        "topology.nodes.r1.interfaces eth5": "no link or segment has this port; add one, or drop it"
    }


def test_bridges_tunnels_and_shared_addresses_fit_their_node() -> None:
    raw = office()
    r2 = topology(raw)["nodes"]["r2"]
    r2.pop("loopback", None)
    r2["bridge"] = {"ports": ["eth9"], "vni": 10}
    r2["standby"] = [
        {"interface": "eth9", "group": 1, "address": "10.0.9.9"},
        {"interface": "eth1", "group": 2, "address": "10.7.7.7"},
    ]
    found = mistakes(raw)
    assert found["topology.nodes.r2.bridge.ports eth9"] == "one of eth0, eth1"
    assert found["topology.nodes.r2.bridge.vni 10"] == "add a loopback: tunnels end there"
    assert found["topology.nodes.r2.standby eth9"] == "one of eth0, eth1"
    assert found["topology.nodes.r2.standby 10.7.7.7"].startswith("an address of 10.0.")


def test_a_lan_of_cables_is_one_network_apart_from_the_others() -> None:
    raw = topology_of_cables()
    topology(raw)["nodes"]["pc"]["interfaces"]["eth0"] = "10.8.0.3/24"
    assert mistakes(raw) == {
        "topology.cabled.office pc:eth0 10.8.0.3/24": "use an address of 10.9.0.0/24, as sw:eth1 does"
    }
    raw = topology_of_cables()
    topology(raw)["nodes"]["sw"]["loopback"] = "10.9.0.77"
    overlapping = check_plan(planned(raw))
    assert [(each.key, each.value) for each in overlapping] == [("nodes.sw.loopback", "10.9.0.77/32")]


def bridge(network: str, ports: int, **parts: Any) -> dict[str, Any]:
    """A node that joins so many ports of one network."""
    names = [f"eth{number}" for number in range(1, ports + 1)]
    held = {name: f"{network}{number}/24" for number, name in enumerate(names, start=1)}
    return {"kind": "router", "interfaces": held, "bridge": {"ports": names, **parts}}


def ring() -> dict[str, Any]:
    """Three bridges in a ring, and a machine at the first."""
    nodes = {
        "sw1": bridge("10.9.0.1", 3),
        "sw2": bridge("10.9.0.2", 2),
        "sw3": bridge("10.9.0.3", 2),
        "pc": {"kind": "host", "interfaces": {"eth0": "10.9.0.9/24"}},
    }
    cables = [["sw1:eth1", "sw2:eth1"], ["sw2:eth2", "sw3:eth1"], ["sw3:eth2", "sw1:eth2"], ["sw1:eth3", "pc:eth0"]]
    return {"name": "ring", "topology": {"kind": "lab", "nodes": nodes, "cabled": {"office": cables}}}


def test_a_ring_of_bridges_needs_a_spanning_tree() -> None:
    raw = ring()
    closed = "it closes a ring of bridges without a spanning tree; give sw1 and sw2 and sw3 a priority"
    assert mistakes(raw) == {"topology.cabled.office sw3:eth2 sw1:eth2": closed}
    for name in ("sw1", "sw2", "sw3"):
        topology(raw)["nodes"][name]["bridge"]["priority"] = 4096
    assert check_plan(planned(raw)) == []


def test_two_cables_or_a_cable_and_a_tunnel_between_two_bridges_are_a_ring_too() -> None:
    raw = topology_of_cables()
    parts = topology(raw)
    parts["nodes"] |= {"sw": bridge("10.9.0.1", 3), "sw2": bridge("10.9.0.2", 3)}
    parts["cabled"] = {
        "office": [["sw:eth1", "sw2:eth1"], ["sw:eth2", "sw2:eth2"], ["sw:eth3", "pc:eth0"], ["sw2:eth3", "pc2:eth0"]]
    }
    closed = "it closes a ring of bridges without a spanning tree; give sw and sw2 a priority"
    assert mistakes(raw) == {"topology.cabled.office sw:eth2 sw2:eth2": closed}
    for number, name in enumerate(("sw", "sw2"), start=1):
        parts["nodes"][name] = bridge(f"10.9.0.{number}", 2, vni=10) | {"loopback": f"10.255.0.{number}"}
    parts["cabled"]["office"] = [["sw:eth1", "sw2:eth1"], ["sw:eth2", "pc:eth0"], ["sw2:eth2", "pc2:eth0"]]
    assert mistakes(raw) == {"topology.nodes.sw2.bridge.vni 10": closed}


def test_a_port_of_a_lan_that_no_bridge_joins_is_refused() -> None:
    raw = topology_of_cables()
    topology(raw)["nodes"]["sw"]["bridge"]["ports"] = ["eth1"]
    assert mistakes(raw) == {
        "topology.nodes.sw.bridge.ports eth2": "add it: cabled.office has 2 ports of sw, and its bridge joins them",
        "topology.cabled.office sw:eth2": "no bridge and no tunnel joins it to sw:eth1; add the ports between them",
    }
    raw = topology_of_cables()
    topology(raw)["nodes"]["sw"].pop("bridge")
    assert "topology.nodes.sw.bridge.ports eth1" in mistakes(raw)


def test_routers_of_one_group_agree_on_its_address_and_differ_in_priority() -> None:
    raw = topology_of_cables()
    parts = topology(raw)
    for number, name in enumerate(("gw1", "gw2"), start=1):
        parts["nodes"][name] = {
            "kind": "router",
            "interfaces": {"ethernet1": f"10.9.0.2{number}/24"},
            "standby": [{"interface": "ethernet1", "group": 100, "address": f"10.9.0.25{number}"}],
        }
    parts["nodes"]["sw"] = bridge("10.9.0.1", 4)
    parts["cabled"]["office"] += [["sw:eth3", "gw1:ethernet1"], ["sw:eth4", "gw2:ethernet1"]]
    wanted = "a device's name has at most 15 characters; give the interface a shorter one"
    assert mistakes(raw) == {
        "topology.nodes.gw1.standby vrrp100-ethernet1": wanted,
        "topology.nodes.gw2.standby vrrp100-ethernet1": wanted,
        "topology.nodes.gw2.standby 10.9.0.252": "10.9.0.251, the address of group 100 at gw1; or another group",
        "topology.nodes.gw2.standby 100": (
            "group 100 has priority 100 at gw1 too; the larger one answers, so use another"
        ),
    }


def test_a_lab_does_not_write_over_the_script_of_its_bridge() -> None:
    raw = topology_of_cables()
    topology(raw)["nodes"]["sw"]["files"] = {"init.d/bridge": "", "init.d/addresses": ""}
    wanted = "a path that the lab's bridges and shared addresses don't write"
    assert mistakes(raw) == {"topology.nodes.sw.files init.d/bridge": wanted}


def topology_of_cables() -> dict[str, Any]:
    return {
        "name": "cabled",
        "topology": {
            "kind": "lab",
            "nodes": {
                "sw": {
                    "kind": "router",
                    "interfaces": {"eth1": "10.9.0.101/24", "eth2": "10.9.0.102/24"},
                    "bridge": {"ports": ["eth1", "eth2"], "priority": 4096},
                },
                "pc": {"kind": "host", "interfaces": {"eth0": "10.9.0.3/24"}},
                "pc2": {"kind": "host", "interfaces": {"eth0": "10.9.0.4/24"}},
            },
            "cabled": {"office": [["sw:eth1", "pc:eth0"], ["sw:eth2", "pc2:eth0"]]},
        },
    }


def test_hosts_need_a_gateway_in_reach_a_name_server_and_a_dhcp_server() -> None:
    raw = office()
    nodes = topology(raw)["nodes"]
    nodes["pc2"]["gateway"] = "10.0.2.1"
    nodes["pc2"]["resolver"] = "10.0.1.1"
    nodes["r1"]["services"] = []
    assert mistakes(raw) == {
        "topology.nodes.pc2.gateway 10.0.2.1": "an address of 10.0.1.0/24",
        "topology.nodes.pc2.resolver 10.0.1.1": "the address of a node with a dns service: server",
        "topology.nodes.pc1.dhcp true": "a node on the same segment needs a dhcp service on that interface",
    }


def test_a_dhcp_service_stands_on_an_own_interface_and_names_a_gateway_of_its_lan() -> None:
    raw = office()
    nodes = topology(raw)["nodes"]
    nodes["r1"]["services"][0] |= {"gateway": "10.0.2.1"}
    nodes["r2"]["services"] = [{"kind": "dhcp", "interface": "eth4", "gateway": "10.0.2.1"}]
    assert mistakes(raw) == {
        "topology.nodes.r1.services.gateway 10.0.2.1": "an address of 10.0.1.0/24",
        "topology.nodes.r2.services.interface eth4": "one of eth0, eth1",
    }


def test_addresses_held_twice_and_overlapping_prefixes_are_found_in_the_plan() -> None:
    raw = office()
    nodes = topology(raw)["nodes"]
    nodes["pc2"]["interfaces"]["eth0"] = "10.0.1.11/24"
    nodes["r2"]["loopback"] = "10.0.1.200"
    wanted = {problem.key: problem.wanted for problem in check_plan(planned(raw))}
    assert wanted["nodes.pc2.interfaces.eth0"] == "nodes.pc1.interfaces.eth0 has it already"
    assert wanted["nodes.r2.loopback"] == "it overlaps 10.0.1.0/24 of segments.office; keep them apart"


def test_misspelt_keys_kinds_and_daemons_are_named_with_the_right_ones() -> None:
    raw = office()
    nodes = topology(raw)["nodes"]
    nodes["pc2"]["gatway"] = "10.0.1.1"
    nodes["r2"]["frr"]["isispd"] = ""
    nodes["server"]["services"][1]["kind"] = "ftp"
    with pytest.raises(SpecError) as caught:
        validated(FabricSpec, raw, "lab.yaml")
    wanted = {problem.key: problem.wanted for problem in caught.value.problems}
    assert "did you mean gateway?" in wanted["topology.nodes.pc2.gatway"]
    assert any("ospfd" in text for text in wanted.values())
    assert any("'dns', 'dhcp', 'http'" in text for text in wanted.values())
