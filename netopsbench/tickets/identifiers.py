"""Names and numbers in a ticket that somebody could look up."""

import re
from collections.abc import Iterable
from types import MappingProxyType

from netopsbench.core.model import Model

_DEVICE_STEMS = "r|router|core|edge|isp|leaf|spine|sw|switch|asw|csw|dsw|fw|host|laptop|pc|server|srv"
_PORT_STEMS = "eth|fa|gi|gig|se|lo|bond|br"

PATTERNS = MappingProxyType(
    {
        "ipv4": re.compile(r"\b\d{1,3}(?:\.(?:\d{1,3}|x{1,3}))+(?:/\d{1,2})?\b", re.IGNORECASE),
        "domain": re.compile(r"\b[a-z0-9][a-z0-9-]*\.(?:com|net|org|local|lab)\b", re.IGNORECASE),
        "device": re.compile(rf"\b(?:{_DEVICE_STEMS})[-_]?\d+[a-z]?\d*\b", re.IGNORECASE),
        "interface": re.compile(rf"\b(?:{_PORT_STEMS})\s?\d+(?:[./]\d+)*\b", re.IGNORECASE),
        "vlan": re.compile(r"\bvlan\s?\d+\b", re.IGNORECASE),
        "asn": re.compile(r"\bAS\s?\d{3,6}\b", re.IGNORECASE),
    }
)
"""The published kinds. Prefixes and parts of addresses count as addresses."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]*[A-Za-z0-9]|[A-Za-z0-9]")


class Identifier(Model):
    """One of them; the same kind and text count once per ticket."""

    kind: str
    text: str


def identifiers(text: str) -> frozenset[Identifier]:
    """Every identifier of the published kinds, lower-cased."""
    flat = " ".join(text.split())
    return frozenset(
        Identifier(kind=kind, text=found.group().lower().strip())
        for kind, pattern in PATTERNS.items()
        for found in pattern.finditer(flat)
    )


def lab_identifiers(text: str, names: Iterable[str]) -> frozenset[str]:
    """Which of a lab's own names (devices, interfaces, addresses) the text mentions, as whole words."""
    words = {word.lower() for word in _WORD.findall(text)}
    return frozenset(name.lower() for name in names if name.lower() in words)
