import pytest
from fault_fakes import FakeEyes, FakeFabric, FakeProber, clos

from netopsbench.core.errors import UnsupportedError
from netopsbench.faults import needs
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.faults.inject import injected
from netopsbench.faults.witness import Witness

PLAN = clos()
FILTER = parse_fault("acl_misconfig", {"at": "leaf1:eth3", "prefix": "192.168.101.0/30"}, "test")
PASSWORD = parse_fault(
    "bgp_neighbor_misconfig", {"device": "leaf1", "neighbor": "10.1.1.1", "variant": "password"}, "test"
)


def refused(fabric: FakeFabric, fault) -> str:
    with (
        pytest.raises(UnsupportedError) as stopped,
        injected(fabric, [fault], Witness(FakeEyes(PLAN), FakeProber()), seed=1),
    ):
        pytest.fail("the block must not be entered")
    return str(stopped.value)


def test_a_password_where_the_kernel_signs_no_segments_is_refused_before_anything_is_typed(monkeypatch):
    monkeypatch.setattr(needs, "has_tcp_md5", lambda: False)
    fabric = FakeFabric(PLAN)
    assert "TCP MD5" in refused(fabric, PASSWORD)
    assert fabric.calls == []


def test_a_filter_where_there_are_none_is_refused_before_anything_is_typed():
    fabric = FakeFabric(PLAN, lambda where, argv: 127 if argv[0] == "nft" else 0)
    assert "packet filters don't work in leaf1: it says no" in refused(fabric, FILTER)
    assert [argv for _, argv in fabric.calls] == [["nft", "list", "tables"]]


def test_the_other_variants_need_nothing(monkeypatch):
    monkeypatch.setattr(needs, "has_tcp_md5", lambda: False)
    keys = {"device": "leaf1", "neighbor": "10.1.1.1", "variant": "remote_as"}
    fabric = FakeFabric(PLAN)
    needs.require(fabric, change_of(parse_fault("bgp_neighbor_misconfig", keys, "test"), PLAN))
    assert fabric.calls == []
