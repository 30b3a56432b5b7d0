"""Solves root-cause tasks with the permitted questions, and finds the smallest set of them that is enough."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from netopsbench.core.errors import InfraError, ToolError
from netopsbench.core.model import Model
from netopsbench.core.process import TIMED_OUT, Completed
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple
from netopsbench.rca.solving.evidence import LISTED, SHOWING_MAC, Evidence, Look, are_told, is_denied, smallest
from netopsbench.rca.solving.rules import claims
from netopsbench.rca.solving.services import service_claims
from netopsbench.rca.solving.shown import Claim, Seen
from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors.command import Look as Source
from netopsbench.vendors.command import View
from netopsbench.vendors.live import LiveDevice
from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.sessions import BgpSessions, BgpSummary, OspfNeighbors

_FACTS: dict[Need, type[Model]] = {
    **dict.fromkeys(LISTED, f.Interfaces),
    "route_table": f.Routes,
    "fib": f.Fib,
    "arp": f.Neighbors,
    "acl": f.PacketFilter,
    "prefix_list": f.Policies,
    "running_config": f.Configuration,
    "saved_config": f.SavedConfiguration,
    "bgp_summary": BgpSummary,
    "bgp_peer": BgpSessions,
    "ospf_neighbors": OspfNeighbors,
    "queues": l2.PortQueues,
    "spanning_tree": l2.Bridges,
    "vrrp": l2.StandbyGroups,
    "vxlan": l2.Tunnels,
    "link_neighbors": f.LinkNeighbors,
}
_OF_HOSTS: dict[Need, type[Model]] = dict.fromkeys(SHOWING_MAC, f.Interfaces)
_TIMEOUT_S = 10.0
_TRIES = 2
SECOND_LOOK_S = 5.0
"""In this time a session comes up that nothing keeps down."""


class Solved(Model):
    """What was found, and the questions that were enough."""

    causes: frozenset[Triple]
    golden: Evidence
    asked: int
    """Questions that were put to find it."""


class _Shell:
    """One device, by commands inside it; what the rules don't need isn't told."""

    def __init__(self, fabric: Fabric, device: str) -> None:
        self._fabric, self._device = fabric, device

    def run(self, argv: Sequence[str]) -> Completed:
        for _ in range(_TRIES):
            done = self._fabric.exec(self._device, argv, timeout_s=_TIMEOUT_S)
            if done.returncode != TIMED_OUT:
                return done
        # A daemon that is slow to answer would be taken for one that doesn't run.
        raise InfraError("tools_failed", f"{self._device}: {' '.join(argv)} did not end in {_TIMEOUT_S:g} s")

    def log(self) -> f.LogLines:
        return f.LogLines(lines=())

    def trace(self, target: str, source: str | None) -> f.Trace:
        return f.Trace(target=target, hops=(), is_reached=False)


def solve(fabric: Fabric, denied: Evidence = frozenset(), vendors: Mapping[str, Vendor] | None = None) -> Solved:
    """Solve on a running network; see `solved`. What could be chance is asked for twice.

    Raises InfraError when a device is silent.
    """
    answers: list[Seen] = []

    def ask() -> Sequence[Claim]:
        answers.append(_seen(fabric.plan, lambda device: LiveDevice(_Shell(fabric, device)), denied))
        return _claims(fabric.plan, answers[-1], denied, vendors)

    found = confirmed(ask, lambda: time.sleep(SECOND_LOOK_S))
    return _decided(found, sum(map(len, answers)), denied)


def solved(
    plan: FabricPlan,
    device: Callable[[str], Source],
    denied: Evidence = frozenset(),
    vendors: Mapping[str, Vendor] | None = None,
) -> Solved:
    """Ask every device everything that is permitted, and decide. Nothing of the task's key is known here.

    `device` gives the device of a name. Known are the design as `get_topology` tells it, which routers translate
    addresses by design, and what devices print: with `vendors` nothing counts that these leave out.
    """
    seen = _seen(plan, device, denied)
    return _decided(_claims(plan, seen, denied, vendors), len(seen), denied)


def confirmed(ask: Callable[[], Sequence[Claim]], pause: Callable[[], None]) -> list[Claim]:
    """What is wrong; where that could be chance, only what is wrong after a pause too. What is configured stays."""
    found = list(ask())
    sure = {claim.triple for claim in found if not claim.may_pass}
    if all(claim.triple in sure for claim in found):
        return found
    pause()
    still = {claim.triple for claim in ask()}
    return [claim for claim in found if claim.triple in still]


def _seen(plan: FabricPlan, device: Callable[[str], Source], denied: Evidence) -> Seen:
    """What the devices answer to everything that is permitted."""
    seen: dict[tuple[str, Need], Model] = {}
    for node in plan.nodes:
        asked = device(node.name)
        told: dict[type[Model], Model] = {}
        for need, kind in (_FACTS if node.is_switch else _OF_HOSTS).items():
            if Look(device=node.name, need=need) in denied:
                continue
            try:
                # Several commands tell the same facts, each a part of them.
                told[kind] = told.get(kind) or asked.look(kind, View(device=node.name, vendor="frr"))
            except ToolError:
                # A device that doesn't answer a question is no reason not to ask the next one.
                continue
            seen[node.name, need] = told[kind]
    return seen


def _claims(plan: FabricPlan, seen: Seen, denied: Evidence, vendors: Mapping[str, Vendor] | None) -> Sequence[Claim]:
    """Claims that rest on nothing that is denied, or that vendors' commands leave out."""
    found = (*claims(plan, seen), *service_claims(plan, seen))
    permitted = [claim for claim in found if not is_denied(claim.evidence, denied)]
    if vendors is None:
        return permitted
    return [claim for claim in permitted if are_told(claim.triple, claim.evidence, vendors)]


def _decided(found: Sequence[Claim], asked: int, denied: Evidence) -> Solved:
    ways: dict[Triple, list[Evidence]] = defaultdict(list)
    for claim in found:
        ways[claim.triple].append(claim.evidence)
    golden = smallest(list(ways.values()), denied)
    return Solved(causes=frozenset(ways), golden=golden or frozenset(), asked=asked)
