"""The routes in the kernels of a network, to be compared with those of another time."""

import json
import time
from typing import Any

from netopsbench.core.errors import InfraError
from netopsbench.fabric.engine import Fabric

Routes = dict[str, frozenset[tuple[str, tuple[str, ...]]]]
"""Device to its prefixes, each with all its next hops."""

_PAUSE_S = 0.5


def kernel_routes(fabric: Fabric) -> Routes:
    """What every device forwards by. Raises InfraError when a device doesn't tell."""
    return {node.name: _routes(fabric, node.name) for node in fabric.plan.nodes}


def steady_routes(fabric: Fabric, deadline_s: float) -> Routes:
    """The routes once they stay the same for a moment. Raises InfraError when they don't."""
    deadline = time.monotonic() + deadline_s
    before = kernel_routes(fabric)
    while time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
        now = kernel_routes(fabric)
        if now == before:
            return now
        before = now
    raise InfraError("not_converged", f"routes went on changing for {deadline_s:g} s")


def are_back(fabric: Fabric, wanted: Routes, deadline_s: float) -> bool:
    """Wait until the routes are these again."""
    deadline = time.monotonic() + deadline_s
    while kernel_routes(fabric) != wanted:
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_S)
    return True


def _routes(fabric: Fabric, node: str) -> frozenset[tuple[str, tuple[str, ...]]]:
    done = fabric.exec(node, ["ip", "-j", "route", "show"])
    if not done.is_ok:
        raise InfraError("not_converged", f"{node} doesn't tell its routes: {done.stderr.strip()}")
    return frozenset((str(route["dst"]), _next_hops(route)) for route in json.loads(done.stdout or "[]"))


def _next_hops(route: dict[str, Any]) -> tuple[str, ...]:
    hops = route.get("nexthops", [route])
    return tuple(sorted(f"{hop.get('gateway', '')} {hop.get('dev', route.get('type', ''))}" for hop in hops))
