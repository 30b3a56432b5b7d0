"""The independent witness: sees a fault without the injector, the Pingmesh or any command of a node."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.beside import Conversation, talking
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.observe import NodeState, observing
from netopsbench.faults.contract import Effect, PathClaim, Share
from netopsbench.faults.wire_claims import Measured, counted, flaps_unseen, is_unlike
from netopsbench.records.trial import Receipt

EFFECT_DEADLINE_S = 8.0
"""Above the 5 s for which FRR may delay an edited route-map."""
SECOND_LOOK_S = 3.0
"""For what should be there at once: a probe late on a busy machine is no finding."""

_ANSWER_WAIT_S = 0.2
_REPLY_DEADLINE_S = 10.0
_PAUSE_S = 0.05


class Sweep(Model):
    """What came of one probe per source port on one path."""

    sent: int
    arrived: int
    returned: int
    measured: Measured | None = None
    """Where the claim is about the quality of a link."""


class Eyes(Protocol):
    """Kernel and session state, read without any command of a node."""

    def state(self, nodes: Sequence[str]) -> Mapping[str, NodeState]: ...

    def sessions(self, switches: Sequence[str]) -> Mapping[str, Mapping[str, str]]: ...

    def cables(self) -> Mapping[str, str]: ...


class Prober(Protocol):
    """Sends the probes of claims, whatever they claim."""

    def sweep(self, claims: Sequence[PathClaim]) -> Sequence[Sweep]: ...


class ProbeProcess:
    """The prober beside the nodes of a fabric."""

    def __init__(self, fabric: Fabric, prober: Conversation) -> None:
        self._fabric = fabric
        self._prober = prober

    def sweep(self, claims: Sequence[PathClaim]) -> list[Sweep]:
        """Probe all paths at once.

        Raises InfraError("internal_error") when the prober is gone or hangs.
        """
        plain = [claim for claim in claims if claim.quality is None]
        links = [claim for claim in claims if claim.quality is not None]
        slowest_s = max((claim.quality.delay_ms for claim in links if claim.quality), default=0) / 1000
        reply = iter(
            self._prober.ask({
                "paths": [{**self._ends(each), "ports": each.probes, "size": each.size_bytes} for each in plain],
                "wait_s": _ANSWER_WAIT_S,
                "links": [{**self._ends(each), "probes": each.probes} for each in links],
                "links_wait_s": _ANSWER_WAIT_S + 2 * slowest_s,
            })
        )  # fmt: skip
        swept = {id(claim): Sweep.model_validate(next(reply)) for claim in plain}
        measured = {id(claim): Measured.model_validate(next(reply)) for claim in links}
        return [swept.get(id(claim)) or _as_sweep(measured[id(claim)]) for claim in claims]

    def _ends(self, claim: PathClaim) -> dict[str, object]:
        return {
            "src_pid": self._fabric.pid(claim.src.node),
            "src": str(claim.src.address),
            "dst_pid": self._fabric.pid(claim.dst.node),
            "dst": str(claim.dst.address),
        }


class Witness:
    """Compares claims about a fabric with what can be seen of it."""

    def __init__(self, eyes: Eyes, prober: Prober) -> None:
        self.eyes = eyes
        self._prober = prober
        self.counted = ""
        """The figures of the impaired links that were measured last, in words."""

    def unseen(self, effect: Effect) -> tuple[str, ...]:
        """What of the effect can't be seen now, in words; empty when all of it is there."""
        state = self.eyes.state(effect.nodes) if effect.nodes else {}
        sessions = self.eyes.sessions(effect.switches) if effect.switches else {}
        lacking = (
            *_ports_unseen(effect, state),
            *_mtus_unseen(effect, state),
            *_routes_unseen(effect, state),
            *_hops_unseen(effect, state),
            *_sessions_unseen(effect, sessions),
        )
        # Probes that must be lost cost their whole waiting time, so they are sent when the rest is there.
        return lacking or tuple(flaps_unseen(self.eyes, effect.flaps)) or self.paths_unseen(effect.paths)

    def paths_unseen(self, claims: Sequence[PathClaim]) -> tuple[str, ...]:
        """What probes over the claimed paths show otherwise, in words."""
        if not claims:
            return ()
        sweeps = self._prober.sweep(claims)
        links = [(each, sweep.measured) for each, sweep in zip(claims, sweeps, strict=True) if sweep.measured]
        self.counted = "; ".join(counted(each, measured) for each, measured in links if not each.is_control)
        unlike = tuple(counted(each, measured) for each, measured in links if is_unlike(each, measured))
        return unlike + tuple(
            f"{claim.src} to {claim.dst}: {sweep.arrived} of {claim.probes} {_sized(claim)}probes arrive and "
            f"{sweep.returned} replies return, where {claim.arrives} should arrive and {claim.returns} return"
            for claim, sweep in zip(claims, sweeps, strict=True)
            if sweep.measured is None
            and not (
                _is_share(sweep.arrived, claim.probes, claim.arrives)
                and _is_share(sweep.returned, claim.probes, claim.returns)
            )
        )


@contextmanager
def watching(fabric: Fabric) -> Iterator[Witness]:
    """Keep a witness beside the fabric for the block."""
    probing = talking(fabric, "netopsbench.faults.witness_probe", who="the witness", reply_s=_REPLY_DEADLINE_S)
    with probing as prober, observing(fabric) as eyes:
        yield Witness(eyes, ProbeProcess(fabric, prober))


