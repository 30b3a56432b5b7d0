"""Forms of commands, written as manuals write them: `show ip route [<address> [<mask>]]`.

`[…]` may be left out, `(a|b)` is one of several, `{a|b}` any of several in any order, `<name>` something that is filled
in; `a=b` is the word `a`, which may be spelled `b` too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from itertools import permutations

from netopsbench.vendors.names import InterfaceNames

_PIECES = re.compile(r"\s+|[\[\](){}|]|<[a-z]+>|[^\s\[\](){}|<>]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,5}")
_MOST_REPEATED = 50
_LARGEST_BYTES = 9500


@dataclass(frozen=True)
class Word:
    """A word that may be abbreviated."""

    text: str
    others: tuple[str, ...] = ()
    """Other spellings of it."""

    @property
    def spellings(self) -> tuple[str, ...]:
        return self.text, *self.others


@dataclass(frozen=True)
class Blank:
    """Something that is filled in."""

    name: str
    """Also its kind: `address`, `prefix`, `mask`, `interface`, `source`, `name`, `count`, `size`."""


Element = Word | Blank
Form = tuple[Element, ...]


def forms_of(pattern: str) -> tuple[Form, ...]:
    """Every sequence of words and blanks that a pattern stands for."""
    pieces = [piece for piece in _PIECES.findall(pattern) if not piece.isspace()]
    forms, rest = _choices(pieces)
    if rest:
        raise ValueError(f"{pattern!r}: {rest[0]!r} closes nothing")
    return tuple(dict.fromkeys(forms))


def _choices(pieces: list[str]) -> tuple[list[Form], list[str]]:
    """Alternatives up to the bracket that closes them."""
    branches, pieces = _branches(pieces)
    return [form for branch in branches for form in branch], pieces


def _branches(pieces: list[str]) -> tuple[list[list[Form]], list[str]]:
    branches: list[list[Form]] = []
    while True:
        branch, pieces = _sequence(pieces)
        branches.append(branch)
        if not pieces or pieces[0] != "|":
            return branches, pieces
        pieces = pieces[1:]


def _sequence(pieces: list[str]) -> tuple[list[Form], list[str]]:
    forms: list[Form] = [()]
    while pieces and pieces[0] not in ("|", "]", ")", "}"):
        piece, pieces = pieces[0], pieces[1:]
        if piece in ("[", "(", "{"):
            branches, pieces = _branches(pieces)
            pieces = pieces[1:]
            nexts = _in_brackets(piece, branches)
        elif piece.startswith("<"):
            nexts = [(Blank(piece[1:-1]),)]
        else:
            text, *others = piece.split("=")
            nexts = [(Word(text, tuple(others)),)]
        forms = [(*form, *following) for form in forms for following in nexts]
    return forms, pieces


def _in_brackets(bracket: str, branches: list[list[Form]]) -> list[Form]:
    flat = [form for branch in branches for form in branch]
    if bracket == "{":
        return list(_in_any_order(branches))
    return [*([()] if bracket == "[" else []), *flat]


def _in_any_order(branches: list[list[Form]]) -> Iterator[Form]:
    for count in range(len(branches) + 1):
        for chosen in permutations(branches, count):
            forms: list[Form] = [()]
            for branch in chosen:
                forms = [(*form, *following) for form in forms for following in branch]
            yield from forms


def filled(blank: Blank, text: str, names: InterfaceNames) -> str | None:
    """What `text` means in a blank, interfaces by the kernel's name; None when it doesn't fit."""
    match blank.name:
        case "address":
            return _address(text)
        case "prefix":
            return _prefix(text)
        case "mask":
            return _mask(text)
        case "interface":
            return names.native(text)
        case "source":
            return _address(text) or names.native(text)
        case "count" | "size":
            most = _MOST_REPEATED if blank.name == "count" else _LARGEST_BYTES
            return str(int(text)) if _WHOLE_NUMBER.fullmatch(text) and 1 <= int(text) <= most else None
        case _:
            return text if _NAME.fullmatch(text) else None


def _address(text: str) -> str | None:
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        return None


def _prefix(text: str) -> str | None:
    try:
        return str(IPv4Network(text)) if "/" in text else None
    except ValueError:
        return None


def _mask(text: str) -> str | None:
    """A length from 0 to 32, written as one or as a mask."""
    if text.isdigit():
        return text if int(text) <= 32 and len(text) < 3 else None
    address = _address(text)
    if address is None:
        return None
    try:
        return str(IPv4Network(f"0.0.0.0/{address}").prefixlen)
    except ValueError:
        return None
