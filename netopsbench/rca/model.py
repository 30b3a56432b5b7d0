"""A root-cause or a path task with its key. Only the question may reach an agent."""

from collections.abc import Sequence
from itertools import chain, product
from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.rca.answer import RestoredPath, Triple
from netopsbench.rca.labels import Category
from netopsbench.rca.solving.evidence import Look
from netopsbench.vendors.names import Vendor

Observability = Literal["O1", "O2"]
"""Whether a permitted command shows the decisive evidence, or indirect evidence alone is left."""


class Metadata(Model):
    """What a task is like; never shown to an agent."""

    observability: Observability
    categories: tuple[Category, ...] = ()
    """Of the root causes, sorted; none for paths."""
    causes: int = 0
    chain_length: int = 0
    """Most devices from a root cause to the nearest host of the complaint, both counted."""
    paths: int = 0
    protocols: int
    """Routing protocols that the devices concerned run."""
    vendors: int
    device_types: int
    is_heterogeneous: bool
    """Root causes: two or more vendors and device types; paths: more than six together."""
    golden_length: int


class CauseRef(Model):
    """A root cause of the repertoire, by its key and which of those that have the same one."""

    triple: Triple
    variant: int = 0
    shown_by: tuple[tuple[Look, ...], ...] = ()
    """Each smallest set of permitted questions that decides this cause alone."""


class _Task(Model):
    id: str = Field(pattern="^[a-z0-9][a-z0-9_-]{0,39}$")
    """Also the name of its file."""
    network: str
    """A fabric or a lab by its name."""
    seed: int
    vendors: dict[str, Vendor]
    """Whose command line each device speaks."""
    source: str
    target: str
    """The hosts of the complaint, or the ends of the path."""
    denied: tuple[Look, ...] = ()
    golden: tuple[Look, ...]
    """The smallest set of permitted questions that decides the answer."""
    metadata: Metadata

    @property
    def golden_sets(self) -> tuple[frozenset[Look], ...]:
        """The golden questions, and every other set of as few that decides the answer too."""
        return (frozenset(self.golden),)


class RcaTask(_Task):
    """Name all root causes."""

    kind: Literal["rca"] = "rca"
    causes: tuple[CauseRef, ...] = Field(min_length=1)

    @property
    def gold(self) -> frozenset[Triple]:
        """The key, with the kernel's names of interfaces."""
        return frozenset(cause.triple for cause in self.causes)

    @property
    def golden_sets(self) -> tuple[frozenset[Look], ...]:
        chosen = product(*(cause.shown_by for cause in self.causes))
        unions = (frozenset(chain.from_iterable(ways)) for ways in chosen)
        as_few = (union for union in unions if len(union) == len(self.golden))
        return tuple(dict.fromkeys((*super().golden_sets, *as_few)))


class PathTask(_Task):
    """Restore the way of packets between two hosts."""

    kind: Literal["path"] = "path"
    paths: tuple[RestoredPath, ...] = Field(min_length=1)

    @property
    def gold(self) -> frozenset[RestoredPath]:
        """The key, with the kernel's names of interfaces."""
        return frozenset(self.paths)


Task = Annotated[RcaTask | PathTask, Field(discriminator="kind")]


def in_order(looks: Sequence[Look] | frozenset[Look]) -> tuple[Look, ...]:
    """Questions in an order that doesn't depend on how they were found."""
    return tuple(sorted(looks, key=str))
