"""Which telemetry can show a case's fault, worked out from the fault, the plan and how long is watched."""

from collections.abc import Iterator, Sequence
from typing import get_args

from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.catalog import change_of
from netopsbench.faults.contract import Change, PathClaim, Quality
from netopsbench.records.faults import AclMisconfig, FaultSpec, MtuMismatch
from netopsbench.records.names import Port
from netopsbench.records.trial import Telemetry
from netopsbench.scenario.model import Scenario, Timeline
from netopsbench.telemetry.detect import LATENCY_RISE_MS, LOSS_PCT, LOST_PROBES
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.schedule import PORTS

EXPOSURES: tuple[Telemetry, ...] = get_args(Telemetry)
"""The plainest first."""

_DF_LOSS_PCT = 20.0
_LOST_TO_TELL = 10.0
"""Probes to be expected lost, so that none at all is a chance of 1 in 20,000."""
_SLOWER_MS = 3.0
"""Delay of single source ports that stands out from a quiet network."""


def exposure_of(case: Scenario, plan: FabricPlan) -> tuple[Telemetry, ...]:
    """Every kind of telemetry that can show the case's faults, the plainest first; none for a healthy case.

    A case of several faults is exposed in what shows each of them.
    """
    shown = [set(_shown(fault, plan, case.timeline)) for fault in case.faults]
    common = set.intersection(*shown) if shown else set()
    # Faults with nothing in common are still seen, one here and one there.
    seen = common or (set.union(*shown) if all(shown) and shown else set())
    return tuple(kind for kind in EXPOSURES if kind in seen)


def _shown(fault: FaultSpec, plan: FabricPlan, timeline: Timeline) -> Iterator[Telemetry]:
    change = change_of(fault, plan)
    effect = change.effect
    clients = {node.name for node in queries.clients(plan)}
    cut = [claim for claim in effect.paths if not claim.is_control and {claim.src.node, claim.dst.node} <= clients]
    if any("none" in (claim.arrives, claim.returns) for claim in cut):
        yield "pingmesh"
    yield from _on_shared_links(fault, change, plan, timeline)
    if effect.flaps or any(not claim.is_established for claim in effect.sessions):
        yield from ("bgp", "logs")
    # Of a cable that carries badly the devices know nothing.
    if not any(claim.quality for claim in effect.paths):
        yield "device"


def _on_shared_links(fault: FaultSpec, change: Change, plan: FabricPlan, timeline: Timeline) -> Iterator[Telemetry]:
    """What the mesh shows of a link that carries some of the flows of some pairs."""
    quality = _worst(change.effect.paths)
    if change.place.interface is None:
        return
    at = Port(node=change.place.device, interface=change.place.interface)
    if isinstance(fault, MtuMismatch):
        share = _share(plan, at)
        yield "pingmesh" if 100 * share >= _DF_LOSS_PCT else "pingmesh ports"
    elif isinstance(fault, AclMisconfig):
        if queries.node(plan, queries.interface(plan, at).peer.node).is_switch:
            share = _share(plan, at)
            yield "pingmesh" if 100 * share >= LOSS_PCT else "pingmesh ports"
    elif quality is not None:
        yield from _impaired(quality, plan, at, timeline)


def _worst(paths: Sequence[PathClaim]) -> Quality | None:
    return next((claim.quality for claim in paths if claim.quality not in (None, Quality())), None)


def _impaired(quality: Quality, plan: FabricPlan, at: Port, timeline: Timeline) -> Iterator[Telemetry]:
    share = _share(plan, at)
    gone = 1 - (1 - quality.loss_pct / 100) * (1 - quality.corruption_pct / 100)
    epochs = timeline.fault_count(pace_for(plan, timeline.timing).epoch_s)
    probes = PORTS * epochs
    if quality.delay_ms * share >= LATENCY_RISE_MS:
        yield "pingmesh"
    elif quality.delay_ms >= _SLOWER_MS:
        yield "pingmesh ports"
    if 100 * gone * share >= LOSS_PCT and probes * gone * share >= LOST_PROBES:
        yield "pingmesh"
    elif _pairs_over(plan, at) * probes * gone * share >= _LOST_TO_TELL:
        yield "pingmesh ports"


def _share(plan: FabricPlan, at: Port) -> float:
    """Share of the flows between two far clients that take a given link of this height, in one direction."""
    peer = queries.interface(plan, at).peer
    ends = [queries.node(plan, at.node), queries.node(plan, peer.node)]
    lower = max(ends, key=lambda node: queries.TIERS[node.role])
    share = 1 / _uplinks(plan, lower.name)
    if not queries.clients_of(plan, lower.name):
        below = next(port.peer.node for port in lower.interfaces if _is_below(plan, port.peer.node, lower.name))
        share /= _uplinks(plan, below)
    return share


def _uplinks(plan: FabricPlan, name: str) -> int:
    return max(1, sum(_is_below(plan, name, port.peer.node) for port in queries.node(plan, name).interfaces))


def _is_below(plan: FabricPlan, name: str, other: str) -> bool:
    return queries.TIERS[queries.node(plan, name).role] > queries.TIERS[queries.node(plan, other).role]


def _pairs_over(plan: FabricPlan, at: Port) -> int:
    """Ordered pairs of which a share takes the link, in the direction of what the port sends."""
    mine = len(queries.clients_of(plan, at.node))
    return 2 * mine * (len(queries.clients(plan)) - mine)
