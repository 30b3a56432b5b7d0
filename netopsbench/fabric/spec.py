"""What a user writes to get a fabric."""

from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model


class Timers(Model):
    """BGP timers. Shorter hold times would drop sessions by chance under 30 % loss."""

    keepalive_s: int = Field(default=3, ge=1)
    hold_s: int = Field(default=9, ge=3)
    connect_s: int = Field(default=1, ge=1)


class Clos(Model):
    """Two tiers: every leaf joins every spine."""

    kind: Literal["clos"] = "clos"
    spines: int = Field(ge=1)
    leaves: int = Field(ge=1)
    clients_per_leaf: int | tuple[int, ...] = 1
    """One number for all leaves, or one per leaf."""


class FatTree(Model):
    """The three-tier fat-tree of k-port switches."""

    kind: Literal["fat_tree"] = "fat_tree"
    k: int = Field(ge=2)
    clients_per_edge: int = Field(default=1, ge=1)


class FabricSpec(Model):
    """A fabric as a file in `fabrics/` spells it."""

    name: str
    description: str = ""
    topology: Annotated[Clos | FatTree, Field(discriminator="kind")]
    mtu: int = Field(default=9100, ge=1280, le=9216)
    timers: Timers = Timers()
    seed: int = 1
