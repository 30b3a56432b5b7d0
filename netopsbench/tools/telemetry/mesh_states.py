"""How each path of the mesh is doing, one bad source port counting as much as a bad average."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from netopsbench.telemetry.detect import LATENCY_RISE_MS, LOST_PROBES, Figures, aligned
from netopsbench.telemetry.path_table import Pair, PathTable, Reals, Wholes
from netopsbench.tools.telemetry.mesh_results import PathState

STATES: tuple[PathState, ...] = ("unreachable", "missing", "lossy", "corrupted", "drops_large", "slow", "ok")
"""The worst first."""
_TWICE = 2
"""A single lost probe says nothing."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sight:
    """One window, with an entry or row for each of the pairs in question, also for those that have no records."""

    first_port: int
    figures: Figures
    send_errors: Wholes
    corrupted: Wholes
    is_seen: Flags
    port_sent: Wholes
    """One column per source port, like all that follow."""
    port_lost: Wholes
    port_median_ms: Reals
    loses_df: Flags
    is_corrupted: Flags

    @property
    def is_dead(self) -> Flags:
        """Ports of which no probe was answered."""
        found: Flags = (self.port_sent > 0) & (self.port_lost == self.port_sent)
        return found

    @property
    def is_lossy(self) -> Flags:
        """Ports of which some probes were answered and some not."""
        return (self.port_lost > 0) & ~self.is_dead

    def ports_where(self, flags: Flags, place: int) -> tuple[int, ...]:
        """The source ports of one pair that have the flag."""
        return tuple(self.first_port + int(bit) for bit in np.flatnonzero(flags[place]))

    def reordered(self, order: Wholes) -> "Sight":
        """The same for the pairs in another order."""
        figures = Figures(**{each.name: getattr(self.figures, each.name)[order] for each in fields(Figures)})
        others = {
            each.name: getattr(self, each.name)[order]
            for each in fields(self)
            if each.name not in ("first_port", "figures")
        }
        return Sight(first_port=self.first_port, figures=figures, **others)


def sight_of(table: PathTable, pairs: Sequence[Pair]) -> Sight:
    """What a window shows of these pairs."""
    places = {pair: place for place, pair in enumerate(table.pairs)}
    order = np.array([places.get(pair, len(table)) for pair in pairs], dtype=np.int64)

    def counted(values: Wholes) -> Wholes:
        return np.concatenate([values, np.zeros((1, *values.shape[1:]), np.int64)])[order]

    no_time = np.full((1, table.port_median_ms.shape[1]), np.nan)
    return Sight(
        first_port=table.first_port,
        figures=aligned(table, pairs),
        send_errors=counted(table.counts["send_errors"]),
        corrupted=counted(table.counts["packets_corrupted"]),
        is_seen=order < len(table),
        port_sent=counted(table.ports["ports_sent"]),
        port_lost=counted(table.ports["ports_lost"]),
        port_median_ms=np.concatenate([table.port_median_ms, no_time])[order],
        loses_df=counted(table.ports["df_ports_lost"]) > 0,
        is_corrupted=counted(table.ports["ports_corrupted"]) > 0,
    )


def states_of(before: Sight, now: Sight) -> Wholes:
    """The state of each pair, as its place in `STATES`."""
    base, new = before.figures, now.figures
    has_dead_port = (now.is_dead & (now.port_sent >= _TWICE)).any(axis=1)
    has_loss = (new.lost >= LOST_PROBES) & (new.loss_pct > np.nan_to_num(base.loss_pct))
    has_df_loss = (new.df_lost >= _TWICE) & (new.df_loss_pct > np.nan_to_num(base.df_loss_pct))
    conditions = {
        "missing": new.sent == 0,
        "unreachable": new.is_unreachable,
        "lossy": has_dead_port | has_loss,
        "corrupted": now.corrupted > before.corrupted,
        "drops_large": has_df_loss | (new.df_errors > 0),
        "slow": (new.rtt_ms >= base.rtt_ms + LATENCY_RISE_MS) | slow_ports(before, now).any(axis=1),
    }
    found: Wholes = np.select(
        list(conditions.values()),
        [STATES.index(name) for name in conditions],
        default=STATES.index("ok"),
    )
    return found


def slow_ports(before: Sight, now: Sight) -> Flags:
    """Source ports that take so much longer than their path did before that the published rule would count it."""
    found: Flags = now.port_median_ms >= (before.figures.rtt_ms + LATENCY_RISE_MS)[:, None]
    return found
