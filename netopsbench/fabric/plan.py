"""A fabric worked out to the last address: pure data, and pure questions about it."""

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.fabric.labs.plan import LabPlan
from netopsbench.fabric.spec import Pools, Timers
from netopsbench.records.names import Port

Role = Literal["spine", "leaf", "core", "agg", "edge", "client", "router", "host"]
LinkKind = Literal["fabric", "client", "lan"]


class Interface(Model):
    """One port of a node."""

    name: str
    mac: str
    address: IPv4Interface
    mtu: int
    peer: Port
    """The port at the other end of the link; on a LAN a port of its bridge, `office1:p2`, which is no node."""
    link: str
    """Id of the link."""


class Node(Model):
    """A switch or a client, in labs a router or a host."""

    name: str
    role: Role
    asn: int | None = None
    """None for clients, hosts, and routers without BGP."""
    loopback: IPv4Address | None = None
    """A switch's announced /32, also its router id; None for clients. A lab's routers may lack one."""
    daemons: tuple[str, ...] = ()
    """FRR daemons in starting order; none on clients."""
    announces: tuple[IPv4Network, ...] = ()
    """Client prefixes that this switch originates (the loopback comes on top)."""
    gateway: IPv4Address | None = None
    """A client's default gateway; None for switches."""
    attached_to: str | None = None
    """A client's switch; None for switches."""
    interfaces: tuple[Interface, ...] = ()

    @property
    def is_switch(self) -> bool:
        return self.role not in ("client", "host")


class Link(Model):
    """A cable between two ports; one of kind `lan` ends at a bridge."""

    id: str
    a: Port
    b: Port
    prefix: IPv4Network
    mtu: int
    kind: LinkKind


class FabricPlan(Model):
    """Every node and link of a fabric."""

    name: str
    digest: str
    """Hash of everything in the plan but the name."""
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    mtu: int
    timers: Timers
    seed: int
    pools: Pools = Pools()
    lab: LabPlan | None = None
    """What only labs written by hand have; None for generated fabrics."""
