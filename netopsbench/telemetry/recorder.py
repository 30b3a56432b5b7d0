"""Turns an epoch's raw round trips into rows and hands them to the store; standard library only.

A process of its own: working out 20,000 rows would hold up the probing loop for a fifth of a second.
"""

import json
import os
import socket
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, nan
from pathlib import Path

from netopsbench.core import sockets
from netopsbench.telemetry import frames
from netopsbench.telemetry.batch import Batch, Column, encode, text_column
from netopsbench.telemetry.probe_sockets import Client
from netopsbench.telemetry.schedule import ALL_PORTS, FIRST_PORT, PORTS, ordered_pairs, port_ranges

UNSENT, CORRUPTED, REFUSED, LOST = -4, -3, -2, -1
"""Instead of a round trip: not sent, damaged, refused by the sending host, not answered in time."""
STORE_TIMEOUT_S = 60.0
LONGEST_MESSAGE = 4096


@dataclass(frozen=True)
class Epoch:
    """What the probing loop knows of an epoch beside its round trips."""

    epoch: int
    slot: int
    """Which of the shared buffers holds it."""
    started_ns: int
    ended_ns: int
    """Wall clock just after the last probe was sent."""
    wall_minus_monotonic_ns: int
    overload_drops: int
    stalls: int
    late_replies: int
    unmatched_replies: int
    scheduled: int
    """Probes that the epoch should have sent, ordinary and don't-fragment."""


@dataclass(frozen=True)
class Slot:
    """One epoch's raw numbers, shared between processes.

    `PORTS` cells per row, rows as `ordered_pairs` has them: all ordinary probes, then the don't-fragment ones alike.
    """

    sent_ns: memoryview
    """Monotonic time of sending."""
    rtt_ns: memoryview
    """Round trip, or one of `UNSENT`, `CORRUPTED`, `REFUSED`, `LOST`."""


class RowMaker:
    """Rows of one mesh; the columns that never change are worked out once."""

    def __init__(self, clients: Sequence[Client], port_batches: Sequence[int] = (PORTS,)) -> None:
        by_name = {client.name: client for client in clients}
        pairs = [(by_name[src], by_name[dst]) for src, dst in ordered_pairs([client.name for client in clients])]
        self._rows = len(pairs)
        self._fixed = {
            "src": text_column(src.name for src, _ in pairs),
            "dst": text_column(dst.name for _, dst in pairs),
            "src_ip": text_column(src.ip for src, _ in pairs),
            "dst_ip": text_column(dst.ip for _, dst in pairs),
            "src_leaf": text_column(src.leaf for src, _ in pairs),
            "dst_leaf": text_column(dst.leaf for _, dst in pairs),
            "path_type": text_column("same_rack" if src.leaf == dst.leaf else "cross_rack" for src, dst in pairs),
            "first_port": _whole([FIRST_PORT] * len(pairs)),
            "batch_starts": _whole([sum(1 << ports.start for ports in port_ranges(port_batches))] * len(pairs)),
        }

    def probes(self, epoch: Epoch, slot: Slot) -> Batch:
        """One row per ordered pair, also for pairs that lost everything."""
        rows = self._rows
        middle = rows * PORTS
        sent_at, df_sent_at = slot.sent_ns[:middle].tolist(), slot.sent_ns[middle:].tolist()
        trips, df_trips = slot.rtt_ns[:middle].tolist(), slot.rtt_ns[middle:].tolist()
        whole = {name: array("q", bytes(8 * rows)) for name in COUNTED}
        real = {name: array("d", [nan]) * rows for name in STATISTICS}
        for row in range(rows):
            cells = slice(row * PORTS, (row + 1) * PORTS)
            mine = trips[cells]
            # Cells that this epoch didn't use hold times of earlier ones.
            whole["t_ns"][row] = max(*sent_at[cells], *df_sent_at[cells]) + epoch.wall_minus_monotonic_ns
            count_ports(mine, row, whole)
            count_df(df_trips[cells], row, whole)
            answered = sorted([trip for trip in mine if trip >= 0])
            if answered:
                for name, value in zip(STATISTICS, statistics_ms(answered), strict=True):
                    real[name][row] = value
        by_port = array("d", [trip / 1e6 if trip >= 0 else nan for trip in trips])
        columns = self._fixed | {name: Column("whole", values) for name, values in whole.items()}
        columns |= {name: Column("real", values) for name, values in real.items()}
        columns["epoch"] = _whole([epoch.epoch] * rows)
        columns["rtt_ms_by_port"] = Column("reals", by_port, width=PORTS)
        return Batch("probe", rows, columns)

    def health(self, epoch: Epoch, unsent: int) -> Batch:
        """The epoch's health record."""
        message = f"{unsent} probes were not sent" if unsent else ""
        numbers = {
            "t_ns": epoch.ended_ns - 1,
            "epoch": epoch.epoch,
            "records_written": self._rows,
            "overload_drops": epoch.overload_drops,
            "stalls": epoch.stalls,
            "late_replies": epoch.late_replies,
            "unmatched_replies": epoch.unmatched_replies,
        }
        columns = {name: _whole([value]) for name, value in numbers.items()}
        columns["is_complete"] = Column("flag", array("q", [not unsent]))
        columns["collector"] = text_column(["pingmesh"])
        columns["message"] = text_column([message])
        return Batch("collector_health", 1, columns)