def gate_effect(witness: Witness, effect: Effect, *, deadline_s: float = EFFECT_DEADLINE_S) -> Receipt:
    """Wait until the witness sees the whole effect.

    Raises InfraError("effect_not_seen") naming what was not seen at the deadline.
    """
    missing = poll(lambda: witness.unseen(effect), deadline_s)
    if missing:
        raise InfraError("effect_not_seen", f"after {deadline_s:g} s: {shown(missing)}")
    return Receipt(
        step="effect_before",
        t_ns=now_ns(),
        what=described(effect),
        seen="all of it",
        is_as_expected=True,
        counted=witness.counted,
    )


def check_effect(witness: Witness, effect: Effect, *, deadline_s: float = SECOND_LOOK_S) -> Receipt:
    """See once more that the effect is there, when the agent has answered.

    Raises InfraError("effect_gone_before_answer") naming what has gone.
    """
    missing = poll(lambda: witness.unseen(effect), deadline_s)
    if missing:
        raise InfraError("effect_gone_before_answer", shown(missing))
    return Receipt(
        step="effect_after",
        t_ns=now_ns(),
        what=described(effect),
        seen="all of it",
        is_as_expected=True,
        counted=witness.counted,
    )


def poll(look: Callable[[], tuple[str, ...]], deadline_s: float) -> tuple[str, ...]:
    """Look until nothing is missing; what is still missing at the deadline otherwise.

    The last look begins at the deadline or later: one at a large fabric takes seconds on a busy machine, and what it
    read at its beginning says nothing about its end.
    """
    end = time.monotonic() + deadline_s
    while True:
        begun = time.monotonic()
        missing = look()
        if not missing or begun >= end:
            return missing
        time.sleep(_PAUSE_S)


def shown(words: Sequence[str], most: int = 4) -> str:
    """Some of many findings as one line, saying how many were left out."""
    left_out = f"; and {len(words) - most} more" if len(words) > most else ""
    return "; ".join(words[:most]) + left_out


def described(effect: Effect) -> str:
    """An effect as one line: which facts were looked at."""
    counted = (
        (len(effect.ports), "ports"),
        (len(effect.mtus), "MTUs"),
        (len(effect.routes), "routes"),
        (len(effect.hops_gone), "next hops"),
        (len(effect.sessions), "sessions"),
        (len(effect.flaps), "flapping ports"),
        (sum(claim.probes for claim in effect.paths), "probes"),
    )
    return ", ".join(f"{count} {noun}" for count, noun in counted if count)


def _as_sweep(found: Measured) -> Sweep:
    return Sweep(sent=found.sent, arrived=found.arrived, returned=found.returned, measured=found)


def _is_share(count: int, probes: int, share: Share) -> bool:
    if share == "some":
        return 0 < count < probes
    return count == (probes if share == "all" else 0)


def _sized(claim: PathClaim) -> str:
    return "" if claim.size_bytes is None else f"{claim.size_bytes}-byte "


def _ports_unseen(effect: Effect, state: Mapping[str, NodeState]) -> Iterator[str]:
    for claim in effect.ports:
        link = state[claim.port.node].links.get(claim.port.interface)
        if link is None:
            yield f"{claim.port} doesn't exist"
        elif link.has_carrier:
            yield f"{claim.port} has carrier"
        elif link.is_admin_up != claim.is_admin_up:
            yield f"{claim.port} is administratively {'up' if link.is_admin_up else 'down'}"


def _mtus_unseen(effect: Effect, state: Mapping[str, NodeState]) -> Iterator[str]:
    for claim in effect.mtus:
        link = state[claim.port.node].links.get(claim.port.interface)
        if link is None or link.mtu != claim.mtu:
            yield f"{claim.port} has MTU {link.mtu if link else 'of nothing'}, not {claim.mtu}"


def _routes_unseen(effect: Effect, state: Mapping[str, NodeState]) -> Iterator[str]:
    for claim in effect.routes:
        route = state[claim.node].routes.get(str(claim.prefix))
        held = route.type if route else "absent"
        if held != claim.type:
            yield f"{claim.node}: route {claim.prefix} is {held} in the kernel, not {claim.type}"
        elif route and claim.via and route.next_hops != (claim.via,):
            yield f"{claim.node}: route {claim.prefix} doesn't lead to {' '.join(claim.via).strip()} alone"


def _hops_unseen(effect: Effect, state: Mapping[str, NodeState]) -> Iterator[str]:
    for claim in effect.hops_gone:
        hop = str(claim.next_hop)
        using = [
            prefix
            for prefix, route in state[claim.node].routes.items()
            if route.is_bgp and any(gateway == hop for gateway, _ in route.next_hops)
        ]
        if using:
            yield f"{claim.node}: {len(using)} routes still lead to {hop}, {using[0]} for one"


def _sessions_unseen(effect: Effect, sessions: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for claim in effect.sessions:
        held = sessions[claim.switch].get(str(claim.neighbor), "absent")
        if (held == "Established") != claim.is_established:
            yield f"{claim.switch}: session with {claim.neighbor} is {held}"
