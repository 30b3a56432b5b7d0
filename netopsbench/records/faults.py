"""What can be broken: one model per fault, as a scenario file spells it."""

from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.names import Port


class LinkDown(Model):
    """A port goes down, by configuration or because its cable lost carrier."""

    kind: Literal["link_down"] = "link_down"
    at: Port
    variant: Literal["admin", "carrier"] = "admin"


class BlackholeRoute(Model):
    """A static route discards what a switch should forward to a remote client prefix."""

    kind: Literal["blackhole_route"] = "blackhole_route"
    device: str
    """The switch."""
    prefix: IPv4Network
    variant: Literal["null0", "reject"] = "null0"


FaultSpec = Annotated[LinkDown | BlackholeRoute, Field(discriminator="kind")]
