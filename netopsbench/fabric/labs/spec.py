"""What a user writes to get a lab: every node, cable, LAN and configuration by hand."""

from ipaddress import IPv4Address, IPv4Interface
from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.names import Port

Daemon = Literal["zebra", "ospfd", "isisd", "ripd", "eigrpd", "bgpd", "staticd"]
Protocol = Literal["ospf", "isis", "rip", "eigrp", "bgp"]


class DnsService(Model):
    """Answers names on all addresses of its node."""

    kind: Literal["dns"] = "dns"
    records: dict[str, IPv4Address] = Field(min_length=1)
    """Name to address, `web1.local: 10.0.0.11`."""


class DhcpService(Model):
    """Leases addresses on one LAN: each host there with `dhcp: true` gets the address that the lab gives it."""

    kind: Literal["dhcp"] = "dhcp"
    interface: str
    """The server's own interface on the LAN."""
    gateway: IPv4Address
    """Default gateway that the leases name."""
    resolver: IPv4Address | None = None
    """Name server that the leases name."""


class HttpService(Model):
    """Serves one page on all addresses of its node."""

    kind: Literal["http"] = "http"
    port: int = Field(default=80, ge=1, le=65_535)
    page: str = "It works.\n"


Service = Annotated[DnsService | DhcpService | HttpService, Field(discriminator="kind")]


class Bridge(Model):
    """Joins ports of its node on layer 2, as a switch does. The node's own addresses there serve no traffic."""

    ports: tuple[str, ...] = Field(min_length=1)
    priority: int | None = Field(default=None, ge=0, le=61_440, multiple_of=4096)
    """Of its spanning tree; None: it runs none."""
    vni: int | None = Field(default=None, ge=1, le=16_777_215)
    """Joins a VXLAN of this number too, whose tunnels end at the node's loopback."""


class Standby(Model):
    """A gateway address that several routers have in common, by VRRP."""

    interface: str
    group: int = Field(ge=1, le=255)
    address: IPv4Address
    priority: int = Field(default=100, ge=1, le=254)
    """The router with the largest one answers for the address."""


class LabRouter(Model):
    """A node that forwards and runs FRR."""

    kind: Literal["router"] = "router"
    interfaces: dict[str, IPv4Interface] = Field(min_length=1)
    """Name to address: the zebra configuration gets them too."""
    loopback: IPv4Address | None = None
    asn: int | None = Field(default=None, ge=1, le=4_294_967_294)
    """Of its BGP sessions: one is expected with every router on the same cable that has one too."""
    frr: dict[Daemon, str] = Field(default={})
    """Configuration text of each daemon that runs; zebra always runs, with or without text of its own."""
    bridge: Bridge | None = None
    """What it joins on layer 2, if anything."""
    standby: tuple[Standby, ...] = ()
    """Gateway addresses that it shares with other routers."""
    lldp: bool = False
    """Whether it tells its neighbours on cables of itself, by LLDP."""
    services: tuple[Service, ...] = ()
    files: dict[str, str] = Field(default={})
    """More files, by path below /etc: `nftables.conf`, …"""


class LabHost(Model):
    """A node that doesn't forward: a workstation or a server."""

    kind: Literal["host"] = "host"
    interfaces: dict[str, IPv4Interface] = Field(min_length=1)
    gateway: IPv4Address | None = None
    dhcp: bool = False
    """Whether it asks a DHCP server for its first interface's address, gateway and resolver.

    The address, as written here, is then reserved for it at the server."""
    resolver: IPv4Address | None = None
    """Its name server."""
    services: tuple[Service, ...] = ()
    files: dict[str, str] = Field(default={})
    """More files, by path below /etc."""


LabNode = Annotated[LabRouter | LabHost, Field(discriminator="kind")]


class Adjacency(Model):
    """Two routers that exchange routes beyond what their cables say: over a virtual link, between loopbacks."""

    protocol: Protocol
    between: tuple[str, str]


class Expectations(Model):
    """Where a healthy lab differs from what its nodes, cables and services say by themselves."""

    adjacencies: tuple[Adjacency, ...] = ()
    """More of them."""
    silent: tuple[Adjacency, ...] = ()
    """Pairs on one cable or LAN that run the protocol but not there, or not with each other."""
    unreachable: tuple[tuple[str, str], ...] = ()
    """Pairs of hosts of which the first doesn't reach the second, by design."""


class Lab(Model):
    """A topology written by hand."""

    kind: Literal["lab"] = "lab"
    nodes: dict[str, LabNode] = Field(min_length=1)
    links: tuple[tuple[Port, Port], ...] = ()
    """Cables, `[r1:eth0, r2:eth0]`."""
    segments: dict[str, tuple[Port, ...]] = Field(default={})
    """LANs: name to the ports that share it."""
    cabled: dict[str, tuple[tuple[Port, Port], ...]] = Field(default={})
    """LANs made of cables, joined by bridges of the lab's own nodes: name to cables."""
    usual_filters: bool = False
    """Whether routers filter what operators usually do, telnet and SNMP of hosts among it; no traffic of a lab is."""
    expect: Expectations = Expectations()
