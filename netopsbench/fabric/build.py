"""FabricSpec to FabricPlan: every node, port, cable and address."""

import hashlib
from collections import defaultdict
from ipaddress import IPv4Interface, IPv4Network
from typing import Literal

from netopsbench.core.errors import SpecError
from netopsbench.fabric.addressing import client_prefix, loopback, pool_problems, port_mac
from netopsbench.fabric.clos import wire_clos, wire_pod_clos
from netopsbench.fabric.fat_tree import wire_fat_tree
from netopsbench.fabric.labs.build import plan_lab
from netopsbench.fabric.labs.spec import Lab
from netopsbench.fabric.plan import FabricPlan, Interface, Link, Node, Role
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree, PodClos, Pools
from netopsbench.fabric.wiring import Rack, Switch, Wiring
from netopsbench.records.names import Port

DAEMONS = ("zebra", "bgpd")
RACK_ROLES: tuple[Role, ...] = ("leaf", "edge")
"""Switches that run staticd from the start: they hold static routes."""


def plan_fabric(spec: FabricSpec) -> FabricPlan:
    """Work a fabric out to the last address; same spec, same plan.

    Raises SpecError with every pool that is too small, or everything that doesn't fit together in a lab.
    """
    problems = pool_problems(spec)
    if problems:
        raise SpecError(problems)
    topology = spec.topology
    plan = plan_lab(spec, topology) if isinstance(topology, Lab) else _generated(spec, wire(topology, spec.pools))
    return plan.model_copy(update={"digest": digest_of(plan)})


def _generated(spec: FabricSpec, wiring: Wiring) -> FabricPlan:
    draft = _Draft(spec.mtu, wiring)
    for cable in wiring.cables:
        draft.join(
            Port(node=cable.upper, interface=f"eth{cable.upper_port}"),
            Port(node=cable.lower, interface=f"eth{cable.lower_port}"),
            cable.prefix,
            "fabric",
        )
    clients = [client for rack in wiring.racks for client in draft.fill(rack, spec.pools)]
    switches = [draft.switch(switch, number, spec.pools) for number, switch in enumerate(wiring.switches, start=1)]
    return FabricPlan(
        name=spec.name,
        digest="",
        nodes=(*switches, *clients),
        links=tuple(draft.links),
        mtu=spec.mtu,
        timers=spec.timers,
        seed=spec.seed,
        pools=spec.pools,
    )


def wire(topology: Clos | PodClos | FatTree, pools: Pools) -> Wiring:
    """The cabling that a generated topology asks for."""
    if isinstance(topology, Clos):
        return wire_clos(topology, pools)
    if isinstance(topology, PodClos):
        return wire_pod_clos(topology, pools)
    return wire_fat_tree(topology, pools)


def digest_of(plan: FabricPlan) -> str:
    """Hash of everything in the plan but its name."""
    body = plan.model_dump_json(exclude={"name", "digest"} if plan.lab else {"name", "digest", "lab"})
    return hashlib.sha256(body.encode()).hexdigest()


class _Draft:
    """A plan in the making: ports gather at their nodes while links are laid."""

    def __init__(self, mtu: int, wiring: Wiring) -> None:
        self.mtu = mtu
        self.links: list[Link] = []
        self.ports: dict[str, list[Interface]] = defaultdict(list)
        self.announced: dict[str, list[IPv4Network]] = defaultdict(list)
        self.numbers = {switch.name: n for n, switch in enumerate(wiring.switches, start=1)}
        self.clients = 0

    def join(self, a: Port, b: Port, prefix: IPv4Network, kind: Literal["fabric", "client"]) -> None:
        """Lay a cable; `a` gets the prefix's first address and `b` its second."""
        link = Link(id=f"l{len(self.links) + 1}", a=a, b=b, prefix=prefix, mtu=self.mtu, kind=kind)
        self.links.append(link)
        for offset, here, there in ((1, a, b), (2, b, a)):
            self.ports[here.node].append(
                Interface(
                    name=here.interface,
                    mac=port_mac(self.numbers[here.node], int(here.interface.removeprefix("eth"))),
                    address=IPv4Interface((int(prefix.network_address) + offset, prefix.prefixlen)),
                    mtu=self.mtu,
                    peer=there,
                    link=link.id,
                )
            )

    def fill(self, rack: Rack, pools: Pools) -> list[Node]:
        """Put a rack's clients in place."""
        placed = []
        for position in range(1, rack.clients + 1):
            self.clients += 1
            name = f"client{self.clients}"
            self.numbers[name] = len(self.numbers) + 1
            prefix = client_prefix(pools, rack.number, position)
            gateway = Port(node=rack.switch, interface=f"eth{rack.first_port + position - 1}")
            self.join(gateway, Port(node=name, interface="eth1"), prefix, "client")
            self.announced[rack.switch].append(prefix)
            placed.append(
                Node(
                    name=name,
                    role="client",
                    gateway=prefix.network_address + 1,
                    attached_to=rack.switch,
                    interfaces=tuple(self.ports[name]),
                )
            )
        return placed

    def switch(self, switch: Switch, number: int, pools: Pools) -> Node:
        """A switch with the ports it has gathered, in port order."""
        ports = sorted(self.ports[switch.name], key=lambda port: int(port.name.removeprefix("eth")))
        return Node(
            name=switch.name,
            role=switch.role,
            asn=switch.asn,
            loopback=loopback(pools, number),
            daemons=(*DAEMONS, "staticd") if switch.role in RACK_ROLES else DAEMONS,
            announces=tuple(self.announced[switch.name]),
            interfaces=tuple(ports),
        )
