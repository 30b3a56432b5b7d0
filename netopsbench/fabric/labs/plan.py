"""What a lab's plan says beyond nodes and links: LANs, services, files, and what a healthy lab is."""

from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.fabric.labs.spec import Bridge, Protocol, Service, Standby
from netopsbench.records.names import Port


class Segment(Model):
    """A LAN: a bridge in the wire namespace, joined to each of its nodes by a link of kind `lan`."""

    name: str
    prefix: IPv4Network
    links: tuple[str, ...]
    """Ids; end `b` of each is at the bridge, `office1:p1`."""


class PlannedService(Model):
    """A service that a node runs, started by /etc/init.d/NAME."""

    node: str
    name: Literal["dns", "dhcp", "http"]
    service: Service


class ExpectedAdjacency(Model):
    """A router that has to see another one as its neighbor in a routing protocol; one entry per direction."""

    protocol: Protocol
    node: str
    neighbor: str
    addresses: tuple[IPv4Address, ...]
    """Any of the neighbor's addresses or its router id: whatever the protocol calls it by."""


class Baseline(Model):
    """What holds in a healthy lab, beside every address, link and service of the plan."""

    adjacencies: tuple[ExpectedAdjacency, ...]
    reachable: tuple[tuple[str, str], ...]
    """Pairs of hosts: the first gets an answer to a ping from the second."""


class LabPlan(Model):
    """The part of a FabricPlan that only labs have."""

    segments: tuple[Segment, ...]
    services: tuple[PlannedService, ...]
    leased: tuple[Port, ...]
    """Ports that get their address by DHCP."""
    resolvers: dict[str, IPv4Address]
    """Host to its name server, where it has one."""
    files: dict[str, dict[str, str]]
    """Node to (path below /etc) to content: everything that `render_files` gives."""
    bridges: dict[str, Bridge] = Field(default={})
    """By node."""
    standby: dict[str, tuple[Standby, ...]] = Field(default={})
    """By node."""
    cabled: dict[str, IPv4Network] = Field(default={})
    """LANs that are made of cables, with their prefixes."""
    lldp: tuple[str, ...] = ()
    """Routers that speak LLDP."""
    baseline: Baseline
