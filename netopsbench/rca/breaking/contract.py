"""A root cause worked out for one network: what to do, how to undo it, and what others then see."""

import random
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import TypeVar

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults.contract import Step
from netopsbench.rca.answer import Triple

LOOPBACK = "lo"
_Choice = TypeVar("_Choice")
_WITHOUT_RULE = """\
nft -a list chain $1 | sed -n "s/^[[:space:]]*$2 # handle //p" |
while read -r handle; do nft delete rule $1 handle "$handle" || exit 1; done
"""
"""Rules can only be deleted by a number that the device gave them."""
_PING = ("ping", "-n", "-c", "1", "-W", "1")
_LOST = "100% packet loss|unreachable|Unreachable"


class Sight(Model):
    """A command whose output tells the broken network from the healthy one."""

    node: str
    argv: tuple[str, ...]
    shows: str
    """A regular expression."""
    is_shown: bool = True
    """Whether it matches on the broken network; on the healthy one it is the other way round."""


class Broken(Model):
    """One root cause and its key."""

    triple: Triple
    do: tuple[Step, ...]
    undo: tuple[Step, ...]
    sights: tuple[Sight, ...]
    touches: tuple[str, ...]
    """Devices and hosts that another root cause of the same task must leave alone."""


class Facing(Model):
    """A router's port and what is plugged into it."""

    node: Node
    port: Interface
    peer: Node
    peer_port: Interface

    @property
    def at(self) -> str:
        return f"{self.node.name}:{self.port.name}"


def routers(plan: FabricPlan) -> list[Node]:
    """Everything that forwards."""
    return [node for node in plan.nodes if node.is_switch]


def hosts(plan: FabricPlan) -> list[Node]:
    """Everything that doesn't."""
    return [node for node in plan.nodes if not node.is_switch]


def facing(plan: FabricPlan) -> list[Facing]:
    """Every router port at a cable; ports on LANs are left out, since many are behind them."""
    by_name = {node.name: node for node in plan.nodes}
    lan = {link.id for link in plan.links if link.kind == "lan"}
    found = []
    for node in routers(plan):
        for port in node.interfaces:
            if port.link not in lan and (peer := by_name.get(port.peer.node)):
                far = next(each for each in peer.interfaces if each.name == port.peer.interface)
                found.append(Facing(node=node, port=port, peer=peer, peer_port=far))
    return found


def between_routers(plan: FabricPlan) -> list[Facing]:
    """Ports at cables to other routers."""
    return [each for each in facing(plan) if each.peer.is_switch]


def towards_hosts(plan: FabricPlan) -> list[Facing]:
    """Ports at cables to hosts."""
    return [each for each in facing(plan) if not each.peer.is_switch]


def address_of(host: Node) -> IPv4Address:
    """A host's address."""
    return host.interfaces[0].address.ip


def far_hosts(plan: FabricPlan, node: Node) -> list[Node]:
    """Hosts in no network of the node."""
    own = [port.address.network for port in node.interfaces]
    return [host for host in hosts(plan) if not any(address_of(host) in network for network in own)]


def does_reach(plan: FabricPlan, source: str, target: str) -> bool:
    """Whether a host gets answers from another one while all is well."""
    return plan.lab is None or (source, target) in plan.lab.baseline.reachable


def unused_network(plan: FabricPlan, address: IPv4Interface) -> IPv4Interface:
    """The same host number in a network that nobody has."""
    taken = [port.address.network for node in plan.nodes for port in node.interfaces]
    width = 1 << (32 - address.network.prefixlen)
    for step in range(64, 4096):
        moved = IPv4Interface(f"{IPv4Address(int(address.ip) + step * width)}/{address.network.prefixlen}")
        if not any(moved.network.overlaps(network) for network in taken):
            return moved
    raise ValueError(f"no unused network near {address}")


def lost(node: str, target: IPv4Address) -> Sight:
    """A node gets no answer from an address."""
    return Sight(node=node, argv=(*_PING, str(target)), shows=_LOST)


def kernel_route(node: str, prefix: IPv4Network | str, shows: str) -> Sight:
    """What a node's kernel holds for a prefix."""
    return Sight(node=node, argv=("ip", "route", "show", str(prefix)), shows=shows)


def run(node: str, *argv: str, stdin: str = "") -> Step:
    """A command on a node."""
    return Step(where=node, argv=argv, stdin=stdin)


def without_rule(node: str, chain: str, rule: str) -> Step:
    """Take a rule, as nft prints it, out of a chain, `ip filter forward`."""
    return run(node, "sh", "-c", _WITHOUT_RULE, "sh", chain, rule.replace("/", r"\/"))


def one_of(choices: Sequence[_Choice], *place: str) -> _Choice:
    """What an operator might have chosen at a place of a network: there always the same."""
    return random.Random("/".join(place)).choice(choices)


def touched(*nodes: Node) -> tuple[str, ...]:
    """Names of devices."""
    return tuple(node.name for node in nodes)


def firsts(faces: Sequence[Facing]) -> Iterator[Facing]:
    """One port of each router."""
    seen: set[str] = set()
    for each in faces:
        if each.node.name not in seen:
            seen.add(each.node.name)
            yield each
