"""What the kernel and FRR have and a vendor's device lacks: devices of their own, addresses, statements."""

import pytest
from known_facts import KnownDevice

from netopsbench.core.model import Model
from netopsbench.vendors import facts as f
from netopsbench.vendors.command import View
from netopsbench.vendors.names import NAMES, Need, Vendor
from netopsbench.vendors.table import commands_for

VENDORS: tuple[Vendor, ...] = ("huawei", "h3c", "cisco", "arista", "sonic")
TABLES: tuple[Need, ...] = ("interface_brief", "interface_counters", "interface_description")
OSPF = """\
interface eth1
 ip ospf passive
exit
!
interface eth2
 ip address 10.0.0.1/30
 ip ospf hello-interval 1
 ip ospf passive
exit
!
router ospf
 ospf router-id 10.255.0.3
exit
!"""


def port(name: str, *addresses: str) -> f.Interface:
    return f.Interface(
        name=name, is_admin_up=True, has_carrier=True, mtu_bytes=1500, mac="02:4e:00:03:00:01", addresses=addresses
    )


def shown(vendor: Vendor, need: Need, facts: Model) -> str:
    """What the vendor's commands for a need print, where they look at these facts."""
    device = KnownDevice()
    device.known[type(facts)] = facts
    commands = [each for each in commands_for(vendor, need) if each.facts is type(facts)]
    return "\n".join(each.answer(device, View("leaf1", vendor)) for each in commands)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("need", TABLES)
def test_devices_of_the_kernel_alone_are_no_interfaces_of_a_vendor(vendor: Vendor, need: Need) -> None:
    ports = (port("lo", "127.0.0.1/8"), port("eth2", "10.70.0.2/24"), port("br0"), port("vrrp1-eth2", "10.70.0.1/24"))
    text = shown(vendor, need, f.Interfaces(interfaces=ports))
    assert NAMES[vendor].of("eth2") in text or NAMES[vendor].brief("eth2") in text
    for hidden in ("br0", "vrrp", "127.0.0.1", NAMES[vendor].of("lo"), NAMES[vendor].brief("lo")):
        assert hidden not in text


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_loopback_and_a_bridge_with_addresses_are_shown(vendor: Vendor) -> None:
    ports = (port("lo", "10.255.0.3/32", "127.0.0.1/8"), port("br0", "10.70.0.9/24"))
    text = shown(vendor, "interface_brief", f.Interfaces(interfaces=ports))
    assert "10.255.0.3" in text
    assert "10.70.0.9" in text
    assert "127.0.0.1" not in text


@pytest.mark.parametrize("vendor", ["cisco", "arista"])
@pytest.mark.parametrize("kind", [f.Configuration, f.SavedConfiguration])
def test_ospf_is_configured_as_ios_has_it(vendor: Vendor, kind: type[f.Configuration]) -> None:
    need: Need = "running_config" if kind is f.Configuration else "saved_config"
    text = shown(vendor, need, kind(lines=tuple(OSPF.splitlines())))
    names = NAMES[vendor]
    process = f" router-id 10.255.0.3\n passive-interface {names.of('eth1')}\n passive-interface {names.of('eth2')}\n"
    assert f"router ospf 1\n{process}!" in text
    assert "ip ospf passive" not in text
    assert "ospf router-id" not in text
    assert "FRR only" not in text


@pytest.mark.parametrize(("vendor", "silent"), [("huawei", "GigabitEthernet0/0/2"), ("h3c", "GigabitEthernet1/0/2")])
def test_vrp_names_silent_interfaces_in_the_process(vendor: Vendor, silent: str) -> None:
    text = shown(vendor, "running_config", f.Configuration(lines=tuple(OSPF.splitlines())))
    first = silent.removesuffix("2") + "1"
    assert f"ospf 1\n router-id 10.255.0.3\n silent-interface {first}\n silent-interface {silent}\n" in text
    assert "FRR only" not in text


@pytest.mark.parametrize("line", [" ip ospf passive", " neighbor 10.1.1.1 timers connect 1", " vrrp 1 version 3"])
def test_a_statement_that_ios_lacks_is_marked(line: str) -> None:
    text = shown("cisco", "running_config", f.Configuration(lines=("interface eth1", line, "exit", "!")))
    assert f"! FRR only: {line.strip()}" in text
