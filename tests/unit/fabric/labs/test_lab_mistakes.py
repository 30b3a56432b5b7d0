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
