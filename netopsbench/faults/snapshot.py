"""Proof of restoration: a fabric's state before a fault, and what differs from it afterwards."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.observe import NodeState
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.contract import PathClaim, Quality
from netopsbench.faults.witness import Eyes, Witness, poll, shown
from netopsbench.records.trial import Receipt

RESTORE_DEADLINE_S = 20.0
"""Above hold time and connect timer together."""


class Snapshot(Model):
    """Kernel state of every node, every BGP session, and how the cables lie."""

    nodes: dict[str, NodeState]
    sessions: dict[str, dict[str, str]]
    cables: dict[str, str]


def take(eyes: Eyes, plan: FabricPlan) -> Snapshot:
    """The fabric's state now, as a baseline.

    Raises InfraError("baseline_unhealthy") when there is nothing to come back to: a node without addresses or
    routes, a session that isn't Established.
    """
    now = _look(eyes, plan)
    lacking = tuple(_lacking(now, plan))
    if lacking:
        raise InfraError("baseline_unhealthy", f"not a state to come back to: {shown(lacking)}")
    return now


def differences(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """What is not as it was, in words: of nodes, sessions and cables."""
    at_nodes = (found for _, found in _differing(before, after, before.nodes))
    return (*at_nodes, *_changed("cable", before.cables, after.cables))


def _differing(before: Snapshot, after: Snapshot, nodes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each difference at these nodes, with its node."""
    for name in nodes:
        yield from ((name, found) for found in _differences_at(name, before, after))


def _differences_at(name: str, before: Snapshot, after: Snapshot) -> Iterator[str]:
    was, is_now = before.nodes[name], after.nodes.get(name)
    if is_now is None:
        yield f"{name} is gone"
        return
    for what, old, new in (
        ("address", dict.fromkeys(was.addresses, "set"), dict.fromkeys(is_now.addresses, "set")),
        ("neighbor", dict.fromkeys(was.neighbors, "set"), dict.fromkeys(is_now.neighbors, "set")),
        ("link", _links(was), _links(is_now)),
        ("route", _routes(was), _routes(is_now)),
        ("path MTU", dict.fromkeys(was.path_mtus, "set"), dict.fromkeys(is_now.path_mtus, "set")),
        ("filter rule", dict.fromkeys(was.filters, "set"), dict.fromkeys(is_now.filters, "set")),
        ("filter chain", dict.fromkeys(was.chains, "set"), dict.fromkeys(is_now.chains, "set")),
    ):
        yield from _changed(f"{name}: {what}", old, new)
    yield from _changed(f"{name}: session", before.sessions.get(name, {}), after.sessions.get(name, {}))


class Comparison:
    """Looks again at the nodes that differed; when none is left, at all of them once more."""

    def __init__(self, witness: Witness, before: Snapshot, plan: FabricPlan, first: Iterable[str] = ()) -> None:
        """`first` are the nodes where something is expected; all when it is empty."""
        self._witness = witness
        self._before = before
        self._plan = plan
        self._open = tuple(dict.fromkeys(first)) or tuple(before.nodes)

    def differences(self) -> tuple[str, ...]:
        """What differs now, in words; empty only when the whole fabric is as before."""
        looked_at = self._open
        found = self._look(looked_at)
        if not found and set(looked_at) != set(self._before.nodes):
            found = self._look(tuple(self._before.nodes))
        return found or tuple(_changed("cable", self._before.cables, self._witness.eyes.cables()))

    def _look(self, nodes: tuple[str, ...]) -> tuple[str, ...]:
        found = tuple(_differing(self._before, _look(self._witness.eyes, self._plan, nodes), nodes))
        self._open = tuple(dict.fromkeys(node for node, _ in found)) or tuple(self._before.nodes)
        return tuple(words for _, words in found)


def disturbances(witness: Witness, before: Snapshot, plan: FabricPlan, paths: tuple[PathClaim, ...]) -> tuple[str, ...]:
    """What is not as in the snapshot, or doesn't get through, in words."""
    return differences(before, _look(witness.eyes, plan)) or witness.paths_unseen(paths)


def wait_restored(
    witness: Witness,
    before: Snapshot,
    plan: FabricPlan,
    paths: tuple[PathClaim, ...] = (),
    *,
    deadline_s: float = RESTORE_DEADLINE_S,
) -> Receipt:
    """Wait until everything is as in the snapshot and probes over `paths`, in both directions, all return.

    Raises InfraError("not_restored") naming what differs at the deadline.
    """
    open_paths = as_open(paths)
    comparison = Comparison(witness, before, plan, (end.node for claim in paths for end in (claim.src, claim.dst)))
    missing = poll(lambda: comparison.differences() or witness.paths_unseen(open_paths), deadline_s)
    if missing:
        raise InfraError("not_restored", f"after {deadline_s:g} s: {shown(missing)}")
    return Receipt(
        step="restored",
        t_ns=now_ns(),
        what=f"state of {len(before.nodes)} nodes, {len(open_paths)} paths",
        seen="as before",
        is_as_expected=True,
    )


def as_open(paths: tuple[PathClaim, ...]) -> tuple[PathClaim, ...]:
    """The same paths as they must be in a healthy fabric."""
    return tuple(
        claim.model_copy(
            update={"arrives": "all", "returns": "all", "quality": None if claim.quality is None else Quality()}
        )
        for claim in paths
    )


def _look(eyes: Eyes, plan: FabricPlan, nodes: Collection[str] | None = None) -> Snapshot:
    """All of the fabric, or the named nodes without the cables."""
    wanted = [node for node in plan.nodes if nodes is None or node.name in nodes]
    switches = [node.name for node in wanted if node.is_switch]
    return Snapshot(
        nodes=dict(eyes.state([node.name for node in wanted])),
        sessions={name: dict(states) for name, states in eyes.sessions(switches).items()},
        cables=dict(eyes.cables()) if nodes is None else {},
    )


def _lacking(now: Snapshot, plan: FabricPlan) -> Iterator[str]:
    for node in plan.nodes:
        state = now.nodes.get(node.name)
        if state is None or not state.addresses or not state.routes:
            yield f"{node.name} has no addresses or no routes"
        if not node.is_switch:
            continue
        sessions = now.sessions.get(node.name, {})
        if not sessions:
            yield f"{node.name} has no BGP session"
        yield from (
            f"{node.name}: session with {neighbor} is {state}"
            for neighbor, state in sessions.items()
            if state != "Established"
        )


def _links(state: NodeState) -> dict[str, str]:
    return {
        name: f"{'up' if link.is_admin_up else 'down'}, {'carrier' if link.has_carrier else 'no carrier'}, "
        f"MTU {link.mtu}, {link.qdisc}"
        for name, link in state.links.items()
    }


def _routes(state: NodeState) -> dict[str, str]:
    return {
        prefix: " ".join((route.type, *("/".join(hop) for hop in route.next_hops)))
        for prefix, route in state.routes.items()
    }


def _changed(what: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(old.keys() | new.keys()):
        was, is_now = old.get(key, "absent"), new.get(key, "absent")
        if was != is_now:
            yield f"{what} {key} was {was}, is {is_now}"
