"""What a fault is: a pure function of its spec and the plan that gives the change and what it must do."""

from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.records.answers import Location
from netopsbench.records.names import Port

WIRE = "wire"
"""`Step.where` of commands that run where the cables are."""
PORTS = 16
"""Source ports of a sweep: with 16, all of them taking one of two paths is a chance of 1 in 32,768."""

Need = Literal["tcp_md5", "nft", "wire_rules"]
"""Something that not every machine can do."""


class WireEnd(Model):
    """Stands in a command for the name of a cable's end, which only a running fabric knows."""

    link: str
    end: Literal["a", "b"]

    def __str__(self) -> str:
        return f"<end {self.end} of {self.link}>"


class NodeProcess(Model):
    """Stands in a command for the PID of a node's first process, by which commands at `WIRE` find the node."""

    node: str

    def __str__(self) -> str:
        return f"<process of {self.node}>"


Word = str | WireEnd | NodeProcess
"""One word of a command."""


class Step(Model):
    """One command. Running it twice must do no more than running it once."""

    where: str
    """A node's name, or `WIRE`."""
    argv: tuple[Word, ...]
    stdin: str = ""
    done_already: str = ""
    """What it says, as an error, when there is nothing left for it to do."""


class ReadBack(Model):
    """A command that shows what was commanded, and the words that must stand in its output."""

    where: str
    argv: tuple[Word, ...]
    shows: str


class Endpoint(Model):
    """Where the witness sends from or listens: a node, by one of its own addresses."""

    node: str
    address: IPv4Address

    def __str__(self) -> str:
        return f"{self.node} ({self.address})"


Share = Literal["all", "some", "none"]
"""`some` is at least one, and at least one not."""


class Quality(Model):
    """How a link treats what one of its ends sends, in this order; the other direction is untouched."""

    loss_pct: float = 0
    corruption_pct: float = 0
    delay_ms: float = 0


class PathClaim(Model):
    """What the witness's probes from `src` to `dst` must show, over all source ports."""

    src: Endpoint
    dst: Endpoint
    arrives: Share
    """How many of the probes reach `dst`."""
    returns: Share
    """How many of the replies reach `src`."""
    probes: int = PORTS
    """Source ports, one probe each."""
    size_bytes: int | None = None
    """UDP payload of probes that must not be fragmented, whatever the route cache says; None for small ones."""
    quality: Quality | None = None
    """Of the one link between `src` and `dst`, from many probes that are counted and timed; None asks for less."""

    @property
    def is_control(self) -> bool:
        """Whether it must lose nothing."""
        return self.arrives == self.returns == "all" and self.quality in (None, Quality())


class PortClaim(Model):
    """A port without carrier, seen from its own node."""

    port: Port
    is_admin_up: bool


class MtuClaim(Model):
    """The MTU of a port, seen from its own node."""

    port: Port
    mtu: int


class RouteClaim(Model):
    """The kind of route that a node's kernel holds for exactly this prefix."""

    node: str
    prefix: IPv4Network
    type: Literal["unicast", "blackhole", "unreachable", "absent"]
    via: tuple[str, str] | None = None
    """Its only next hop: address (empty when directly connected) and interface; None when that says nothing."""


class HopGone(Model):
    """No BGP route in the node's kernel leads to this next hop."""

    node: str
    next_hop: IPv4Address


class SessionClaim(Model):
    """The state of one BGP session, seen from one end."""

    switch: str
    neighbor: IPv4Address
    is_established: bool


class FlapClaim(Model):
    """A port and the session over it that both come and go, seen from their own switch."""

    port: Port
    neighbor: IPv4Address
    period_s: float
    """Within this time each state is there once."""


class Effect(Model):
    """Everything that an independent witness must see while the fault holds, side effects excluded."""

    ports: tuple[PortClaim, ...] = ()
    mtus: tuple[MtuClaim, ...] = ()
    routes: tuple[RouteClaim, ...] = ()
    hops_gone: tuple[HopGone, ...] = ()
    sessions: tuple[SessionClaim, ...] = ()
    flaps: tuple[FlapClaim, ...] = ()
    paths: tuple[PathClaim, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes whose kernel is asked about."""
        claimed = [claim.port.node for claim in self.ports]
        claimed += [claim.port.node for claim in self.mtus]
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
    read_back: tuple[ReadBack, ...] = ()
    counters: tuple[Step, ...] = ()
    """Commands that say in one line what the fault did so far, and fail where it did more than it should."""
    effect: Effect
    place: Location
    """Where the fault is; the other right answers are derived from it."""
    needs: tuple[Need, ...] = ()
    stops_routing: bool = False
    """Whether the place has no routing daemons while the fault holds, and so can't save its configuration."""


def kept(src: Endpoint, dst: Endpoint, size_bytes: int | None = None) -> PathClaim:
    """A control path, which must lose nothing."""
    return PathClaim(src=src, dst=dst, arrives="all", returns="all", size_bytes=size_bytes)


def lost(src: Endpoint, dst: Endpoint, size_bytes: int | None = None) -> PathClaim:
    """A path on which no probe arrives."""
    return PathClaim(src=src, dst=dst, arrives="none", returns="none", size_bytes=size_bytes)


def unanswered(src: Endpoint, dst: Endpoint) -> PathClaim:
    """A path on which every probe arrives and every reply is lost."""
    return PathClaim(src=src, dst=dst, arrives="all", returns="none")


def vtysh(switch: str, *lines: str) -> Step:
    """Lines typed into a switch, as an operator would."""
    # Without the option vtysh writes what was typed into a history file, for everybody on the switch to read.
    return Step(where=switch, argv=("vtysh", "-H", "/dev/null", *(word for line in lines for word in ("-c", line))))


def configure(switch: str, *lines: str, done_already: str = "") -> Step:
    """Lines typed into a switch's configuration."""
    step = vtysh(switch, "configure terminal", *lines)
    return step.model_copy(update={"done_already": done_already})


def configured(switch: str, line: str) -> ReadBack:
    """A line that the switch's running configuration must show."""
    return ReadBack(where=switch, argv=vtysh(switch, "show running-config").argv, shows=line)
