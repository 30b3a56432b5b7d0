"""BGP sessions that live: each neighbour was heard again.

TCP sends anew ever more seldom while a link is broken. A session that survived is Established at once when the link is
mended, and may still end seconds later, when its hold time is over before something comes through.
"""

import json
import time

from netopsbench.core.errors import InfraError
from netopsbench.fabric.engine import Fabric
from netopsbench.records.trial import InvalidReason

_PAUSE_S = 0.3
Received = dict[tuple[str, str], int]
"""Device and neighbour to the messages that came, of sessions that are Established."""


def wait_heard(fabric: Fabric, deadline_s: float, reason: InvalidReason = "not_restored") -> None:
    """Wait until something came over every session that is Established now, or it is no longer.

    Raises InfraError with this reason, naming a session over which nothing came.
    """
    end = time.monotonic() + deadline_s
    before = received(fabric, reason)
    while silent := _silent(before, received(fabric, reason)):
        if time.monotonic() > end:
            node, neighbor = silent[0]
            raise InfraError(reason, f"{node} heard nothing of its neighbor {neighbor} for {deadline_s:g} s")
        time.sleep(_PAUSE_S)


def received(fabric: Fabric, reason: InvalidReason = "not_restored") -> Received:
    """How many messages every router had of its neighbours. Raises InfraError with it where one doesn't tell."""
    found: Received = {}
    for node in fabric.plan.nodes:
        if "bgpd" not in node.daemons:
            continue
        done = fabric.exec(node.name, ["vtysh", "-c", "show bgp neighbors json"])
        if not done.is_ok:
            raise InfraError(reason, f"{node.name} doesn't tell its sessions: {done.stderr.strip()}")
        for address, each in json.loads(done.stdout or "{}").items():
            if isinstance(each, dict) and each.get("bgpState") == "Established":
                found[node.name, address] = int(each["messageStats"]["totalRecv"])
    return found


def _silent(before: Received, now: Received) -> list[tuple[str, str]]:
    return [session for session, count in before.items() if now.get(session) == count]
