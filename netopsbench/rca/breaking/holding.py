"""Root causes made and unmade on a running network, their effect seen before anybody is asked."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.process import TIMED_OUT
from netopsbench.fabric.engine import Fabric
from netopsbench.faults.commands import run_steps, save, spelled
from netopsbench.rca.breaking.contract import Broken, Sight
from netopsbench.rca.network.heard import wait_heard
from netopsbench.rca.network.kernel_routes import steady_routes
from netopsbench.records.trial import Receipt

EFFECT_DEADLINE_S = 15.0
"""OSPF ends an adjacency after 4 s without a hello, and FRR may delay an edited policy by 5 s."""
SETTLE_DEADLINE_S = 30.0
"""A BGP session over a link that carries nothing more lives on for its hold time, 9 s."""
_POLL_S = 0.3
_SIGHT_TIMEOUT_S = 5.0


@contextmanager
def held(fabric: Fabric, causes: Sequence[Broken], deadline_s: float = EFFECT_DEADLINE_S) -> Iterator[list[Receipt]]:
    """Hold the causes for the block, each seen to differ from the healthy network, then undo them, the last first.

    Raises InfraError: "baseline_unhealthy" when an effect is there before its cause, "injection_failed",
    "effect_not_seen", "not_restored".
    """
    sights = [sight for cause in causes for sight in cause.sights]
    _wait_as(fabric, sights, deadline_s, is_broken=False)
    receipts: list[Receipt] = []
    running = [node.name for node in fabric.plan.nodes if node.daemons]
    with ExitStack() as undoing:
        # The first to be put here is the last to be done: what is saved holds no cause either.
        undoing.callback(save, fabric, running, "not_restored")
        for cause in causes:
            undoing.callback(partial(run_steps, fabric, cause.undo, "not_restored"))
            begun_ns = now_ns()
            run_steps(fabric, cause.do, "injection_failed")
            receipts.append(_receipt("inject", begun_ns, spelled(cause.do), "every command succeeded"))
        # What was saved and what runs must not differ where the causes are.
        save(fabric, running, "injection_failed")
        receipts.append(wait_seen(fabric, sights, deadline_s))
        _settle(fabric)
        yield receipts


def _settle(fabric: Fabric) -> None:
    """Wait until routers know what was broken: whoever looks at once and later should see the same network."""
    wait_heard(fabric, SETTLE_DEADLINE_S, "not_converged")
    steady_routes(fabric, SETTLE_DEADLINE_S)


def wait_seen(fabric: Fabric, sights: Sequence[Sight], deadline_s: float) -> Receipt:
    """Wait until the whole effect is there. Raises InfraError("effect_not_seen") with what isn't."""
    _wait_as(fabric, sights, deadline_s, is_broken=True)
    return _receipt("effect_before", now_ns(), "; ".join(map(told, sights)), "all of it")


def are_gone(fabric: Fabric, causes: Sequence[Broken], deadline_s: float) -> bool:
    """Whether, some time after the causes were undone, nothing of their effect is left."""
    sights = [sight for cause in causes for sight in cause.sights]
    end = time.monotonic() + deadline_s
    while unexpected(fabric, sights, is_broken=False):
        if time.monotonic() > end:
            return False
        time.sleep(_POLL_S)
    return True


def seen_still(fabric: Fabric, causes: Sequence[Broken]) -> Receipt:
    """See again, after the agent, what was seen before. Raises InfraError("effect_gone_before_answer")."""
    sights = [sight for cause in causes for sight in cause.sights]
    if gone := unexpected(fabric, sights, is_broken=True):
        raise InfraError("effect_gone_before_answer", gone[0])
    return _receipt("effect_after", now_ns(), "; ".join(map(told, sights)), "all of it")


def _wait_as(fabric: Fabric, sights: Sequence[Sight], deadline_s: float, *, is_broken: bool) -> None:
    end = time.monotonic() + deadline_s
    while wrong := unexpected(fabric, sights, is_broken=is_broken):
        if time.monotonic() > end:
            raise InfraError("effect_not_seen" if is_broken else "baseline_unhealthy", wrong[0])
        time.sleep(_POLL_S)


def unexpected(fabric: Fabric, sights: Sequence[Sight], *, is_broken: bool) -> list[str]:
    """Sights that don't tell what they should, in words."""
    wrong = []
    for sight in sights:
        done = fabric.exec(sight.node, sight.argv, timeout_s=_SIGHT_TIMEOUT_S)
        if done.returncode == TIMED_OUT:
            # An answer that doesn't come lacks everything; that says nothing of the network.
            wrong.append(f"{sight.node}: {' '.join(sight.argv)} did not end in {_SIGHT_TIMEOUT_S:g} s")
            continue
        is_matched = re.search(sight.shows, done.stdout + done.stderr) is not None
        if is_matched != (sight.is_shown == is_broken):
            wrong.append(f"{told(sight)} {'does not hold' if is_broken else 'holds already'}")
    return wrong


def told(sight: Sight) -> str:
    """A sight in words."""
    return f"{sight.node}: {' '.join(sight.argv)} {'shows' if sight.is_shown else 'lacks'} {sight.shows!r}"


def _receipt(step: str, t_ns: int, what: str, seen: str) -> Receipt:
    return Receipt.model_validate({"step": step, "t_ns": t_ns, "what": what, "seen": seen, "is_as_expected": True})