COUNTED = (
    "t_ns",
    "ports_sent",
    "ports_lost",
    "ports_refused",
    "ports_corrupted",
    "packets_sent",
    "packets_lost",
    "packets_corrupted",
    "send_errors",
    "df_sent",
    "df_lost",
    "df_send_errors",
    "df_ports_sent",
    "df_ports_lost",
    "df_ports_refused",
)
STATISTICS = ("rtt_min_ms", "rtt_avg_ms", "rtt_max_ms", "rtt_p90_ms", "rtt_p99_ms")


def count_ports(trips: Sequence[int], row: int, whole: dict[str, "array[int]"]) -> None:
    """Fill in the masks and counters of one row from its `PORTS` round trips."""
    if min(trips) >= 0:
        whole["ports_sent"][row] = ALL_PORTS
        whole["packets_sent"][row] = PORTS
        return
    sent, refused = ALL_PORTS & ~_mask(trips, UNSENT), _mask(trips, REFUSED)
    lost, corrupted = _mask(trips, LOST) | refused, _mask(trips, CORRUPTED)
    whole["ports_sent"][row] = sent
    whole["ports_lost"][row] = lost
    whole["ports_refused"][row] = refused
    whole["ports_corrupted"][row] = corrupted
    whole["packets_sent"][row] = sent.bit_count()
    whole["packets_lost"][row] = lost.bit_count()
    whole["packets_corrupted"][row] = corrupted.bit_count()
    whole["send_errors"][row] = refused.bit_count()


def count_df(trips: Sequence[int], row: int, whole: dict[str, "array[int]"]) -> None:
    """The same for its don't-fragment probes; damage adds to what `count_ports` found."""
    unsent = _mask(trips, UNSENT)
    whole["df_ports_sent"][row] = ALL_PORTS & ~unsent
    whole["df_sent"][row] = PORTS - unsent.bit_count()
    if LOST in trips or REFUSED in trips:
        refused = _mask(trips, REFUSED)
        lost = _mask(trips, LOST) | refused
        whole["df_ports_lost"][row] = lost
        whole["df_ports_refused"][row] = refused
        whole["df_lost"][row] = lost.bit_count()
        whole["df_send_errors"][row] = refused.bit_count()
    if CORRUPTED in trips:
        corrupted = _mask(trips, CORRUPTED)
        whole["ports_corrupted"][row] |= corrupted
        whole["packets_corrupted"][row] += corrupted.bit_count()


def _mask(trips: Sequence[int], outcome: int) -> int:
    return sum(1 << port for port, trip in enumerate(trips) if trip == outcome)


def statistics_ms(answered: Sequence[int]) -> tuple[float, float, float, float, float]:
    """Least, mean, greatest, 90th and 99th percentile (nearest rank) of sorted round trips in ns."""
    count = len(answered)
    p90, p99 = (answered[ceil(share * count) - 1] for share in (0.9, 0.99))
    mean = sum(answered) / count
    return answered[0] / 1e6, mean / 1e6, answered[-1] / 1e6, p90 / 1e6, p99 / 1e6


def _whole(values: Sequence[int]) -> Column:
    return Column("whole", array("q", values))


def say(event: str, **values: int | str) -> None:
    """One line of JSON on standard output, in one write so that lines of several processes don't mix."""
    os.write(1, (json.dumps({"event": event, **values}) + "\n").encode())


def record_epochs(maker: RowMaker, slots: Sequence[Slot], loop: socket.socket, store: Path) -> None:
    """Store each epoch that the probing loop reports on `loop`, and give its slot back once it is acknowledged.

    Ends when the loop hangs up, or with the event `failed` when the store doesn't take an epoch.
    """
    peer = sockets.connect(store, STORE_TIMEOUT_S)
    while message := loop.recv(LONGEST_MESSAGE):
        epoch = Epoch(**json.loads(message))
        slot = slots[epoch.slot]
        unsent = epoch.scheduled - len(slot.rtt_ns) + slot.rtt_ns.tolist().count(UNSENT)
        batches = [maker.probes(epoch, slot), maker.health(epoch, unsent)]
        described, payload = encode(batches)
        frames.send(peer, {"op": "append", "batches": described}, payload)
        reply = frames.receive(peer)
        written = sum(batch.rows for batch in batches)
        if reply is None or reply[0].get("rows") != written:
            why = "it hung up" if reply is None else str(reply[0].get("error", reply[0]))
            say("failed", message=f"the store did not take epoch {epoch.epoch}: {why}")
            return
        say("epoch", **asdict(epoch), rows=batches[0].rows, unsent=unsent)
        loop.send(epoch.slot.to_bytes(1, "big"))
