"""Where in the mesh of probes the trouble gathers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from netopsbench.telemetry.path_table import Wholes
from netopsbench.tools.context import ToolContext
from netopsbench.tools.mesh import ClientPair, Comparison
from netopsbench.tools.mesh_states import Flags, slow_ports
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.results import Hotspot, PingmeshHotspots

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
    bad = _bad_samples(found)
    hotspots = [
        _hotspot(found, ends, np.array(places, dtype=np.int64), bad)
        for ends, places in _groups(found, group_by).items()
    ]
    shown = [spot for spot in hotspots if not only_changed or set(spot.states) != {"ok"}]
    shown.sort(key=lambda spot: -spot.bad_samples_pct)
    chosen, page = page_of(shown, offset, limit)
    return PingmeshHotspots(
        baseline=found.baseline, current=found.current, group_by=group_by, hotspots=chosen, page=page
    )


@dataclass(frozen=True)
class _Samples:
    """Which source ports of which paths are bad, and in which way; a row per path, a column per port."""

    is_dead: Flags
    is_lossy: Flags
    is_slow: Flags
    loses_df: Flags
    is_corrupted: Flags

    @property
    def is_bad(self) -> Flags:
        return self.is_dead | self.is_lossy | self.is_slow | self.loses_df | self.is_corrupted


def _bad_samples(found: Comparison) -> _Samples:
    now = found.now
    return _Samples(
        is_dead=now.is_dead,
        is_lossy=now.is_lossy,
        is_slow=slow_ports(found.before, now),
        loses_df=now.loses_df,
        is_corrupted=now.is_corrupted,
    )


def _groups(found: Comparison, group_by: GroupBy) -> dict[Ends, list[int]]:
    groups: dict[Ends, list[int]] = {}
    for ends_of in _ENDS[group_by]:
        for place, pair in enumerate(found.pairs):
            groups.setdefault(ends_of(pair), []).append(place)
    return groups


def _hotspot(found: Comparison, ends: Ends, places: Wholes, bad: _Samples) -> Hotspot:
    figures = found.now.figures
    sent, lost = int(figures.sent[places].sum()), int(figures.lost[places].sum())
    samples = int(np.count_nonzero(found.now.port_sent[places]))
    states = [found.states[place] for place in places]
    return Hotspot(
        src=ends[0],
        dst=ends[1],
        paths=len(places),
        states={state: states.count(state) for state in dict.fromkeys(states)},
        packets_sent=sent,
        packets_lost=lost,
        loss_pct=round(100 * lost / sent, 3) if sent else None,
        samples=samples,
        bad_samples_pct=round(100 * int(bad.is_bad[places].sum()) / samples, 2) if samples else 0.0,
        dead_samples=int(bad.is_dead[places].sum()),
        lossy_samples=int(bad.is_lossy[places].sum()),
        slow_samples=int(bad.is_slow[places].sum()),
        df_lost_samples=int(bad.loses_df[places].sum()),
        corrupted_samples=int(bad.is_corrupted[places].sum()),
    )
