"""Eyes on a running fabric that depend on no command of its nodes."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Literal

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.beside import Conversation, talking
from netopsbench.fabric.engine import Fabric, ProgressCallback
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import expected_sessions
from netopsbench.fabric.routes import expected_routes

_REPLY_DEADLINE_S = 60.0
_POLL_S = 0.05
_SWITCHES_AT_A_LOOK = 3
_Question = Literal["state", "sessions", "cables", "unequal", "expect", "missing"]


class LinkView(Model):
    """One interface of a node."""

    is_admin_up: bool
    has_carrier: bool
    mtu: int
    qdisc: str = "noqueue"
    """Kind of the queueing discipline that what leaves the port goes through."""

    @property
    def is_usable(self) -> bool:
        return self.is_admin_up and self.has_carrier


class RouteView(Model):
    """One route of a node's main table."""

    type: str
    """`unicast`, `blackhole`, `unreachable`, `prohibit`."""
    next_hops: tuple[tuple[str, str], ...]
    """Gateway (empty when directly connected) and interface, sorted."""
    is_bgp: bool = False
    """Whether BGP put it there."""


class NodeState(Model):
    """What a node's kernel holds."""

    links: dict[str, LinkView]
    addresses: tuple[str, ...]
    """`eth1 10.1.1.1/30`, sorted."""
    neighbors: tuple[str, ...]
    """Permanent ones, `eth1 10.1.1.2 02:…`, sorted."""
    routes: dict[str, RouteView]
    """By prefix, connected routes included."""
    path_mtus: tuple[str, ...] = ()
    """`192.168.101.2/32 1400`: what the kernel remembers of paths that carry less than their first port, sorted."""
    filters: tuple[str, ...] = ()
    """Packet filter rules that decide, in their order, `filter forward 3 5f0c…`: chain, place in it, and a digest."""
    chains: tuple[str, ...] = ()
    """Of packet filters, with hook and policy, sorted."""


class Eyes:
    """A conversation with the observer beside the nodes."""

    def __init__(self, fabric: Fabric, observer: Conversation) -> None:
        self._fabric = fabric
        self._observer = observer

    @property
    def plan(self) -> FabricPlan:
        return self._fabric.plan

    def state(self, nodes: Sequence[str]) -> dict[str, NodeState]:
        """Kernel state of the named nodes, read now."""
        reply = self._ask("state", nodes={name: self._fabric.pid(name) for name in nodes})
        return {name: NodeState.model_validate(state) for name, state in reply.items()}

    def sessions(self, switches: Sequence[str]) -> dict[str, dict[str, str]]:
        """BGP state by neighbour address of the named switches; empty for a switch whose bgpd doesn't answer."""
        reply: dict[str, dict[str, str]] = self._ask(
            "sessions", nodes={name: self._fabric.pid(name) for name in switches}
        )
        return reply

    def cables(self) -> dict[str, str]:
        """How the ends of all cables lie in the wire namespace, by name, and what takes packets over there."""
        found: dict[str, str] = self._ask("cables")
        return found

    def unequal_routes(self, switches: Sequence[str]) -> dict[str, list[str]]:
        """Routes whose next hops differ between zebra and the kernel, in words, by switch."""
        reply: dict[str, list[str]] = self._ask("unequal", nodes={name: self._fabric.pid(name) for name in switches})
        return reply

    def expect_converged(self) -> None:
        """Tell the observer what this fabric looks like when every session and route is in place."""
        routes, sessions = expected_routes(self._fabric.plan), expected_sessions(self._fabric.plan)
        nodes: Mapping[str, Any] = {
            name: {
                "pid": self._fabric.pid(name),
                "routes": _grouped(routes[name]),
                "sessions": [str(address) for address in sessions[name]],
            }
            for name in routes
        }
        self._ask("expect", nodes=nodes)

    def missing(self) -> tuple[int, list[str]]:
        """How much is not as expected, and some of it in words."""
        reply = self._ask("missing")
        return reply["count"], reply["examples"]

    def incomplete(self) -> int:
        """How many switches are still incomplete, found out with as little disturbance as can be."""
        return int(self._ask("missing", most_switches=_SWITCHES_AT_A_LOOK)["incomplete"])

    def _ask(self, question: _Question, **rest: Any) -> Any:
        return self._observer.ask({"ask": question, **rest})


def _grouped(routes: Mapping[IPv4Network, frozenset[IPv4Address]]) -> list[tuple[list[str], list[str]]]:
    """Prefixes by the next hops that they share: a fabric has few sets of next hops, and many prefixes."""
    prefixes_of: dict[frozenset[IPv4Address], list[str]] = {}
    for prefix, hops in routes.items():
        prefixes_of.setdefault(hops, []).append(str(prefix))
    return [(sorted(map(str, hops)), prefixes) for hops, prefixes in prefixes_of.items()]


@contextmanager
def observing(fabric: Fabric) -> Iterator[Eyes]:
    """Keep an observer beside the fabric for the block."""
    with talking(fabric, "netopsbench.fabric.observer", who="the observer", reply_s=_REPLY_DEADLINE_S) as observer:
        yield Eyes(fabric, observer)


def converge(eyes: Eyes, *, deadline_s: float, progress: ProgressCallback | None = None) -> None:
    """Wait until every session is Established and every switch's kernel holds every prefix with all next hops.

    Raises InfraError("not_converged") naming what is missing at the deadline.
    """
    eyes.expect_converged()
    end = time.monotonic() + deadline_s
    switches = len(expected_sessions(eyes.plan))
    while True:
        begun = time.monotonic()
        incomplete = eyes.incomplete()
        if progress is not None:
            progress("converge", switches - incomplete, switches)
        if incomplete == 0:
            return
        if time.monotonic() > end:
            count, examples = eyes.missing()
            if count == 0:
                return
            shown = "; ".join(examples[:3])
            raise InfraError("not_converged", f"after {deadline_s:g} s {count} things are missing: {shown}")
        # What looking costs is taken from the routers: most of the time belongs to them.
        time.sleep(max(_POLL_S, 3 * (time.monotonic() - begun)))
