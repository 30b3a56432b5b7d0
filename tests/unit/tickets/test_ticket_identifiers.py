"""Names and numbers that a ticket gives away."""

import pytest

from netopsbench.tickets.identifiers import identifiers, lab_identifiers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.0.0.1 and 10.0.0.0/24", {"ipv4:10.0.0.1", "ipv4:10.0.0.0/24"}),
        ("somewhere in 192.168.3.x", {"ipv4:192.168.3.x"}),
        ("Web1.Local is gone", {"domain:web1.local"}),
        ("r1, R1 and router-2", {"device:r1", "device:router-2"}),
        ("eth2 of sw10, Gi 0/1", {"interface:eth2", "device:sw10", "interface:gi 0/1"}),
        ("VLAN 20 in AS65001", {"vlan:vlan 20", "asn:as65001"}),
        ("the router on floor two is as dead as AS 12", set()),
    ],
)
def test_each_kind_is_found_once(text: str, found: set[str]) -> None:
    assert {f"{each.kind}:{each.text}" for each in identifiers(text)} == found


def test_a_labs_own_names_count_whatever_they_look_like() -> None:
    names = ["branch", "pc_sales", "eth0", "10.0.0.1"]
    assert lab_identifiers("Branch can't reach pc_sales (10.0.0.11).", names) == {"branch", "pc_sales"}
