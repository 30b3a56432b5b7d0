"""What a fault is: a pure function of its spec and the plan that gives the change and what it must do."""

from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.records.answers import Location
from netopsbench.records.names import Port

WIRE = "wire"
"""`Step.where` of commands that run where the cables are."""


class WireEnd(Model):
    """Stands in a command for the name of a cable's end, which only a running fabric knows."""

    link: str
    end: Literal["a", "b"]

    def __str__(self) -> str:
        return f"<end {self.end} of {self.link}>"


class Step(Model):
    """One command. Running it twice must do no more than running it once."""

    where: str
    """A node's name, or `WIRE`."""
    argv: tuple[str | WireEnd, ...]
    stdin: str = ""


class Endpoint(Model):
    """Where the witness sends from or listens: a node, by one of its own addresses."""

    node: str
    address: IPv4Address

    def __str__(self) -> str:
        return f"{self.node} ({self.address})"


Share = Literal["all", "none"]


class PathClaim(Model):
    """What the witness's probes from `src` to `dst` must show, over all source ports."""

    src: Endpoint
    dst: Endpoint
    arrives: Share
    """How many of the probes reach `dst`."""
    returns: Share
    """How many of the replies reach `src`."""


class PortClaim(Model):
    """A port without carrier, seen from its own node."""

    port: Port
    is_admin_up: bool


class RouteClaim(Model):
    """The kind of route that a node's kernel holds for exactly this prefix."""

    node: str
    prefix: IPv4Network
    type: Literal["unicast", "blackhole", "unreachable"]


class HopGone(Model):
    """No route in the node's kernel leads to this next hop."""

    node: str
    next_hop: IPv4Address


class SessionClaim(Model):
    """The state of one BGP session, seen from one end."""

    switch: str
    neighbor: IPv4Address
    is_established: bool


class Effect(Model):
    """Everything that an independent witness must see while the fault holds, side effects excluded."""

    ports: tuple[PortClaim, ...] = ()
    routes: tuple[RouteClaim, ...] = ()
    hops_gone: tuple[HopGone, ...] = ()
    sessions: tuple[SessionClaim, ...] = ()
    paths: tuple[PathClaim, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes whose kernel is asked about."""
        claimed = [claim.port.node for claim in self.ports]
        claimed += [claim.node for claim in self.routes]
        claimed += [claim.node for claim in self.hops_gone]
        return tuple(sorted(set(claimed)))

    @property
    def switches(self) -> tuple[str, ...]:
        """Switches whose sessions are asked about."""
        return tuple(sorted({claim.switch for claim in self.sessions}))


class Change(Model):
    """A fault worked out for one fabric."""

    do: tuple[Step, ...]
    undo: tuple[Step, ...]
    effect: Effect
    place: Location
    """Where the fault is; the other right answers are derived from it."""


def kept(src: Endpoint, dst: Endpoint) -> PathClaim:
    """A control path, which must lose nothing."""
    return PathClaim(src=src, dst=dst, arrives="all", returns="all")


def lost(src: Endpoint, dst: Endpoint) -> PathClaim:
    """A path on which no probe arrives."""
    return PathClaim(src=src, dst=dst, arrives="none", returns="none")


def unanswered(src: Endpoint, dst: Endpoint) -> PathClaim:
    """A path on which every probe arrives and every reply is lost."""
    return PathClaim(src=src, dst=dst, arrives="all", returns="none")


def vtysh(switch: str, *lines: str) -> Step:
    """Lines typed into a switch, as an operator would."""
    # Without the option vtysh writes what was typed into a history file, for everybody on the switch to read.
    return Step(where=switch, argv=("vtysh", "-H", "/dev/null", *(word for line in lines for word in ("-c", line))))


def configure(switch: str, *lines: str) -> Step:
    """Lines typed into a switch's configuration."""
    return vtysh(switch, "configure terminal", *lines)
