"""The effect of several faults at once: what each must show, less what another hides."""

from collections.abc import Iterator, Sequence

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.contract import Change, Effect, PathClaim
from netopsbench.faults.places import SOURCE


def combined(changes: Sequence[Change], plan: FabricPlan) -> Effect:
    """Everything that must be seen when all of them hold.

    Raises SpecError when two faults touch the same nodes, so that one could hide the other.
    """
    if len(changes) == 1:
        return changes[0].effect
    touched = [touches(change, plan) for change in changes]
    for number, nodes in enumerate(touched):
        for earlier in touched[:number]:
            if nodes & earlier:
                places = " and ".join(str(change.place) for change in changes)
                wanted = f"faults that don't meet; these both touch {', '.join(sorted(nodes & earlier))}"
                raise SpecError([Problem(SOURCE, "faults", places, wanted)])
    effects = [
        _beside(change.effect, frozenset[str]().union(*(touched[:number] + touched[number + 1 :])))
        for number, change in enumerate(changes)
    ]
    return Effect.model_validate(
        {kind: tuple(claim for effect in effects for claim in getattr(effect, kind)) for kind in Effect.model_fields}
    )


def touches(change: Change, plan: FabricPlan) -> frozenset[str]:
    """Nodes at which a fault shows: its place with the clients there, and the ends of everything it breaks."""
    device = change.place.device
    return frozenset((device, *(node.name for node in queries.clients_of(plan, device)), *_broken_ends(change.effect)))


def _broken_ends(effect: Effect) -> Iterator[str]:
    yield from (claim.port.node for claim in effect.ports)
    yield from (claim.port.node for claim in effect.mtus)
    yield from (claim.port.node for claim in effect.flaps)
    yield from (claim.switch for claim in effect.sessions if not claim.is_established)
    yield from (claim.port.node for claim in effect.flaps)
    for path in effect.paths:
        if not path.is_control:
            yield from (path.src.node, path.dst.node)


def _beside(effect: Effect, others: frozenset[str]) -> Effect:
    """The effect without the controls that another fault may break."""

    def holds(path: PathClaim) -> bool:
        return not path.is_control or not {path.src.node, path.dst.node} & others

    return effect.model_copy(update={"paths": tuple(path for path in effect.paths if holds(path))})
