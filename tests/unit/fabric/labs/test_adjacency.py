import json

import pytest

from netopsbench.fabric.labs.adjacency import neighbors_up
from netopsbench.fabric.labs.spec import Protocol


def up(protocol: Protocol, answer: str) -> set[str]:
    return {str(address) for address in neighbors_up(protocol, answer)}


def ospf(state: str) -> str:
    return json.dumps({"neighbors": {"10.255.0.2": [{"nbrState": state, "ifaceAddress": "10.0.9.2"}]}})


@pytest.mark.parametrize("state", ["Full/-", "Full/DR", "Full/Backup", "2-Way/DROther"])
def test_a_full_ospf_neighbor_is_known_by_router_id_and_address(state: str) -> None:
    assert up("ospf", ospf(state)) == {"10.255.0.2", "10.0.9.2"}


@pytest.mark.parametrize("state", ["Init/-", "ExStart/DR", "2-Way/DR", "Down/-"])
def test_an_ospf_neighbor_on_its_way_does_not_count(state: str) -> None:
    assert up("ospf", ospf(state)) == set()


def test_isis_neighbors_are_known_by_their_addresses_once_they_are_up() -> None:
    answer = (
        "Area METRO:\n p1                  \n    Interface: eth1, Level: 2, State: Up, Expires in 4s\n"
        "    IPv4 Address(es):\n      10.81.1.1\n\n"
        " p2                  \n    Interface: eth2, Level: 2, State: Initializing, Expires in 4s\n"
        "    IPv4 Address(es):\n      10.81.4.1\n\n"
    )
    assert up("isis", answer) == {"10.81.1.1"}


def test_bgp_neighbors_count_once_established() -> None:
    peers = {"10.0.0.1": {"state": "Established"}, "10.0.0.5": {"state": "Active"}}
    assert up("bgp", json.dumps({"peers": peers})) == {"10.0.0.1"}


def test_rip_gateways_count_while_they_are_heard() -> None:
    answer = (
        'Routing Protocol is "rip"\n  Timeout after 15 seconds, garbage collect after 10 seconds\n'
        "  Routing for Networks:\n    10.0.0.0/8\n  Routing Information Sources:\n"
        "    Gateway          BadPackets BadRoutes  Distance Last Update\n"
        "    10.20.0.2                0         0       120   00:00:04\n"
        "    10.20.0.3                0         0       120   00:00:16\n"
        "  Distance: (default is 120)\n"
    )
    assert up("rip", answer) == {"10.20.0.2"}


def test_eigrp_neighbors_are_read_from_their_table() -> None:
    answer = (
        "\nEIGRP neighbors for AS(100)\n\n"
        "H   Address           Interface            Hold   Uptime   SRTT   RTO   Q     Seq  \n"
        "0   10.44.0.2         eth1                 10     0        0      2    0      2\n"
    )
    assert up("eigrp", answer) == {"10.44.0.2"}


@pytest.mark.parametrize("protocol", ["ospf", "isis", "rip", "eigrp", "bgp"])
def test_a_daemon_that_gives_no_answer_has_no_neighbors(protocol: Protocol) -> None:
    assert up(protocol, "") == set()
    assert up(protocol, "% Unknown command\n") == set()
