"""What a user writes to get a fabric."""

from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field, model_validator

from netopsbench.core.model import Model
from netopsbench.fabric.labs.spec import Lab

Asn = Annotated[int, Field(ge=1, le=4_294_967_294)]


class Timers(Model):
    """BGP timers. Shorter hold times would drop sessions by chance under 30 % loss."""

    keepalive_s: int = Field(default=3, ge=1, le=21_845)
    hold_s: int = Field(default=9, ge=3, le=65_535)
    connect_s: int = Field(default=1, ge=1, le=65_535)
    advertisement_s: int = Field(default=0, ge=0, le=600)
    """Least time between two updates to a neighbor. In large fabrics a second saves most updates at the start."""

    @model_validator(mode="after")
    def _hold_outlives_keepalive(self) -> "Timers":
        if self.hold_s <= self.keepalive_s:
            raise ValueError("hold_s must be longer than keepalive_s")
        return self


class Clos(Model):
    """Two tiers: every leaf joins every spine."""

    kind: Literal["clos"] = "clos"
    spines: int = Field(ge=1, le=1024)
    leaves: int = Field(ge=1, le=1024)
    clients_per_leaf: int | tuple[int, ...] = 1
    """One number for all leaves, or one per leaf."""
    spine_asn: Asn = 65001
    """All spines share it."""
    leaf_asn_base: Asn = 65010
    """Leaf i has this plus i."""

    @model_validator(mode="after")
    def _one_count_per_leaf(self) -> "Clos":
        require_counts(self.clients_per_leaf, self.leaves)
        return self


class Pod(Model):
    """A CLOS of its own inside a larger one."""

    spines: int = Field(ge=1, le=1024)
    leaves: int = Field(ge=1, le=1024)
    clients_per_leaf: int | tuple[int, ...] = 1
    """One number for all leaves of the pod, or one per leaf."""

    @model_validator(mode="after")
    def _one_count_per_leaf(self) -> "Pod":
        require_counts(self.clients_per_leaf, self.leaves)
        return self


class PodClos(Model):
    """Three tiers: pods of any size, whose spines all join every core."""

    kind: Literal["pod_clos"] = "pod_clos"
    cores: int = Field(ge=1, le=1024)
    pods: tuple[Pod, ...] = Field(min_length=1, max_length=64)
    core_asn: Asn = 65001
    """All cores share it; the spines of pod p share this plus p."""
    leaf_asn_base: Asn = 65100
    """Leaf i has this plus i; leaves are numbered through all pods."""


class FatTree(Model):
    """The three-tier fat-tree of k-port switches."""

    kind: Literal["fat_tree"] = "fat_tree"
    k: int = Field(ge=2, le=64, multiple_of=2)
    clients_per_edge: int = Field(default=1, ge=1)
    first_asn: Asn = 65001
    """One AS per switch: cores first, then aggs, then edges."""


class Pools(Model):
    """Where addresses come from."""

    fabric_links: IPv4Network = IPv4Network("10.0.0.0/8")
    """A /8: CLOS links are x.{spine}.{leaf}.0/30; three-tier links fill x.1.0.0/16, then x.2.0.0/16."""
    loopbacks: IPv4Network = IPv4Network("10.255.0.0/16")
    clients: IPv4Network = IPv4Network("192.168.0.0/16")
    """A /16: client i of rack r is x.y.{100+r}.{4(i-1)}/30, up to rack 155."""
    more_clients: IPv4Network = IPv4Network("172.16.0.0/12")
    """A /24 each for the racks from 156 on."""
    management: IPv4Network = IPv4Network("100.64.0.0/16")
    """A /16 out of which ordinary configuration names management hosts; nothing in the fabric uses it."""

    @model_validator(mode="after")
    def _sized(self) -> "Pools":
        wrong = [
            f"{name} must be a /{length}, not {pool}"
            for name, pool, length in (
                ("fabric_links", self.fabric_links, 8),
                ("clients", self.clients, 16),
                ("management", self.management, 16),
            )
            if pool.prefixlen != length
        ]
        if self.more_clients.prefixlen > 24:
            wrong.append(f"more_clients must be a /24 or larger, not {self.more_clients}")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


Topology = Annotated[Clos | PodClos | FatTree | Lab, Field(discriminator="kind")]


class FabricSpec(Model):
    """A fabric as a file in `fabrics/` spells it."""

    name: str
    description: str = ""
    topology: Topology
    mtu: int = Field(default=9100, ge=1280, le=9216)
    timers: Timers = Timers()
    pools: Pools = Pools()
    seed: int = 1


def require_counts(counts: int | tuple[int, ...], leaves: int) -> None:
    """Raises ValueError unless there is a client count, 0 or more, for each leaf."""
    each = (counts,) if isinstance(counts, int) else counts
    if min(each, default=0) < 0:
        raise ValueError("clients_per_leaf can't be negative")
    if not isinstance(counts, int) and len(counts) != leaves:
        raise ValueError(
            f"clients_per_leaf lists {len(counts)} numbers for {leaves} leaves; give one for all, or one each"
        )
