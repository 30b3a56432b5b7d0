"""What is true of a device beside routing: queues, bridges, tunnels, shared gateways; in no vendor's words."""

from typing import Literal

from netopsbench.core.model import Model

PortRole = Literal["root", "designated", "alternate"]
SPANNING_TREE = "01:80:c2:00:00:00"
"""Where bridges send what they tell each other."""


class PortQueue(Model):
    """What waits and what was thrown away before a port, since its queue was set up."""

    interface: str
    limit_kbps: int | None
    """What a shaper lets pass; None without one."""
    packets: int
    octets: int
    dropped: int
    waiting_octets: int


class PortQueues(Model):
    """The queues of all ports."""

    queues: tuple[PortQueue, ...]


class BridgePort(Model):
    """A port that is joined on layer 2."""

    interface: str
    number: int
    state: str
    """`forwarding`, `blocking`, `listening`, `learning`, `disabled`."""
    role: PortRole
    cost: int
    priority: int
    designated_bridge: str
    """As the kernel writes it, `1000.2:4e:0:4:0:1`: priority in hex, then the address."""
    root: str
    is_filtered: bool = False
    """Whether frames of spanning tree are thrown away at it."""


class Bridge(Model):
    """Ports joined on layer 2."""

    name: str
    has_spanning_tree: bool
    id: str
    root: str
    root_cost: int
    ports: tuple[BridgePort, ...]


class Bridges(Model):
    """All bridges of a device."""

    bridges: tuple[Bridge, ...]


class Tunnel(Model):
    """A device's end of a VXLAN."""

    interface: str
    vni: int
    local: str
    port: int
    bridge: str
    remotes: tuple[str, ...]
    """Ends to which frames for everybody are sent."""


class Tunnels(Model):
    """The VXLANs of a device."""

    tunnels: tuple[Tunnel, ...]


class StandbyGroup(Model):
    """A VRRP group of a router."""

    interface: str
    group: int
    addresses: tuple[str, ...]
    state: str
    """`Master`, `Backup`, `Initialize`."""
    priority: int
    own_address: str
    every_ms: int


class StandbyGroups(Model):
    """The VRRP groups of a router."""

    is_running: bool
    groups: tuple[StandbyGroup, ...] = ()
