"""What switches hash: the whole 5-tuple, or its addresses and ports on the second tier that chooses."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import NodeFiles
from netopsbench.fabric.export.containerlab import to_containerlab
from netopsbench.fabric.hashing import FIVE_TUPLE, hash_fields
from netopsbench.fabric.load import load_spec

SOURCE, DESTINATION, SOURCE_PORT, DESTINATION_PORT = 0x1, 0x2, 0x10, 0x20
"""Bits of net.ipv4.fib_multipath_hash_fields."""


@pytest.mark.parametrize("role", ["leaf", "spine", "edge", "agg", "core"])
def test_every_switch_hashes_both_addresses_and_both_ports(role: str) -> None:
    needed = SOURCE | DESTINATION | SOURCE_PORT | DESTINATION_PORT
    assert hash_fields(role) & needed == needed


@pytest.mark.parametrize(("first", "second"), [("leaf", "spine"), ("edge", "agg")])
def test_two_tiers_in_a_row_hash_different_fields(first: str, second: str) -> None:
    assert hash_fields(first) == FIVE_TUPLE != hash_fields(second)


def test_an_exported_fabric_hashes_alike() -> None:
    plan = plan_fabric(load_spec("xs"))
    files: NodeFiles = {node.name: {} for node in plan.nodes}
    topology = to_containerlab(plan, files)["xs.clab.yml"]
    assert topology.count("fib_multipath_hash_policy=3") == topology.count("fib_multipath_hash_fields=") == 4
