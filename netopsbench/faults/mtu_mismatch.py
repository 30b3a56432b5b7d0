"""mtu_mismatch: a port of a link between switches carries only small packets."""

import sys
from collections.abc import Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    WIRE,
    Change,
    Effect,
    MtuClaim,
    NodeProcess,
    PathClaim,
    ReadBack,
    Step,
    kept,
    lost,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import MtuMismatch
from netopsbench.records.names import Port

_HEADERS_BYTES = 28
"""IPv4 and UDP."""


def change(fault: MtuMismatch, plan: FabricPlan) -> Change:
    """Set the MTU, and prove that large packets are lost on the link while small ones pass.

    Raises SpecError when the port doesn't lead to a switch, or the MTU isn't smaller than the port's own.
    """
    port = _fabric_port(fault, plan)
    peer, far = places.peer_of(plan, port)
    here, there = fault.at, Port(node=peer.name, interface=far.name)
    changed = (here,) if fault.variant == "one_sided" else (here, there)
    return Change(
        do=tuple(_set(end, fault.mtu) for end in changed),
        # Hosts remember for ten minutes how little got through.
        undo=(*(_set(end, port.mtu) for end in changed), forget_paths(plan, here.node, there.node)),
        read_back=tuple(
            ReadBack(where=end.node, argv=("ip", "link", "show", "dev", end.interface), shows=f"mtu {fault.mtu} ")
            for end in changed
        ),
        effect=Effect(
            mtus=(
                MtuClaim(port=here, mtu=fault.mtu),
                MtuClaim(port=there, mtu=fault.mtu if there in changed else port.mtu),
            ),
            sessions=(*places.all_up(plan, queries.node(plan, here.node)), *places.all_up(plan, peer)),
            paths=_paths(plan, queries.node(plan, here.node), port),
        ),
        place=Location(device=here.node, interface=here.interface),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """The switch's ports that lead to other switches."""
    facing = {port.name for port, _ in places.neighbors_of(plan, node)}
    return tuple(
        {"at": f"{node.name}:{port.name}"} for port in places.ports_of(plan, node, role) if port.name in facing
    )


def _fabric_port(fault: MtuMismatch, plan: FabricPlan) -> Interface:
    port = places.interface(plan, fault.at, "at")
    problems = []
    if not places.peer_of(plan, port)[0].is_switch:
        names = [each.name for each, _ in places.neighbors_of(plan, queries.node(plan, fault.at.node))]
        wanted = f"a port that leads to a switch: {', '.join(names) or 'there is none'}"
        problems.append(Problem(places.SOURCE, "at", str(fault.at), wanted))
    if fault.mtu >= port.mtu:
        problems.append(Problem(places.SOURCE, "mtu", str(fault.mtu), f"less than the port's own {port.mtu}"))
    if problems:
        raise SpecError(problems)
    return port


def _set(end: Port, mtu: int) -> Step:
    return Step(where=end.node, argv=("ip", "link", "set", "dev", end.interface, "mtu", str(mtu)))


def forget_paths(plan: FabricPlan, *switches: str) -> Step:
    """Let these switches and all hosts forget how large packets may be that get through to anybody."""
    nodes = (*switches, *(node.name for node in queries.clients(plan)))
    command = (sys.executable, "-P", "-m", "netopsbench.faults.forget")
    return Step(where=WIRE, argv=(*command, *(NodeProcess(node=name) for name in nodes)))


def _paths(plan: FabricPlan, node: Node, port: Interface) -> tuple[PathClaim, ...]:
    """Over the link itself, over another link of the same switch, and between clients that it joins."""
    peer, far = places.peer_of(plan, port)
    here, there = places.at_port(node.name, port), places.at_port(peer.name, far)
    large = port.mtu - _HEADERS_BYTES
    paths = [lost(here, there, large), lost(there, here, large), kept(here, there), kept(there, here)]
    others = [other for other, _ in places.neighbors_of(plan, node) if other.name != port.name]
    if others:
        beside, across = places.peer_of(plan, others[0])
        paths.append(kept(places.at_port(node.name, others[0]), places.at_port(beside.name, across), large))
    ends = places.ends_across(plan, node, port)
    if ends:
        paths += [kept(*ends), places.partly(*ends, among=places.ways(plan, *ends), size_bytes=large)]
    return tuple(paths)
