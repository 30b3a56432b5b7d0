"""Where in the mesh of probes the trouble gathers."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from netopsbench.telemetry.path_table import Wholes
from netopsbench.tools.context import ToolContext
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.telemetry.mesh import ClientPair, Comparison
from netopsbench.tools.telemetry.mesh_results import Hotspot, PathState, PingmeshHotspots
from netopsbench.tools.telemetry.mesh_states import slow_ports

GroupBy = Literal["switch_pair", "switch", "client"]
Ends = tuple[str | None, str | None]

_ENDS: dict[GroupBy, tuple[Callable[[ClientPair], Ends], ...]] = {
    "switch_pair": (lambda pair: (pair.src_switch, pair.dst_switch),),
    "switch": (lambda pair: (pair.src_switch, None), lambda pair: (None, pair.dst_switch)),
    "client": (lambda pair: (pair.src, None), lambda pair: (None, pair.dst)),
}


def get_pingmesh_hotspots(
    context: ToolContext,
    group_by: Annotated[
        GroupBy,
        Field(description="What to add paths up by: both ends' switches, one end's switch, or one end's client."),
    ] = "switch_pair",
    only_changed: Annotated[bool, Field(description="Leave out groups in which every path is `ok`.")] = True,
    offset: Offset = 0,
    limit: Limit = 50,
) -> PingmeshHotspots:
    """Where loss, delay and damage gather: paths added up by the switches or clients at their ends, the worst first.

    Samples are single source ports of single paths: each takes one choice of equal-cost links, so a bad link among
    several good ones shows as a share of bad samples. Without `dst` a hotspot adds up the paths that start there;
    without `src` those that end there.
    """
    found = context.whole_mesh
    hotspots = [
        spot for ends_of in _ENDS[group_by] for spot in _hotspots(found, [ends_of(pair) for pair in found.pairs])
    ]
    shown = [spot for spot in hotspots if not only_changed or set(spot.states) != {"ok"}]
    shown.sort(key=lambda spot: -spot.bad_samples_pct)
    chosen, page = page_of(shown, offset, limit)
    return PingmeshHotspots(
        baseline=found.baseline, current=found.current, group_by=group_by, hotspots=chosen, page=page
    )


def _hotspots(found: Comparison, ends: Sequence[Ends]) -> Iterator[Hotspot]:
    """One for each different pair of ends; `ends` are those of every path."""
    groups: dict[Ends, int] = {}
    group = np.array([groups.setdefault(each, len(groups)) for each in ends], dtype=np.int64)
    counted = {name: _added_up(values, group, len(groups)) for name, values in _per_path(found).items()}
    states: list[Counter[PathState]] = [Counter() for _ in groups]
    for place, state in zip(group.tolist(), found.states, strict=True):
        states[place][state] += 1
    for (src, dst), place in groups.items():
        mine = {name: values[place] for name, values in counted.items()}
        sent, bad = mine["packets_sent"], mine.pop("bad_samples")
        yield Hotspot(
            src=src,
            dst=dst,
            paths=states[place].total(),
            states=dict(states[place]),
            loss_pct=round(100 * mine["packets_lost"] / sent, 3) if sent else None,
            bad_samples_pct=round(100 * bad / mine["samples"], 2) if mine["samples"] else 0.0,
            **mine,
        )


def _per_path(found: Comparison) -> dict[str, Wholes]:
    """What hotspots add up: probes, and how many source ports are bad in each way."""
    now = found.now
    is_slow = slow_ports(found.before, now)
    is_bad = now.is_dead | now.is_lossy | is_slow | now.loses_df | now.is_corrupted
    flags = {
        "samples": now.port_sent > 0,
        "bad_samples": is_bad,
        "dead_samples": now.is_dead,
        "lossy_samples": now.is_lossy,
        "slow_samples": is_slow,
        "df_lost_samples": now.loses_df,
        "corrupted_samples": now.is_corrupted,
    }
    ports = {name: flag.sum(axis=1) for name, flag in flags.items()}
    return {"packets_sent": now.figures.sent, "packets_lost": now.figures.lost, **ports}


def _added_up(values: Wholes, group: Wholes, groups: int) -> list[int]:
    # Weights are real numbers; whole ones below 2**53 stay exact.
    return [int(total) for total in np.bincount(group, weights=values, minlength=groups)]
