"""What can be broken: one model per fault, as a scenario file spells it."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.names import Port


class LinkDown(Model):
    """A port goes down, by configuration or because its cable lost carrier."""

    kind: Literal["link_down"] = "link_down"
    at: Port
    variant: Literal["admin", "carrier"] = "admin"


class LinkFlapping(Model):
    """A cable loses carrier and gets it back, again and again."""

    kind: Literal["link_flapping"] = "link_flapping"
    at: Port
    down_s: float = Field(default=2.0, ge=0.5, le=60)
    up_s: float = Field(default=3.0, ge=0.5, le=60)


class PacketLoss(Model):
    """A share of the frames that one end of a link sends is lost."""

    kind: Literal["packet_loss"] = "packet_loss"
    at: Port
    """The sending end."""
    loss_pct: float = Field(default=30.0, ge=0.5, le=99)


class PacketCorruption(Model):
    """A share of the frames that one end of a link sends is damaged."""

    kind: Literal["packet_corruption"] = "packet_corruption"
    at: Port
    """The sending end."""
    corruption_pct: float = Field(default=25.0, ge=0.5, le=99)


class HighLatency(Model):
    """The frames that one end of a link sends arrive late."""

    kind: Literal["high_latency"] = "high_latency"
    at: Port
    """The sending end."""
    delay_ms: float = Field(default=120.0, ge=5, le=2_000)


class BlackholeRoute(Model):
    """A static route discards what a switch should forward to a remote client prefix."""

    kind: Literal["blackhole_route"] = "blackhole_route"
    device: str
    """The switch."""
    prefix: IPv4Network
    variant: Literal["null0", "reject"] = "null0"


class MtuMismatch(Model):
    """The MTU of a port is smaller than the fabric needs, at one end of its link or at both."""

    kind: Literal["mtu_mismatch"] = "mtu_mismatch"
    at: Port
    mtu: int = Field(default=1400, ge=576)
    variant: Literal["one_sided", "both_sided"] = "one_sided"


class StaticRouteMisconfig(Model):
    """A static host route sends a remote client's traffic to a client of the switch itself."""

    kind: Literal["static_route_misconfig"] = "static_route_misconfig"
    device: str
    """The switch."""
    address: IPv4Address
    """The remote client's."""
    toward: IPv4Address
    """The client of the switch to which the route leads."""
    variant: Literal["address", "interface"] = "address"
    """How the route says where: by that client's address, or by the port it is plugged into."""


class BgpNeighborMisconfig(Model):
    """A BGP neighbor is configured so that its session can't come up."""

    kind: Literal["bgp_neighbor_misconfig"] = "bgp_neighbor_misconfig"
    device: str
    """The switch."""
    neighbor: IPv4Address
    variant: Literal["remote_as", "password", "update_source"] = "remote_as"
    """A wrong AS number; a password that only this end has; the session moved to the loopbacks at this end alone."""


class RoutePolicyMisconfig(Model):
    """A switch doesn't announce the prefix of a client of its own."""

    kind: Literal["route_policy_misconfig"] = "route_policy_misconfig"
    device: str
    """The switch."""
    prefix: IPv4Network
    variant: Literal["missing_network", "route_map_deny"] = "missing_network"


class DeviceDown(Model):
    """A switch stops working while its management still answers."""

    kind: Literal["device_down"] = "device_down"
    device: str
    variant: Literal["stopped", "dead_but_forwarding"] = "stopped"
    """All ports down and routing stopped; or only the routing dead, with the kernel forwarding by its last routes."""


class AclMisconfig(Model):
    """A packet filter on a port drops the traffic from or to a client of the switch."""

    kind: Literal["acl_misconfig"] = "acl_misconfig"
    at: Port
    """A client's port; or an uplink, where only the flows that take it are dropped."""
    prefix: IPv4Network
    """The client's."""
    variant: Literal["in", "out"] = "in"
    """Which way through the port."""


FaultSpec = Annotated[
    LinkDown
    | LinkFlapping
    | PacketLoss
    | PacketCorruption
    | HighLatency
    | MtuMismatch
    | BlackholeRoute
    | StaticRouteMisconfig
    | BgpNeighborMisconfig
    | RoutePolicyMisconfig
    | DeviceDown
    | AclMisconfig,
    Field(discriminator="kind"),
]
