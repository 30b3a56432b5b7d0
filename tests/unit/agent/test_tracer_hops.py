"""Which addresses in the text of a route can be the next device."""

from ipaddress import IPv4Address, IPv4Network

import pytest

from netopsbench.agent.tracer.path_tracer import is_host


@pytest.mark.parametrize("network", ["10.0.0.2/31", "10.0.0.2/32"])
def test_in_a_network_of_one_or_two_addresses_each_is_a_devices(network: str) -> None:
    assert all(is_host(address, IPv4Network(network)) for address in IPv4Network(network))


@pytest.mark.parametrize(("address", "is_one"), [("10.0.1.0", False), ("10.0.1.1", True), ("10.0.1.255", False)])
def test_in_a_larger_network_its_own_address_and_that_of_all_are_nobodys(address: str, is_one: bool) -> None:
    assert is_host(IPv4Address(address), IPv4Network("10.0.1.0/24")) is is_one


def test_an_address_of_another_network_is_no_neighbor() -> None:
    assert not is_host(IPv4Address("10.0.2.1"), IPv4Network("10.0.1.0/24"))
