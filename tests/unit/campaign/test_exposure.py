from collections.abc import Sequence

import pytest
from probe_rows import probe_row

from netopsbench.campaign.exposure import Spans, exposed_in
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.records.telemetry import (
    BgpEvent,
    BgpNeighbor,
    InterfaceCounters,
    LogLine,
    NodeCounters,
    Probe,
    Record,
    Window,
)
from netopsbench.telemetry.store import MemoryStore

PLAN = plan_fabric(FabricSpec(name="lab", topology=Clos(spines=2, leaves=3)))
BASELINE, CURRENT = Window(since_ns=0, until_ns=100), Window(since_ns=200, until_ns=300)
SPANS = Spans(BASELINE, CURRENT, commanded_ns=160)
ROUTE = ("blackhole_route", {"device": "leaf1", "prefix": "192.168.102.0/30"})
LOSS = ("packet_loss", {"at": "leaf1:eth1"})


def exposed(*records: Record, fault: tuple[str, dict[str, str]] | None = LOSS) -> tuple[str, ...]:
    store = MemoryStore()
    store.append(records)
    changes = [change_of(parse_fault(*fault, "test"), PLAN)] if fault else []
    return exposed_in(store, SPANS, changes, PLAN)


def neighbor(t_ns: int, prefixes: int = 4, state: str = "Established", source: str = "spine1") -> BgpNeighbor:
    return BgpNeighbor(
        t_ns=t_ns,
        source=source,
        neighbor_address="10.1.1.2",
        session_state=state,
        asn=65011,
        prefixes_received=prefixes,
        msg_rcvd=1,
        msg_sent=1,
        up_down=1.0,
        times_lost=0,
    )


def interface(t_ns: int, in_errors: int) -> InterfaceCounters:
    zero = dict.fromkeys(InterfaceCounters.model_fields.keys() - {"kind", "t_ns", "source", "interface"}, 0)
    return InterfaceCounters.model_validate(
        {**zero, "t_ns": t_ns, "source": "leaf1", "interface": "eth1", "in_errors": in_errors}
    )


def node(t_ns: int, csum_errors: int) -> NodeCounters:
    zero = dict.fromkeys(NodeCounters.model_fields.keys() - {"kind", "t_ns", "source"}, 0)
    return NodeCounters.model_validate({**zero, "t_ns": t_ns, "source": "client2", "ip_in_csum_errors": csum_errors})


def line(source: str, t_ns: int = 210) -> LogLine:
    return LogLine(
        t_ns=t_ns, source=source, severity="info", facility="daemon", program="bgpd", pid=1, message="%ADJCHANGE"
    )


def epochs(first_t_ns: int, *, lost: Sequence[int] = (0, 0, 0), slow_ms: float = 0.2) -> list[Probe]:
    """Three epochs of one pair: so many of the 16 ports lost their probe, and the last one took `slow_ms`."""
    return [
        probe_row(
            first_t_ns + number,
            [None if port < count else slow_ms if port == 15 else 0.2 for port in range(16)],
            rtt_avg_ms=0.2,
            rtt_p90_ms=0.2,
        )
        for number, count in enumerate(lost)
    ]


def test_a_port_that_loses_twice_shows_and_one_that_loses_once_does_not():
    assert exposed(*epochs(10), *epochs(210, lost=(1, 0, 1))) == ("pingmesh ports",)
    assert exposed(*epochs(10), *epochs(210, lost=(0, 1, 0))) == ()
    assert exposed(*epochs(10, lost=(1, 0, 0)), *epochs(210, lost=(1, 1, 0))) == ()


def test_in_a_window_of_one_epoch_several_lost_probes_show_where_none_was_lost_before():
    assert "pingmesh ports" in exposed(*epochs(10), *epochs(210, lost=(5,)))
    assert "pingmesh ports" not in exposed(*epochs(10), *epochs(210, lost=(4,)))
    assert "pingmesh ports" not in exposed(*epochs(10, lost=(1, 0, 0)), *epochs(210, lost=(5,)))


def test_a_slow_port_shows_though_its_pair_is_as_quick_as_before():
    assert exposed(*epochs(10), *epochs(210, slow_ms=30.0)) == ("pingmesh ports",)


def test_a_pair_that_loses_a_lot_is_a_formal_anomaly():
    assert exposed(*epochs(10), *epochs(210, lost=(4, 4, 4))) == ("pingmesh", "pingmesh ports")


def test_a_healthy_case_is_exposed_nowhere_whatever_happens():
    assert exposed(neighbor(210, state="Active"), line("leaf1"), fault=None) == ()


def test_a_fault_on_the_wire_is_not_in_a_device_and_one_in_a_configuration_is():
    assert exposed() == ()
    assert exposed(fault=ROUTE) == ("device",)


def test_a_cable_without_carrier_shows_at_its_ports():
    assert exposed(fault=("link_down", {"at": "leaf1:eth1", "variant": "carrier"})) == ("device",)


@pytest.mark.parametrize(
    "records",
    [
        [neighbor(50), neighbor(250, state="Idle")],
        [neighbor(50, prefixes=4), neighbor(250, prefixes=3)],
        [BgpEvent(t_ns=250, source="leaf1", neighbor_address="x", from_state="a", to_state="b", times_lost=1)],
    ],
    ids=["session down", "fewer prefixes", "event at the device"],
)
def test_routing_shows_it(records: Sequence[Record]):
    assert exposed(*records) == ("bgp",)


def test_a_session_cleared_elsewhere_or_before_shows_nothing():
    event = BgpEvent(t_ns=250, source="leaf3", neighbor_address="x", from_state="a", to_state="b", times_lost=1)
    assert exposed(event, neighbor(50), neighbor(250)) == ()
    assert exposed(event.model_copy(update={"source": "leaf1", "t_ns": 150})) == ()


def test_counters_show_it_when_they_rise_faster_than_before():
    assert exposed(node(210, 5), node(290, 40)) == ("counters",)
    assert exposed(interface(210, 5), interface(290, 40)) == ("counters",)
    assert exposed(interface(10, 0), interface(90, 30), interface(210, 30), interface(290, 60)) == ()


def test_only_lines_of_the_devices_at_fault_count_from_the_command_on():
    assert exposed(line("leaf1")) == ("logs",)
    assert exposed(line("leaf1", t_ns=170)) == ("logs",)
    assert exposed(line("leaf3"), line("leaf1", t_ns=150)) == ()
