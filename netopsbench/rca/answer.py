"""What an answer says: root causes as triples, paths as hops; read strictly as published, and tolerantly."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Literal, TypeVar

from netopsbench.core.model import Model
from netopsbench.rca.labels import CAUSE_BY_LABEL, CAUSES

Reading = Literal["strict", "tolerant"]

MOST_LINES = 100
"""Lines of an answer that are read; no key has nearly as many."""
_MARK, _END = "<result>", "</result>"
_LOOSE_MARK, _LOOSE_END = (
    re.compile(r"<[ \t]{0,3}result[ \t]{0,3}>", re.I),
    re.compile(r"<[ \t]{0,3}/[ \t]{0,3}result[ \t]{0,3}>", re.I),
)
_FIELD = re.compile(r"[;；|\t]")
_ARROW = re.compile(r"->|-->|=>|→|⇒|—>")
_LISTED = re.compile(r"(?:[-*•]|\d+[.)])[ \t]+")
_RULE = re.compile(r"[-|:+= \t]+")
"""Of a table, below its heads."""
_HEADS = ("node", "object", "cause")
_HOP = re.compile(r"[^\s;>]+")
_TYPE_AND_NUMBER = re.compile(r"([A-Za-z]) +(?=\d)")
"""`GigabitEthernet 0/0/1`, as some devices print it."""
_LABELS = {cause.label.lower(): cause.label for cause in CAUSES}


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
    if reading == "strict":
        return _read(text, reading, _strict_triple)
    return _read(text, reading, _loose_triple) if _loose_places(text) else _unmarked(text, _plain_triple)


def read_paths(text: str, reading: Reading) -> Said[RestoredPath]:
    """The paths that an answer names; equal lines count once."""
    if reading == "strict":
        return _read(text, reading, _strict_path)
    return _read(text, reading, _loose_path) if _loose_places(text) else _unmarked(text, _loose_path)


def _read(text: str, reading: Reading, entry_of: Callable[[str], Entry | None]) -> Said[Entry]:
    places = _places(text) if reading == "strict" else _loose_places(text)
    # The last one: a model may show the form before it fills it in. Published answers hold exactly one.
    if not places or (reading == "strict" and text.count(_MARK) > 1):
        return Said(frozenset(), (), False)
    told = places[-1].strip("\r\n").splitlines()
    lines = list(islice((line for line in told if reading == "strict" or not _says_nothing(line)), MOST_LINES + 1))
    read = [(line, entry_of(line)) for line in lines[:MOST_LINES]]
    entries = frozenset(entry for _, entry in read if entry is not None)
    rejected = [line for line, entry in read if entry is None] + lines[MOST_LINES:]
    return Said(entries, tuple(rejected), True)


def _places(text: str) -> list[str]:
    """What stands between marks."""
    parts = [part.partition(_END) for part in text.split(_MARK)[1:]]
    return [inside for inside, end, _ in parts if end]


def _loose_places(text: str) -> list[str]:
    """What stands between marks, the last of which may be missing."""
    return [_LOOSE_END.split(part, maxsplit=1)[0] for part in _LOOSE_MARK.split(text)[1:]]


def _unmarked(text: str, entry_of: Callable[[str], Entry | None]) -> Said[Entry]:
    """Of an answer without marks the lines that can be nothing else; the rest is prose."""
    found = [entry for line in text.splitlines() if (entry := entry_of(line)) is not None]
    return Said(frozenset(found[:MOST_LINES]), (), bool(found))


def _says_nothing(line: str) -> bool:
    """Whether a line only keeps an answer in shape: an empty one, a fence, the heads of a table and the rule below."""
    bare = line.strip()
    return bare.startswith("```") or _RULE.fullmatch(bare) is not None or not bare or _fields(line.lower()) == [*_HEADS]


def _strict_triple(line: str) -> Triple | None:
    parts = line.split(";")
    if len(parts) != 3 or any(not part or part != part.strip() for part in parts) or " " in parts[0] + parts[1]:
        return None
    return Triple(node=parts[0], object=parts[1], cause=parts[2])


def _loose_triple(line: str) -> Triple | None:
    parts = _fields(line)
    if len(parts) != 3 or not all(parts):
        return None
    cause = " ".join(parts[2].rstrip(".").split())
    # The question tells labels with a colon and what they mean.
    label = _LABELS.get(cause.lower().partition(":")[0].rstrip(), cause)
    return Triple(node=parts[0], object=parts[1].replace(" ", ""), cause=label)


def _plain_triple(line: str) -> Triple | None:
    """A triple that is no sentence: a device's name is one word, and the cause is in the list."""
    found = _loose_triple(line)
    return found if found is not None and found.cause in CAUSE_BY_LABEL and " " not in found.node else None


def _fields(line: str) -> list[str]:
    """The fields of a line, also of one that ends with a separator, or is the row of a table."""
    bare = _bare(line)
    return [_bare(part) for part in _FIELD.split(bare.strip("|;； \t"))]


def _strict_path(line: str) -> RestoredPath | None:
    return None if line != "".join(line.split()) else _path(line.split("->"))


def _loose_path(line: str) -> RestoredPath | None:
    parts = [_TYPE_AND_NUMBER.sub(r"\1", _bare(part)) for part in _ARROW.split(_bare(line))]
    return _path([*parts[:-1], parts[-1].rstrip(".;,")])


def _path(parts: list[str]) -> RestoredPath | None:
    if len(parts) < 2 or not all(_HOP.fullmatch(part) for part in parts):
        return None
    split = [part.rpartition("_") for part in parts[:-1]]
    if any(not (node and egress) for node, _, egress in split):
        return None
    return RestoredPath(hops=tuple(PathHop(node=node, egress=egress) for node, _, egress in split), end=parts[-1])


def _bare(text: str) -> str:
    """Without blanks, list marks, and what makes text bold or a program's around it."""
    found = _LISTED.match(text := text.strip())
    return (text[found.end() :] if found else text).strip("`* \t")


def written(entries: "frozenset[Triple] | frozenset[RestoredPath]") -> str:
    """An answer in the published form, its lines sorted."""
    lines = "\n".join(sorted(map(str, entries)))
    return f"<result>\n{lines}\n</result>"
