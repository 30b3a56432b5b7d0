"""Root causes in what protects against failures: spanning tree of bridges, and the standby of gateways by VRRP."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from netopsbench.fabric.labs.layer2 import BRIDGE, group_lines
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults.contract import configure
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Broken, Sight, run, touched, without_rule

VRRP = "vrrp"
"""Object of a router's whole VRRP."""
NO_TREE = "global STP not enabled"
NO_PORT_TREE = "port STP not enabled"
_DROPPED = "ether daddr 01:80:c2:00:00:00 drop"
NO_VRRP = "global VRRP hot standby redundancy protocol not enabled"
_FILTER = """\
table netdev filter {{
  chain ingress_{port} {{
    type filter hook ingress device "{port}" priority 0; policy accept;
    ether daddr 01:80:c2:00:00:00 drop
  }}
}}
table bridge filter {{
  chain output {{
    type filter hook output priority -200; policy accept;
    oifname "{port}" ether daddr 01:80:c2:00:00:00 drop
  }}
}}
"""
"""What spanning tree hears passes no hook of bridges whole, so the port itself drops it. Labs have these chains."""


class Cable(NamedTuple):
    """A cable between two bridges that run spanning tree, seen from one end."""

    node: Node
    port: Interface
    peer: Node
    peer_port: Interface


def without_tree(plan: FabricPlan) -> Iterator[Broken]:
    """A bridge in a ring runs no spanning tree: it passes on what its neighbours say, and their tree changes."""
    for name, cables in _bridged(plan).items():
        redundant = [each for each in cables if not _is_only_way(plan, each)]
        if not redundant:
            continue
        # Of the two bridges at a link the one with the smaller number speaks for it.
        seen_at = max(redundant, key=lambda each: _priority(plan, each.peer.name))
        spoke = min(name, seen_at.peer.name, key=lambda each: _priority(plan, each))
        yield Broken(
            triple=Triple(node=name, object=BRIDGE, cause=NO_TREE),
            do=(run(name, *_tree(0)),),
            undo=(run(name, *_tree(1)),),
            sights=(
                Sight(
                    node=seen_at.peer.name,
                    argv=_port_shown(seen_at.peer_port),
                    shows=f"designated_bridge {_number(plan, spoke)}",
                    is_shown=False,
                ),
            ),
            # The tree is one for the whole LAN.
            touches=tuple(_bridged(plan)),
        )


def ports_without_tree(plan: FabricPlan) -> Iterator[Broken]:
    """A port takes no part in spanning tree: the bridges behind it make a tree of their own.

    Only at links that close no ring: in a ring frames would go round until the machine is full of them.
    """
    for cables in _bridged(plan).values():
        for each in cables:
            if not _is_only_way(plan, each):
                continue
            is_peer_below = _priority(plan, each.peer.name) > _priority(plan, each.node.name)
            far, at = (each.peer, each.peer_port) if is_peer_below else (each.node, each.port)
            root = min(_bridged(plan), key=lambda name: _priority(plan, name))
            yield Broken(
                triple=Triple(node=each.node.name, object=each.port.name, cause=NO_PORT_TREE),
                do=(run(each.node.name, "nft", "-f", "-", stdin=_FILTER.format(port=each.port.name)),),
                undo=(
                    without_rule(each.node.name, f"netdev filter ingress_{each.port.name}", _DROPPED),
                    without_rule(each.node.name, "bridge filter output", f'oifname "{each.port.name}" {_DROPPED}'),
                ),
                sights=(
                    Sight(
                        node=far.name,
                        argv=_port_shown(at),
                        shows=f"designated_root {_number(plan, root)}",
                        is_shown=False,
                    ),
                ),
                touches=touched(each.node, each.peer),
            )


def without_vrrp(plan: FabricPlan) -> Iterator[Broken]:
    """A router takes no part in VRRP: the other one becomes master of every group."""
    lab = plan.lab
    for name, groups in lab.standby.items() if lab else ():
        masters = [each for each in groups if master_of(plan, each.group) == name]
        others = [other for other in _standing_by(plan, groups[0].group) if other != name]
        if not masters or not others:
            continue
        ports = dict.fromkeys(each.interface for each in groups)
        undo = [configure(name, f"interface {each.interface}", *group_lines(each)) for each in groups]
        do = [
            configure(
                name, f"interface {port}", *(f"no vrrp {each.group}" for each in groups if each.interface == port)
            )
            for port in ports
        ]
        yield Broken(
            triple=Triple(node=name, object=VRRP, cause=NO_VRRP),
            do=tuple(do),
            undo=tuple(undo),
            sights=tuple(
                Sight(
                    node=others[0],
                    argv=("vtysh", "-c", "show vrrp summary"),
                    shows=rf"{re.escape(each.interface)}\s+{each.group}\s+\d+\s+\d+\s+\d+\s+Master",
                )
                for each in masters
            ),
            touches=(name, *others),
        )


def master_of(plan: FabricPlan, group: int) -> str:
    """The router that answers for a group while all is well."""
    held = _standing_by(plan, group)
    return max(held, key=lambda name: held[name])


def _standing_by(plan: FabricPlan, group: int) -> dict[str, int]:
    """Routers of a group with their priorities."""
    lab = plan.lab
    named = lab.standby.items() if lab else ()
    return {name: each.priority for name, groups in named for each in groups if each.group == group}


def _bridged(plan: FabricPlan) -> dict[str, list[Cable]]:
    """Bridge to its cables to other bridges, of those that run spanning tree."""
    lab = plan.lab
    having = {name for name, bridge in lab.bridges.items() if bridge.priority is not None} if lab else set()
    by_name = {node.name: node for node in plan.nodes if node.name in having}
    found: dict[str, list[Cable]] = {}
    for node in by_name.values():
        for port in node.interfaces:
            peer = by_name.get(port.peer.node)
            if peer is not None:
                far = next(each for each in peer.interfaces if each.name == port.peer.interface)
                found.setdefault(node.name, []).append(Cable(node, port, peer, far))
    return found


def _is_only_way(plan: FabricPlan, cable: Cable) -> bool:
    """Whether the two ends have no other way to each other over bridges; a second cable between them is one."""
    bridged = _bridged(plan)
    this = {(cable.node.name, cable.port.name), (cable.peer.name, cable.peer_port.name)}
    reached, frontier = {cable.node.name}, [cable.node.name]
    while frontier:
        for each in bridged[frontier.pop()]:
            if (each.node.name, each.port.name) not in this and each.peer.name not in reached:
                reached.add(each.peer.name)
                frontier.append(each.peer.name)
    return cable.peer.name not in reached


def _priority(plan: FabricPlan, bridge: str) -> int:
    return (plan.lab.bridges[bridge].priority or 0) if plan.lab else 0


def _number(plan: FabricPlan, bridge: str) -> str:
    """Beginning of a bridge's number, as the kernel writes it."""
    return rf"{_priority(plan, bridge):04x}\."


def _port_shown(port: Interface) -> tuple[str, ...]:
    return ("ip", "-d", "-o", "link", "show", "dev", port.name)


def _tree(state: int) -> tuple[str, ...]:
    return ("ip", "link", "set", "dev", BRIDGE, "type", "bridge", "stp_state", str(state))
