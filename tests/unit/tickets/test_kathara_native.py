"""Kathará labs that run as they are written: startup, files, services, names, and what this machine lacks."""

import subprocess
from pathlib import Path

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.service_shim import service_line, shim_files
from netopsbench.fabric.labs.spec import DnsService, HttpService
from netopsbench.fabric.plan import FabricPlan
from netopsbench.tickets.kathara import read_kathara
from netopsbench.tickets.kathara_names import unserved_records, zone_records
from netopsbench.tickets.kathara_native import Native, native_lab

FILES = {
    "lab.conf": 'gw_1[0]="A"\ngw_1[1]="B"\npc[0]="A"\nweb[0]="B"\n',
    "gw_1.startup": "ip address add 10.1.0.1/24 dev eth0\nip address add 10.2.0.1/24 dev eth1\nsystemctl start frr\n",
    "gw_1/etc/frr/frr.conf": "router ospf\n network 10.0.0.0/8 area 0\n",
    "pc.startup": "ip address add 10.1.0.9/24 dev eth0\nfor n in 1 2; do echo $n; done\nLEVEL=3 scan --all\n",
    "pc/etc/motd": "hello\n",
    "pc/root/it's a note.txt": "don't\n",
    "pc/usr/bin/own": "#!/bin/sh\n",
    "web.startup": "ip address add 10.2.0.80/24 dev eth0\nservice nginx start\nsystemctl restart bind9.service\n"
    "/etc/init.d/postfix start\nip link add link eth0 name v2 type vlan id 2\n",
    "web/var/www/html/index.html": "<h1>Shop</h1>\n",
    "web/etc/bind/named.conf.local": 'zone "shop.test" IN { type master; file "db.shop"; };\n',
    "web/etc/bind/db.shop": "$TTL 60\n@ IN SOA ns a ( 1 2 3 4 5 )\n@ IN A 10.2.0.80\nwww IN A 10.2.0.80 ; the shop\n"
    "     60 IN A 10.2.0.81\nmail A 10.2.0.25\nftp.other. IN A 10.9.9.9\n$ORIGIN eu.shop.test.\nwww IN A 10.2.0.82\n",
}


def _native(folder: Path) -> Native:
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return native_lab(read_kathara(folder), has=lambda program: program != "scan")


@pytest.fixture
def native(tmp_path: Path) -> Native:
    folder = tmp_path / "Shop_2"
    folder.mkdir()
    return _native(folder)


@pytest.fixture
def plan(native: Native) -> FabricPlan:
    return plan_fabric(native.spec)


def _files(plan: FabricPlan, node: str) -> dict[str, str]:
    assert plan.lab is not None
    return plan.lab.files[node]


def test_the_lab_is_planned_like_any_other(native: Native, plan: FabricPlan) -> None:
    assert (plan.name, plan.mtu, len(plan.links)) == ("shop-2", 1500, 2)
    assert native.names == {"gw_1": "gw-1", "pc": "pc", "web": "web"}


def test_startup_lines_run_whole_with_the_files_that_lie_elsewhere(plan: FabricPlan, tmp_path: Path) -> None:
    files = _files(plan, "pc")
    script = files["startup/commands"]
    assert script.endswith(FILES["pc.startup"])
    assert files["motd"] == "hello\n"
    moved = script.replace("/root/", f"{tmp_path}/root/")
    done = subprocess.run(["sh", "-c", moved], capture_output=True, text=True, check=False)
    assert (tmp_path / "root" / "it's a note.txt").read_text() == "don't\n"
    assert "1\n2\n" in done.stdout


def test_the_startup_is_run_once_and_its_errors_do_not_count(plan: FabricPlan) -> None:
    boot = _files(plan, "pc")["init.d/startup"]
    assert boot.startswith("#!/bin/sh\n")
    assert boot.endswith("exit 0\n")
    assert "/run/startup.done" in boot


def test_services_that_are_started_really_serve(native: Native, plan: FabricPlan) -> None:
    assert plan.lab is not None
    served = {planned.name: planned.service for planned in plan.lab.services}
    assert isinstance(served["http"], HttpService)
    assert served["http"].page == "<h1>Shop</h1>\n"
    assert isinstance(served["dns"], DnsService)
    assert {name: str(address) for name, address in served["dns"].records.items()} == {"shop.test": "10.2.0.80"}


