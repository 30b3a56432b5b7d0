"""What the witness must find of impaired links: figures within the bounds of chance, and states that come and go."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from netopsbench.core.model import Model
from netopsbench.fabric.observe import NodeState
from netopsbench.faults.contract import FlapClaim, PathClaim, Quality

LINK_PROBES = 400
"""Enough to tell 30 % of loss from 20 %, few enough to drown in a fabric's own traffic."""
_MOST_PROBES = 2_000
_EVENTS = 15
"""Lost probes to be expected of a rare loss: none at all is then a chance of 1 in 3,000,000."""
_SIGMAS = 4.5
_EARLY_MS, _LATE_MS, _LATE_SHARE = 2.0, 5.0, 0.1
"""How far the median time may be off: a busy machine is late, never early."""
_WATCH_PAUSE_S = 0.1


class Measured(Model):
    """What came of many probes over one link."""

    sent: int
    arrived: int
    """Undamaged."""
    returned: int
    damaged: int
    """Refused by the far node for their checksum, or delivered damaged."""
    there_ms: float | None
    """Median; None when nothing arrived."""
    back_ms: float | None


class Eyes(Protocol):
    """Kernel and session state, read without any command of a node."""

    def state(self, nodes: Sequence[str]) -> Mapping[str, NodeState]: ...

    def sessions(self, switches: Sequence[str]) -> Mapping[str, Mapping[str, str]]: ...


def probes_for(quality: Quality) -> int:
    """How many probes show it."""
    shares = [share / 100 for share in (quality.loss_pct, quality.corruption_pct) if share]
    return max([LINK_PROBES, *(min(_MOST_PROBES, math.ceil(_EVENTS / share)) for share in shares)])


def counted(claim: PathClaim, found: Measured) -> str:
    """The figures of one link, in words."""
    more = f", {found.damaged} damaged ones" if found.damaged and claim.quality != Quality() else ""
    more += f", {found.returned} replies return"
    more += "" if found.there_ms is None else f", {found.there_ms:.1f} ms there"
    more += "" if found.back_ms is None else f", {found.back_ms:.1f} ms back"
    return f"{claim.src} to {claim.dst}: {found.arrived} of {found.sent} probes arrive{more}"


def is_unlike(claim: PathClaim, found: Measured) -> bool:
    """Whether the figures speak against the claimed quality of the way there, or against a clean way back."""
    quality = claim.quality or Quality()
    missing = found.sent - found.arrived
    is_back_clean = found.returned == found.arrived and _is_late(found.back_ms, 0)
    return (
        found.sent < claim.probes
        or not is_back_clean
        or not _is_share(missing, found.sent, _missing_share(quality))
        or not _is_damage(found, quality)
        or not _is_late(found.there_ms, quality.delay_ms)
    )


def flaps_unseen(eyes: Eyes, claims: Sequence[FlapClaim]) -> Iterator[str]:
    """Watch until each port was seen with and without carrier, and its session lost; what was not seen, in words."""
    wanted = {(claim, what) for claim in claims for what in ("with carrier", "without carrier", "without session")}
    nodes = sorted({claim.port.node for claim in claims})
    end = time.monotonic() + max((claim.period_s for claim in claims), default=0)
    while wanted:
        state, sessions = eyes.state(nodes), eyes.sessions(nodes)
        for claim in claims:
            link = state[claim.port.node].links.get(claim.port.interface)
            wanted.discard((claim, "with carrier" if link and link.has_carrier else "without carrier"))
            if sessions[claim.port.node].get(str(claim.neighbor)) != "Established":
                wanted.discard((claim, "without session"))
        if time.monotonic() > end:
            break
        time.sleep(_WATCH_PAUSE_S)
    yield from (f"{claim.port} was never seen {what}" for claim, what in sorted(wanted, key=str))


def _missing_share(quality: Quality) -> float:
    return 1 - (1 - quality.loss_pct / 100) * (1 - quality.corruption_pct / 100)


def _is_share(count: int, among: int, share: float) -> bool:
    """Whether so many can come of this share by chance; a share of 0 leaves nothing to chance."""
    if not share:
        return count == 0
    spread = _SIGMAS * math.sqrt(among * share * (1 - share))
    return max(1.0, among * share - spread) <= count <= among * share + spread


def _is_damage(found: Measured, quality: Quality) -> bool:
    """Whether damage was seen at all, or none where there should be none.

    How much of it the far node counts depends on where in a packet it is; the probes that are missing say how much.
    A clean link misses none, and the far node counts for all of its links together.
    """
    return quality == Quality() or (found.damaged > 0) == (quality.corruption_pct > 0)


def _is_late(median_ms: float | None, delay_ms: float) -> bool:
    if median_ms is None:
        return False
    return delay_ms - _EARLY_MS <= median_ms <= delay_ms + _LATE_MS + _LATE_SHARE * delay_ms
