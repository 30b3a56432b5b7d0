"""What the keeper is told to build: a plan boiled down to what a kernel needs to hear.

Plain dictionaries typed here, because the keeper reads them from JSON with the standard library alone.
"""

from typing import NotRequired, TypedDict

BRIDGE = -1
"""Node index of the first bridge; the next ones go down from it."""


class PortOrder(TypedDict):
    """One interface inside a node."""

    name: str
    mac: str
    mtu: int
    address: str
    prefix_length: int
    peer_address: str
    peer_mac: str
    is_learning: NotRequired[bool]
    """Whether neighbours are found by ARP instead of being known from the start."""
    is_leased: NotRequired[bool]
    """Whether the node asks for the address by itself."""


class NodeOrder(TypedDict):
    """One node."""

    name: str
    is_switch: bool
    loopback: str | None
    gateway: str | None
    daemons: list[str]
    files: dict[str, str]
    """Path below /etc to content."""
    hash_fields: int
    """What the node's kernel hashes to choose among equal-cost links; see `netopsbench.fabric.hashing`."""
    ports: list[PortOrder]


class LinkOrder(TypedDict):
    """One cable: a node index and port name at each end, or `BRIDGE - number` for the bridge with this number."""

    id: str
    ends: list[tuple[int, str]]
    mtu: int


class Order(TypedDict):
    """A whole fabric."""

    software: str | None
    """Folder whose `usr` is laid over /usr; None when the system's own is enough."""
    more_software: NotRequired[list[str]]
    """The same for the programs that a lab needs beside."""
    daemons_dir: str
    hash_seed: int
    nodes: list[NodeOrder]
    links: list[LinkOrder]
    bridges: NotRequired[int]
    """How many LANs there are."""


def wire_names(number: int) -> tuple[str, str]:
    """Names of the two ends of cable `number` in the wire namespace."""
    return f"w{number}a", f"w{number}b"


def bridge_name(number: int) -> str:
    """Name of LAN `number` in the wire namespace."""
    return f"b{number}"
