"""Who is joined to whom, by which port: what a topology decides before anything has an address."""

from dataclasses import dataclass
from ipaddress import IPv4Network

from netopsbench.fabric.plan import Role


@dataclass(frozen=True)
class Switch:
    """A switch without its ports."""

    name: str
    role: Role
    asn: int


@dataclass(frozen=True)
class Cable:
    """A link between two switches; the upper end takes the prefix's first address."""

    upper: str
    upper_port: int
    lower: str
    lower_port: int
    prefix: IPv4Network


@dataclass(frozen=True)
class Rack:
    """A switch with clients, which take its ports from `first_port` on."""

    number: int
    switch: str
    first_port: int
    clients: int


@dataclass(frozen=True)
class Wiring:
    """A fabric's switches, cables and racks."""

    switches: tuple[Switch, ...]
    cables: tuple[Cable, ...]
    racks: tuple[Rack, ...]


def counts(clients: int | tuple[int, ...], leaves: int) -> tuple[int, ...]:
    """Clients of each leaf."""
    return (clients,) * leaves if isinstance(clients, int) else clients
