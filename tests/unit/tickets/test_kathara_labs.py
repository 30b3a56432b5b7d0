"""Kathará folders: what their grammar says, what becomes of it, and what is named as missing."""

from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.labs.spec import LabHost, LabRouter
from netopsbench.tickets.kathara import read_kathara
from netopsbench.tickets.kathara_lab import as_lab

CONF = """\
LAB_NAME="shop"
# the shop
r1[0]="A"
r1[1]=B/02:00:00:00:00:01
r1[image]="kathara/frr"
r2[0]="A"
till_1[0]=B
till_2[0]=B   # near the door
"""
FRR = """\
frr defaults traditional
hostname r1
!
interface lo
 ip address 10.9.0.1/32
!
interface eth0
 ip address 10.0.0.1/30
 ip ospf cost 5
 ip ospf hello-interval 1
!
router ospf
 ospf router-id 10.9.0.1
 network 10.0.0.0/8 area 0
exit
!
ip route 0.0.0.0/0 10.0.0.2
ip prefix-list OURS permit 10.1.0.0/24
mpls ldp
!
"""


def _lab(folder: Path, conf: str = CONF) -> Path:
    (folder / "lab.conf").write_text(conf)
    (folder / "r1.startup").write_text("#!/bin/bash\nip address add 10.1.0.1/24 dev eth1\nsystemctl start frr\n")
    (folder / "r2.startup").write_text("ifconfig eth0 10.0.0.2 netmask 255.255.255.252 up\n/etc/init.d/frr start\n")
    (folder / "till_1.startup").write_text("ip addr add 10.1.0.11/24 dev eth0\nip route add default via 10.1.0.1\n")
    (folder / "till_2.startup").write_text("ifconfig eth0 10.1.0.12/24\nroute add default gw 10.1.0.1\niptables -F\n")
    for path, text in {
        "r1/etc/frr/frr.conf": FRR,
        "r2/etc/frr/frr.conf": "router bgp 65001\n neighbor 10.0.0.1 remote-as 65002\n",
        "till_1/etc/resolv.conf": "nameserver 10.1.0.1\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_the_folder_is_read_whole(tmp_path: Path) -> None:
    lab = read_kathara(_lab(tmp_path))
    assert lab.domains == {"A": ("r1:eth0", "r2:eth0"), "B": ("r1:eth1", "till_1:eth0", "till_2:eth0")}
    assert [machine.name for machine in lab.machines] == ["r1", "r2", "till_1", "till_2"]
    assert lab.machines[0].startup == ("ip address add 10.1.0.1/24 dev eth1", "systemctl start frr")
    assert lab.machines[0].files["etc/frr/frr.conf"] == FRR


def test_domains_become_cables_and_lans(tmp_path: Path) -> None:
    lab = as_lab(read_kathara(_lab(tmp_path))).lab
    assert [[str(port) for port in link] for link in lab.links] == [["r1:eth0", "r2:eth0"]]
    assert {name: len(ports) for name, ports in lab.segments.items()} == {"b": 3}


def test_addresses_gateways_and_resolvers_are_found_where_labs_put_them(tmp_path: Path) -> None:
    lab = as_lab(read_kathara(_lab(tmp_path))).lab
    till_1, till_2, r2 = lab.nodes["till-1"], lab.nodes["till-2"], lab.nodes["r2"]
    assert isinstance(till_1, LabHost)
    assert isinstance(till_2, LabHost)
    assert (till_1.gateway, till_1.resolver) == (IPv4Address("10.1.0.1"), IPv4Address("10.1.0.1"))
    assert till_2.interfaces == {"eth0": IPv4Interface("10.1.0.12/24")}
    assert till_2.gateway == IPv4Address("10.1.0.1")
    assert r2.interfaces == {"eth0": IPv4Interface("10.0.0.2/30")}


def test_the_single_frr_file_is_cut_per_daemon(tmp_path: Path) -> None:
    lab = as_lab(read_kathara(_lab(tmp_path))).lab
    r1, r2 = lab.nodes["r1"], lab.nodes["r2"]
    assert isinstance(r1, LabRouter)
    assert isinstance(r2, LabRouter)
    assert (r1.loopback, r1.asn, r2.asn) == (IPv4Address("10.9.0.1"), None, 65001)
    assert r1.frr == {
        "ospfd": "ip prefix-list OURS permit 10.1.0.0/24\ninterface eth0\n ip ospf cost 5\nexit\n"
        "interface eth0\n ip ospf hello-interval 1\nexit\n"
        "router ospf\n ospf router-id 10.9.0.1\n network 10.0.0.0/8 area 0\nexit\n",
        "staticd": "ip route 0.0.0.0/0 10.0.0.2\n",
    }


def test_what_a_lab_here_lacks_is_named(tmp_path: Path) -> None:
    notes = [str(note) for note in as_lab(read_kathara(_lab(tmp_path))).notes]
    assert any("till_2.startup: 'iptables -F'" in note and "no address translation" in note for note in notes)
    assert any("mpls ldp" in note for note in notes)
    assert any("it is called till-1 here" in note for note in notes)
    assert len(notes) == 4


def test_vlans_are_named(tmp_path: Path) -> None:
    folder = _lab(tmp_path)
    (folder / "r2.startup").write_text(
        "ip addr add 10.0.0.2/30 dev eth0\nip link add link eth0 name v20 type vlan id 20\n"
    )
    assert any("labs have no VLANs" in str(note) for note in as_lab(read_kathara(folder)).notes)


def test_a_port_with_nothing_at_the_other_end_is_left_out(tmp_path: Path) -> None:
    folder = _lab(tmp_path, CONF + "r1[2]=C\n")
    (folder / "r1.startup").write_text("ip addr add 10.1.0.1/24 dev eth1\nip addr add 10.2.0.1/24 dev eth2\n")
    lab, notes = as_lab(read_kathara(folder))
    assert "eth2" not in lab.nodes["r1"].interfaces
    assert any("nothing is at the other end" in str(note) for note in notes)


@pytest.mark.parametrize("line", ["r1[0]", "nonsense", "r1[bridged]=true", 'r1[port]="80:80"'])
def test_lines_that_cant_be_followed_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(SpecError, match=r"lab\.conf line 9"):
        read_kathara(_lab(tmp_path, CONF + line + "\n"))


def test_a_folder_without_a_lab_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="folder of a Kathará lab"):
        read_kathara(tmp_path)
