"""The effect of several faults at once: what each must show, less what another hides."""

from collections.abc import Iterator, Sequence

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.contract import Change, Effect, PathClaim, SessionClaim
from netopsbench.faults.places import SOURCE
from netopsbench.records.names import Port


def combined(changes: Sequence[Change], plan: FabricPlan) -> Effect:
    """Everything that must be seen when all of them hold.

    Raises SpecError when two faults touch the same things, so that one could hide the other.
    """
    if len(changes) == 1:
        return changes[0].effect
    touched = [touches(change, plan) for change in changes]
    for number, things in enumerate(touched):
        for earlier in touched[:number]:
            if things & earlier:
                places = " and ".join(str(change.place) for change in changes)
                wanted = f"faults that don't meet; these both touch {', '.join(sorted(things & earlier))}"
                raise SpecError([Problem(SOURCE, "faults", places, wanted)])
    effects = [
        _beside(change.effect, frozenset[str]().union(*(touched[:number] + touched[number + 1 :])))
        for number, change in enumerate(changes)
    ]
    together = Effect.model_validate(
        {kind: tuple(claim for effect in effects for claim in getattr(effect, kind)) for kind in Effect.model_fields}
    )
    return together.model_copy(update={"sessions": tuple(_uncontradicted(together.sessions))})


def touches(change: Change, plan: FabricPlan) -> frozenset[str]:
    """Its device and the clients there, ports at both ends of its link, and clients that it cuts off."""
    device, effect = change.place.device, change.effect
    prefixes = [claim.prefix for claim in effect.routes if claim.prefix.prefixlen]
    clients = [
        node.name
        for node in queries.clients(plan)
        if node.attached_to == device or any(queries.client_address(node) in prefix for prefix in prefixes)
    ]
    return frozenset((device, *clients, *_ports(effect), *_port_at(change, plan)))


def _ports(effect: Effect) -> Iterator[str]:
    yield from (str(claim.port) for claim in effect.ports)
    yield from (str(claim.port) for claim in effect.mtus)
    yield from (str(claim.port) for claim in effect.flaps)


def _port_at(change: Change, plan: FabricPlan) -> Iterator[str]:
    if change.place.interface is not None:
        here = Port(node=change.place.device, interface=change.place.interface)
        yield from (str(here), str(queries.interface(plan, here).peer))


def _beside(effect: Effect, others: frozenset[str]) -> Effect:
    """The effect without the probes that get through only as long as no other fault is in their way."""

    def holds(path: PathClaim) -> bool:
        return path.arrives == "none" or not {path.src.node, path.dst.node} & others

    return effect.model_copy(update={"paths": tuple(path for path in effect.paths if holds(path))})


def _uncontradicted(sessions: Sequence[SessionClaim]) -> Iterator[SessionClaim]:
    """What one fault ends, another can't claim to be undisturbed."""
    ended = {(claim.switch, claim.neighbor) for claim in sessions if not claim.is_established}
    yield from (claim for claim in sessions if not claim.is_established or (claim.switch, claim.neighbor) not in ended)