def test_zone_files_tell_names_and_addresses() -> None:
    found = zone_records({path.removeprefix("web/"): text for path, text in FILES.items()})
    assert {name: str(address) for name, address in found.items()} == {
        "shop.test": "10.2.0.80",
        "www.shop.test": "10.2.0.81",
        "mail.shop.test": "10.2.0.25",
        "ftp.other": "10.9.9.9",
        "www.eu.shop.test": "10.2.0.82",
    }
    assert zone_records({"etc/bind/named.conf": 'zone "x" { file "missing"; };'}) == {}


@pytest.mark.parametrize(
    "wanted",
    [
        "pc.startup: program is 'scan'; this machine lacks it",
        "web.startup: service is 'postfix'; nodes here have no such service",
        "labs have no VLANs",
        "pc: file is 'usr/bin/own'",
        "it is called gw-1 here",
        "web: www.shop.test is '10.2.0.81'; no machine has this address; the name is left out",
        "web: mail.shop.test is '10.2.0.25'",
        "web: ftp.other is '10.9.9.9'",
        "web: www.eu.shop.test is '10.2.0.82'",
    ],
)
def test_what_the_lab_needs_and_this_machine_lacks_is_named(wanted: str, native: Native) -> None:
    notes = [str(note) for note in native.notes]
    assert sum(wanted in note for note in notes) == 1
    assert len(notes) == 9


def test_records_that_are_no_addresses_are_named() -> None:
    zone = "@ IN SOA ns a ( 1 2 3 4 5 )\n@ IN NS ns\nns IN A 10.2.0.80\nshop IN CNAME ns ; the same\n@ 60 IN MX 10 ns\n"
    files = {"etc/bind/named.conf": 'zone "x.test" { file "/etc/bind/db.x"; };', "etc/bind/db.x": zone}
    assert list(unserved_records(files)) == [
        ("etc/bind/db.x", "shop IN CNAME ns"),
        ("etc/bind/db.x", "@ 60 IN MX 10 ns"),
    ]


def test_dhcp_is_named_as_missing_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "lab.conf").write_text('gw[0]="A"\npc[0]="A"\nold[0]="A"\nnew[0]="A"\n')
    (tmp_path / "gw.startup").write_text("ip address add 10.1.0.1/24 dev eth0\nsystemctl start isc-dhcp-server\n")
    (tmp_path / "pc.startup").write_text("dhclient eth0\n")
    (tmp_path / "old.startup").write_text("ip address add 10.1.0.9/24 dev eth0\nudhcpc -i eth0\nservice named start\n")
    (tmp_path / "new" / "etc" / "network").mkdir(parents=True)
    (tmp_path / "new" / "etc" / "network" / "interfaces").write_text("auto eth0\niface eth0 inet dhcp\n")
    notes = [str(note) for note in native_lab(read_kathara(tmp_path), has=lambda program: True).notes]
    for wanted in (
        "gw.startup: service is 'dhcp'; labs read from Kathará folders have no DHCP; give the machines their addresses",
        "so write its address into pc.startup",
        "so write its address into new.startup",
        "old.startup: 'udhcpc -i eth0'; labs read from Kathará folders have no DHCP; nobody answers",
        "old.startup: service is 'dns'; its zones name no address that a machine here has",
    ):
        assert sum(wanted in note for note in notes) == 1, (wanted, notes)


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    """A folder with one service whose script writes down what it is told."""
    script = tmp_path / "init.d" / "http"
    script.parent.mkdir()
    told = tmp_path / "told"
    script.write_text(f'#!/bin/sh\necho "$1" >> {told}\n[ "$1" != status ] || [ -e {tmp_path}/up ]\n')
    script.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("systemctl restart apache2", 0, ["stop", "start"]),
        ("systemctl --now stop nginx.service", 0, ["stop"]),
        ("service http start", 0, ["start"]),
        ("systemctl is-active http", 3, ["status"]),
        ("systemctl enable http", 0, []),
        ("systemctl start postgresql", 4, []),
        ("service http explode", 1, []),
    ],
)
def test_the_shim_comes_down_to_the_scripts(command: str, code: int, told: list[str], etc: Path) -> None:
    program, *arguments = command.split()
    shim = shim_files()[f"shim/{program}"].replace("/etc/init.d", f"{etc}/init.d")
    done = subprocess.run(["sh", "-c", shim, program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code
    kept = etc / "told"
    assert (kept.read_text().split() if kept.exists() else []) == told


def test_a_line_does_the_same_without_a_shim_on_the_node(etc: Path) -> None:
    (etc / "up").touch()
    line = service_line("nginx", "status").replace("/etc/init.d", f"{etc}/init.d")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "nginx is active (running)\n")
