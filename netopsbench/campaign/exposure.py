"""Which telemetry shows the faults of a case: worked out when its window is over, never told to an agent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.combine import touches
from netopsbench.faults.contract import WIRE, Change
from netopsbench.records.telemetry import BgpEvent, BgpNeighbor, InterfaceCounters, NodeCounters, Window
from netopsbench.records.trial import Telemetry
from netopsbench.telemetry.detect import detect
from netopsbench.telemetry.path_table import PathTable, measured
from netopsbench.telemetry.store import Store

_LOST_EPOCHS = 2
"""One lost probe is chance; the same source port twice, and never before, is not."""
_LOST_IN_ALL = 5
"""In a window of a single epoch no source port can lose twice; a quiet mesh loses nothing at all."""
_SLOWER_MS = 10.0
_REFUSED = 3
_INTERFACE_COUNTERS = ("in_discards", "in_errors", "out_discards", "out_errors")
_NODE_COUNTERS = tuple(name for name in NodeCounters.model_fields if name.startswith(("ip_", "tcp_", "icmp_")))


@dataclass(frozen=True)
class Spans:
    """The times that are compared."""

    baseline: Window
    current: Window
    commanded_ns: int
    """What the faults did at once is older than the window in question."""

    @property
    def held(self) -> Window:
        """From the command to the end of the window."""
        return Window(since_ns=self.commanded_ns, until_ns=self.current.until_ns)


def exposed_in(store: Store, spans: Spans, changes: Sequence[Change], plan: FabricPlan) -> tuple[Telemetry, ...]:
    """Where these faults can be seen; nothing when there are none."""
    if not changes:
        return ()
    before, now = measured(store, spans.baseline), measured(store, spans.current)
    near = frozenset[str]().union(*(_near(change, plan) for change in changes))
    shown: dict[Telemetry, bool] = {
        "pingmesh": bool(detect(before, now)),
        "pingmesh ports": _ports_show(before, now),
        "bgp": _bgp_shows(store, spans, near),
        "counters": _risen(store, spans.current) > _REFUSED * (1 + _risen(store, spans.baseline)),
        "logs": any(store.query("log_line", spans.held, {"source": node}) for node in sorted(near)),
        "device": any(_is_in_device(change) for change in changes),
    }
    return tuple(kind for kind, is_shown in shown.items() if is_shown)


def _near(change: Change, plan: FabricPlan) -> frozenset[str]:
    """Nodes that the fault touches, and the far ends of sessions that it ends."""
    peers = (claim.switch for claim in change.effect.sessions if not claim.is_established)
    names = {node.name for node in plan.nodes}
    return frozenset((*touches(change, plan), *peers)) & names


def _is_in_device(change: Change) -> bool:
    """Whether a device itself shows it: a fault on the wire can only be seen from inside by a port without carrier."""
    return bool(change.effect.ports or change.effect.flaps) or any(step.where != WIRE for step in change.do)


def _ports_show(before: PathTable, now: PathTable) -> bool:
    """Whether a source port of a pair loses again and again, or several do, where none did before, or one waits."""
    row = {pair: number for number, pair in enumerate(before.pairs)}
    known = [(number, row[pair]) for number, pair in enumerate(now.pairs) if pair in row]
    if not known:
        return False
    here, there = (np.array(column) for column in zip(*known, strict=True))
    lost = False
    for mask in ("ports_lost", "ports_corrupted", "df_ports_lost"):
        current, former = now.ports[mask][here], before.ports[mask][there]
        lost |= bool(((current >= _LOST_EPOCHS) & (former == 0)).any())
        lost |= int(current.sum()) >= _LOST_IN_ALL and not former.any()
    with np.errstate(invalid="ignore"):
        slower = now.port_median_ms[here] >= before.port_median_ms[there] + _SLOWER_MS
    return lost or bool(slower.any())


def _bgp_shows(store: Store, spans: Spans, near: frozenset[str]) -> bool:
    """Whether a session near the faults is down or changes, or one has other prefixes than before."""
    events = (event for event in store.query("bgp_event", spans.held) if isinstance(event, BgpEvent))
    if any(event.source in near for event in events):
        return True
    prefixes = {_session(each): each.prefixes_received for each in _neighbors(store, spans.baseline)}
    return any(
        each.session_state != "Established" or prefixes.get(_session(each), each.prefixes_received)
        != each.prefixes_received
        for each in _neighbors(store, spans.current)
    )  # fmt: skip


def _neighbors(store: Store, window: Window) -> Iterator[BgpNeighbor]:
    yield from (each for each in store.query("bgp_neighbor", window) if isinstance(each, BgpNeighbor))


def _session(each: BgpNeighbor) -> tuple[str, str]:
    return each.source, each.neighbor_address


def _risen(store: Store, window: Window) -> int:
    """How many packets were refused in the window, by all interfaces and nodes together."""
    first: dict[tuple[str, str, str], int] = {}
    last: dict[tuple[str, str, str], int] = {}
    for where, name, count in _refusals(store, window):
        key = (*where, name)
        first.setdefault(key, count)
        last[key] = count
    return sum(max(0, last[key] - count) for key, count in first.items())


def _refusals(store: Store, window: Window) -> Iterator[tuple[tuple[str, str], str, int]]:
    for each in store.query("interface_counters", window):
        if isinstance(each, InterfaceCounters):
            yield from (((each.source, each.interface), name, getattr(each, name)) for name in _INTERFACE_COUNTERS)
    for each in store.query("node_counters", window):
        if isinstance(each, NodeCounters):
            yield from (((each.source, ""), name, getattr(each, name)) for name in _NODE_COUNTERS)
