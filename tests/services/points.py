"""Records to store, with times of now."""

from netopsbench.core.clock import now_ns
from netopsbench.records.telemetry import BgpNeighbor, Record, Window
from netopsbench.telemetry.influx_delivery import Patience
from netopsbench.telemetry.influx_store import InfluxStore

BRISK = Patience(open_s=4, deliver_s=30, resend_s=0.7)
HASTY = Patience(open_s=4, deliver_s=2.5, resend_s=0.5)


def sessions(count: int, t_ns: int | None = None) -> list[Record]:
    """As many records, no two of the same session."""
    now = now_ns() if t_ns is None else t_ns
    return [
        BgpNeighbor(
            t_ns=now, source=f"leaf{number % 100}", neighbor_address=f"10.{number // 250}.{number % 250}.1",
            session_state="Established", asn=65001, prefixes_received=3, msg_rcvd=number, msg_sent=number,
            up_down=12.5, times_lost=0,
        )
        for number in range(count)
    ]  # fmt: skip


def around_now() -> Window:
    now = now_ns()
    return Window(since_ns=now - 10**12, until_ns=now + 10**12)


def append_until_full(store: InfluxStore) -> None:
    """Write more than a small disk holds."""
    for _ in range(40):
        store.append(sessions(4000))
