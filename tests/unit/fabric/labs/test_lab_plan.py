from ipaddress import IPv4Address

from lab_files import office, planned

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import expected_sessions, interface, node
from netopsbench.fabric.render import render_files
from netopsbench.fabric.routes import expected_routes
from netopsbench.records.names import Port


def test_a_lan_is_a_bridge_that_every_port_has_a_link_to() -> None:
    plan = planned(office())
    assert plan.lab is not None
    (segment,) = plan.lab.segments
    lans = [link for link in plan.links if link.kind == "lan"]
    assert (segment.name, str(segment.prefix)) == ("office", "10.0.1.0/24")
    assert segment.links == tuple(link.id for link in lans)
    assert [(str(link.a), str(link.b)) for link in lans] == [
        ("r1:eth0", "office:p1"),
        ("pc1:eth0", "office:p2"),
        ("pc2:eth0", "office:p3"),
    ]
    assert str(interface(plan, Port(node="pc1", interface="eth0")).peer) == "office:p2"


def test_cables_between_routers_and_to_hosts_are_told_apart() -> None:
    kinds = {str(link.a): link.kind for link in planned(office()).links}
    assert (kinds["r1:eth1"], kinds["r2:eth0"]) == ("fabric", "client")


def test_nodes_have_their_daemons_gateways_and_routers() -> None:
    plan = planned(office())
    assert node(plan, "r1").daemons == ("zebra", "ospfd", "staticd")
    assert node(plan, "r1").is_switch
    assert not node(plan, "pc2").is_switch
    assert (str(node(plan, "pc2").gateway), node(plan, "pc2").attached_to) == ("10.0.1.1", "r1")


def test_a_host_with_dhcp_holds_nothing_before_its_lease() -> None:
    plan = planned(office())
    assert plan.lab is not None
    assert plan.lab.leased == (Port(node="pc1", interface="eth0"),)
    assert node(plan, "pc1").gateway is None
    assert "resolv.conf" not in plan.lab.files["pc1"]


def test_the_lease_is_reserved_by_the_hosts_own_mac() -> None:
    plan = planned(office())
    mac = interface(plan, Port(node="pc1", interface="eth0")).mac
    lines = render_files(plan)["r1"]["dnsmasq/dhcp.conf"].splitlines()
    assert f"dhcp-host={mac},10.0.1.11,pc1" in lines
    assert {"dhcp-option=option:router,10.0.1.1", "dhcp-option=option:dns-server,10.0.2.53"} <= set(lines)
    assert not any("pc2" in line for line in lines)


def test_addresses_are_written_into_zebras_configuration() -> None:
    text = render_files(planned(office()))["r1"]["frr/zebra.conf"]
    for name, address in (("lo", "10.255.0.1/32"), ("eth0", "10.0.1.1/24"), ("eth1", "10.0.9.1/30")):
        assert f"interface {name}\n ip address {address}\nexit\n" in text


def test_every_daemon_has_its_own_file_and_text() -> None:
    files = render_files(planned(office()))["r1"]
    assert "router ospf\n network 10.0.0.0/8 area 0\n" in files["frr/ospfd.conf"]
    assert files["frr/staticd.conf"] == "hostname r1\nlog syslog informational\n!\nline vty\nexit\n!\n"


def test_files_of_the_lab_win_over_those_made_for_it() -> None:
    raw = office()
    raw["topology"]["nodes"]["pc2"]["files"] = {"hosts": "127.0.0.1 localhost\n", "motd": "hello\n"}
    files = render_files(planned(raw))["pc2"]
    assert (files["hosts"], files["motd"]) == ("127.0.0.1 localhost\n", "hello\n")


def test_neighbors_follow_from_cables_and_daemons() -> None:
    plan = planned(office())
    assert plan.lab is not None
    seen = [(each.protocol, each.node, each.neighbor) for each in plan.lab.baseline.adjacencies]
    assert seen == [("ospf", "r1", "r2"), ("ospf", "r2", "r1")]
    assert IPv4Address("10.255.0.2") in plan.lab.baseline.adjacencies[0].addresses


def test_expectations_add_and_take_away() -> None:
    raw = office()
    raw["topology"]["expect"] = {
        "silent": [{"protocol": "ospf", "between": ["r2", "r1"]}],
        "unreachable": [["pc1", "server"]],
    }
    plan = planned(raw)
    assert plan.lab is not None
    assert plan.lab.baseline.adjacencies == ()
    assert ("pc1", "server") not in plan.lab.baseline.reachable
    assert ("server", "pc1") in plan.lab.baseline.reachable


def test_a_plan_survives_json_and_has_the_same_digest_every_time() -> None:
    plan = planned(office())
    assert FabricPlan.model_validate_json(plan.model_dump_json()) == plan
    assert planned(office()).digest == plan.digest


def test_another_configuration_is_another_digest() -> None:
    raw = office()
    raw["topology"]["nodes"]["r1"]["frr"]["ospfd"] += " passive-interface eth0\n"
    assert planned(raw).digest != planned(office()).digest


def test_bridges_tunnels_and_shared_addresses_are_made_at_boot_and_known_to_the_plan() -> None:
    plans = {name: plan_fabric(load_spec(name)) for name in ("redundant_office", "metro_overlay")}
    office_lab, metro_lab = plans["redundant_office"].lab, plans["metro_overlay"].lab
    assert office_lab is not None
    assert metro_lab is not None
    assert "stp_state 1 priority 4096" in office_lab.files["sw1"]["init.d/bridge"]
    assert "ip link set dev eth4 master br0 up" in office_lab.files["sw1"]["init.d/bridge"]
    assert "ip address add 10.70.0.254/32 dev vrrp2-eth2" in office_lab.files["gw1"]["init.d/addresses"]
    # Otherwise a standby's own port answers for the shared address too, and hosts go by whoever was first.
    assert "arp_ignore=1" in office_lab.files["gw1"]["init.d/addresses"]
    assert " vrrp 2 priority 200\n" in office_lab.files["gw2"]["frr/vrrpd.conf"]
    assert "vrrpd" in node(plans["redundant_office"], "gw1").daemons
    attached = {name: node(plans["redundant_office"], name).attached_to for name in ("pc1", "pc2", "pc3", "pc4")}
    # Each shared address has a router of its own with the largest priority.
    assert attached == {"pc1": "gw1", "pc2": "gw2", "pc3": "gw1", "pc4": "gw2"}
    assert {link.kind for link in plans["redundant_office"].links if "sw1" in (link.a.node, link.b.node)} == {"lan"}
    assert "type vxlan id 10 local 10.255.80.3 " in metro_lab.files["pe1"]["init.d/bridge"]
    assert {name: bridge.vni for name, bridge in metro_lab.bridges.items()} == {"pe1": 10, "pe2": 10, "pe3": 10}
    # Sessions between loopbacks and over cables alike, one entry per direction.
    protocols = [each.protocol for each in metro_lab.baseline.adjacencies]
    assert (protocols.count("bgp"), protocols.count("isis")) == (6, 12)


def test_questions_about_bgp_find_nothing_in_a_lab_without_it() -> None:
    plan = planned(office())
    assert expected_sessions(plan) == {"r1": {}, "r2": {}}
    assert expected_routes(plan) == {"r1": {}, "r2": {}}
