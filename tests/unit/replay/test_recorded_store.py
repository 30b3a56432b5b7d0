"""Telemetry that was packed is asked like the store that it came from."""

import pytest
from answering import SECOND_NS, some_records
from probe_rows import probe_row

from netopsbench.core.errors import SpecError
from netopsbench.records.telemetry import Probe, Window
from netopsbench.replay.records import RecordedStore, packed_records
from netopsbench.telemetry.store import MemoryStore
from netopsbench.telemetry.tables import tables

ALL = Window(since_ns=0, until_ns=1000 * SECOND_NS)


def probe(t_s: int, ports: int) -> Probe:
    """A row with so many source ports."""
    trips = (0.25, *[None] * (ports - 1))
    return probe_row(t_s * SECOND_NS, trips, epoch=t_s, rtt_min_ms=0.1, rtt_avg_ms=None, rtt_max_ms=0.3)


@pytest.fixture
def live() -> MemoryStore:
    store = MemoryStore()
    store.append([*some_records(), probe(104, 2), probe(124, 3), probe(125, 2)])
    return store


@pytest.fixture
def recorded(live: MemoryStore) -> RecordedStore:
    return RecordedStore(packed_records(live, ALL))


@pytest.mark.parametrize("kind", tables())
@pytest.mark.parametrize("window", [None, Window(since_ns=105 * SECOND_NS, until_ns=125 * SECOND_NS)])
def test_every_kind_comes_back_as_it_was(live, recorded, kind, window):
    assert recorded.query(kind, window) == live.query(kind, window)


def test_conditions_choose_the_same_records(live, recorded):
    for where in ({"source": "leaf1"}, {"source": "leaf2", "program": "bgpd"}, {"source": "nobody"}, {"pid": 125}):
        assert recorded.query("log_line", None, where) == live.query("log_line", None, where)


def test_single_columns_are_those_of_the_same_records(recorded):
    batches = recorded.query_columns("probe", ["t_ns"])
    assert sorted(t_ns for batch in batches for t_ns in batch.columns["t_ns"].values) == [
        104 * SECOND_NS,
        124 * SECOND_NS,
        125 * SECOND_NS,
    ]


def test_records_after_the_span_are_not_kept(live):
    early = RecordedStore(packed_records(live, Window(since_ns=0, until_ns=105 * SECOND_NS)))
    assert [line.message for line in early.query("log_line")] == ["line 95"]


def test_unknown_field_is_refused_as_by_a_store(recorded):
    with pytest.raises(SpecError, match="log_line has the fields"):
        recorded.query("log_line", None, {"host": "leaf1"})
