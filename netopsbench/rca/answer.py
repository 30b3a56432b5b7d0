"""What an answer says: root causes as triples, paths as hops; read strictly as published, and tolerantly."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from netopsbench.core.model import Model
from netopsbench.rca.labels import CAUSES

Reading = Literal["strict", "tolerant"]

_RESULT = re.compile(r"<result>(.*?)</result>", re.DOTALL)
_LOOSE_RESULT = re.compile(r"<\s*result\s*>(.*?)(?:<\s*/\s*result\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"\s*[;；|\t]\s*")
_ARROW = re.compile(r"\s*(?:->|-->|=>|→|⇒|—>)\s*")
_LISTED = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s+)?(.*?)\s*$")
_HOP = re.compile(r"[^\s;>]+")


class Triple(Model):
    """One root cause."""

    node: str
    object: str
    """An interface, a route's destination, a policy or a service."""
    cause: str

    def __str__(self) -> str:
        return f"{self.node};{self.object};{self.cause}"


class PathHop(Model):
    """A device on a path and the interface by which packets leave it."""

    node: str
    egress: str

    def __str__(self) -> str:
        return f"{self.node}_{self.egress}"


class RestoredPath(Model):
    """The way of packets: every device with its outgoing interface, and the one where it ends."""

    hops: tuple[PathHop, ...]
    end: str

    def __str__(self) -> str:
        return "->".join([*map(str, self.hops), self.end])

    @property
    def start(self) -> str:
        """The first device."""
        return self.hops[0].node if self.hops else self.end

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every device, in order."""
        return (*(hop.node for hop in self.hops), self.end)

    @property
    def edges(self) -> frozenset[tuple[str, str, str]]:
        """Device, outgoing interface and next device of each step."""
        nexts = self.nodes[1:]
        return frozenset((hop.node, hop.egress, following) for hop, following in zip(self.hops, nexts, strict=True))


Entry = TypeVar("Entry", Triple, RestoredPath)


@dataclass(frozen=True)
class Said(Generic[Entry]):
    """What was read from an answer."""

    entries: frozenset[Entry]
    rejected: tuple[str, ...]
    """Lines that fit no form; one of them makes accuracy 0."""
    has_result: bool
    """Whether there was a place for the answer at all."""


def read_triples(text: str, reading: Reading) -> Said[Triple]:
    """The root causes that an answer names; equal lines count once."""
    return _read(text, reading, _strict_triple if reading == "strict" else _loose_triple)


def read_paths(text: str, reading: Reading) -> Said[RestoredPath]:
    """The paths that an answer names; equal lines count once."""
    return _read(text, reading, _strict_path if reading == "strict" else _loose_path)


def _read(text: str, reading: Reading, entry_of: Callable[[str], Entry | None]) -> Said[Entry]:
    places = (_RESULT if reading == "strict" else _LOOSE_RESULT).findall(text)
    if reading == "tolerant" and not places:
        # Without a marked place only lines that fit are taken for the answer; the rest is prose.
        found = [entry for line in text.splitlines() if (entry := entry_of(line)) is not None]
        return Said(frozenset(found), (), bool(found))
    # The last one: a model may show the form before it fills it in. Published answers hold exactly one.
    if not places or (reading == "strict" and len(places) > 1):
        return Said(frozenset(), (), False)
    lines = places[-1].strip("\r\n").splitlines()
    if reading == "tolerant":
        lines = [line for line in lines if line.strip() and not line.strip().startswith("```")]
    read = [(line, entry_of(line)) for line in lines]
    entries = frozenset(entry for _, entry in read if entry is not None)
    return Said(entries, tuple(line for line, entry in read if entry is None), True)


def _strict_triple(line: str) -> Triple | None:
    parts = line.split(";")
    if len(parts) != 3 or any(not part or part != part.strip() for part in parts) or " " in parts[0] + parts[1]:
        return None
    return Triple(node=parts[0], object=parts[1], cause=parts[2])


def _loose_triple(line: str) -> Triple | None:
    parts = _FIELD.split(_bare(line))
    if len(parts) != 3 or not all(parts):
        return None
    known = {cause.label.lower(): cause.label for cause in CAUSES}
    cause = " ".join(parts[2].rstrip(".").split())
    return Triple(node=parts[0], object=parts[1].replace(" ", ""), cause=known.get(cause.lower(), cause))


def _strict_path(line: str) -> RestoredPath | None:
    return None if line != "".join(line.split()) else _path(line.split("->"))


def _loose_path(line: str) -> RestoredPath | None:
    return _path(_ARROW.split(_bare(line)))


def _path(parts: list[str]) -> RestoredPath | None:
    if len(parts) < 2 or not all(_HOP.fullmatch(part) for part in parts):
        return None
    split = [part.rpartition("_") for part in parts[:-1]]
    if any(not (node and egress) for node, _, egress in split):
        return None
    return RestoredPath(hops=tuple(PathHop(node=node, egress=egress) for node, _, egress in split), end=parts[-1])


def _bare(line: str) -> str:
    found = _LISTED.match(line)
    return (found[1] if found else line).strip("`* ")


def written(entries: "frozenset[Triple] | frozenset[RestoredPath]") -> str:
    """An answer in the published form, its lines sorted."""
    lines = "\n".join(sorted(map(str, entries)))
    return f"<result>\n{lines}\n</result>"
