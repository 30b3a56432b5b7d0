"""What a trial keeps of BGP and counters over its time."""

from collections.abc import Iterable

from netopsbench.campaign.exposure import Spans
from netopsbench.campaign.timelines import EVENTS_KEPT, TRACES_KEPT, timelines_of
from netopsbench.records.telemetry import BgpEvent, BgpNeighbor, InterfaceCounters, NodeCounters, Record, Window
from netopsbench.records.trial import Timelines
from netopsbench.telemetry.collectors.pace import CollectorPace
from netopsbench.telemetry.store import MemoryStore

SECOND = 1_000_000_000
START = 1_750_000_000 * SECOND
SPANS = Spans(
    baseline=Window(since_ns=START, until_ns=START + 4 * SECOND),
    current=Window(since_ns=START + 5 * SECOND, until_ns=START + 9 * SECOND),
    commanded_ns=START + 4 * SECOND,
)
POLLS = range(-1, 12)
FULL = CollectorPace(poll_s=1.0, log_s=0.5, snapshot_s=60.0, is_reduced=False)
REDUCED = FULL.model_copy(update={"is_reduced": True})


def at(second: float) -> int:
    return START + round(second * SECOND)


def neighbor(second: float, switch: str, address: str, *, is_up: bool = True, prefixes: int = 3) -> BgpNeighbor:
    return BgpNeighbor(
        t_ns=at(second),
        source=switch,
        neighbor_address=address,
        session_state="Established" if is_up else "Idle",
        asn=65001,
        prefixes_received=prefixes if is_up else 0,
        msg_rcvd=1,
        msg_sent=1,
        up_down=1.0,
        times_lost=0,
    )


def port(second: float, node: str, name: str, *, packets: int = 0, discards: int = 0) -> InterfaceCounters:
    counts = dict.fromkeys(InterfaceCounters.model_fields, 0)
    told = {"t_ns": at(second), "source": node, "interface": name, "in_packets": packets, "in_discards": discards}
    return InterfaceCounters.model_validate({**counts, "kind": "interface_counters", **told})


def kernel(second: float, node: str, *, no_routes: int) -> NodeCounters:
    counts = dict.fromkeys(NodeCounters.model_fields, 0)
    told = {"t_ns": at(second), "source": node, "ip_in_no_routes": no_routes}
    return NodeCounters.model_validate({**counts, "kind": "node_counters", **told})


def kept(records: Iterable[Record], pace: CollectorPace = FULL, until_s: float = 11.5) -> Timelines:
    store = MemoryStore()
    store.append(list(records))
    return timelines_of(store, SPANS, pace, at(until_s))


def values(lines: Timelines, figure: str, of: str) -> tuple[float | None, ...]:
    (found,) = [trace.values for trace in lines.traces if (trace.figure, trace.of) == (figure, of)]
    return found


def names(lines: Timelines, figure: str) -> list[str]:
    return [trace.of for trace in lines.traces if trace.figure == figure]


def test_a_lost_session_shows_in_its_switch_and_in_the_whole_fabric() -> None:
    lines = kept(
        neighbor(second, switch, address, is_up=not (switch == "leaf1" and address == "b" and 5 <= second < 8))
        for second in POLLS
        for switch in ("leaf1", "leaf2")
        for address in ("a", "b")
    )
    assert (lines.since_ns, lines.step_s) == (START, 1.0)
    assert values(lines, "sessions", "leaf1") == (2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2)
    assert values(lines, "sessions", "") == (4, 4, 4, 4, 3, 3, 3, 4, 4, 4, 4)
    assert values(lines, "prefixes", "leaf1") == (6, 6, 6, 6, 3, 3, 3, 6, 6, 6, 6)
    assert names(lines, "sessions") == ["", "leaf1"]


def test_a_switch_that_answers_no_more_is_unknown_and_not_as_it_was() -> None:
    lines = kept(neighbor(second, "leaf1", "a") for second in range(-1, 4))
    assert values(lines, "sessions", "") == (1, 1, 1, 1, 1, None, None, None, None, None, None)


def test_on_large_fabrics_a_healthy_session_is_known_between_its_snapshots() -> None:
    lines = kept([neighbor(-1, "leaf1", "a"), neighbor(6, "leaf1", "a", is_up=False)], REDUCED)
    assert values(lines, "sessions", "leaf1") == (1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0)


def test_packets_are_rates_and_the_ports_that_changed_most_come_first() -> None:
    def sent(second: int, drop: int) -> int:
        return 100 * second - max(0, second - 5) * drop

    lines = kept(
        port(second, "leaf1", f"eth{number}", packets=1000 + sent(second, 10 * number))
        for second in POLLS
        for number in range(12)
    )
    assert names(lines, "packets") == ["", *(f"leaf1:eth{number}" for number in range(11, 11 - TRACES_KEPT, -1))]
    assert values(lines, "packets", "leaf1:eth10") == (100,) * 5 + (0,) * 6


def test_refused_packets_are_told_by_port_and_by_node_and_a_new_counter_is_no_fall() -> None:
    discards = {-1: 50, 0: 50, 1: 50, 2: 50, 3: 0, 4: 0, 5: 8, 6: 8}
    lines = kept(
        [
            *(port(second, "leaf1", "eth1", discards=count) for second, count in discards.items()),
            *(kernel(second, "spine1", no_routes=max(0, 2 * second)) for second in discards),
        ],
        until_s=6.5,
    )
    assert values(lines, "refused", "leaf1:eth1") == (0, 0, 0, 0, 8, 0)
    assert values(lines, "refused", "spine1") == (2, 2, 2, 2, 2, 2)
    assert names(lines, "refused") == ["", "spine1", "leaf1:eth1"]


def test_a_long_trial_has_no_more_steps_than_fit_a_page() -> None:
    lines = kept((neighbor(10 * second, "leaf1", "a") for second in range(100)), until_s=1000)
    assert lines.step_s == 10.0
    assert {len(trace.values) for trace in lines.traces} == {100}


def test_only_the_first_events_are_kept_and_all_are_counted() -> None:
    event = BgpEvent(
        t_ns=at(5), source="leaf1", neighbor_address="a", from_state="Established", to_state="Idle", times_lost=1
    )
    lines = kept([event] * (EVENTS_KEPT + 5))
    assert (len(lines.events), lines.events_in_all) == (EVENTS_KEPT, EVENTS_KEPT + 5)


def test_a_store_without_records_gives_no_lines() -> None:
    assert kept([]).traces == ()
