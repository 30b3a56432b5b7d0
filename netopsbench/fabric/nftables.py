"""Packet filter rules read from the kernel of the namespace one is in; standard library only.

Constants are those of the kernel's `linux/netfilter/nfnetlink.h` and `linux/netfilter/nf_tables.h`.
"""

import hashlib
import socket
import struct
from collections.abc import Iterator

_NETLINK_NETFILTER = 12
_SUBSYSTEM = 10 << 8
_NEW_CHAIN, _GET_CHAIN = _SUBSYSTEM | 3, _SUBSYSTEM | 4
_NEW_RULE, _GET_RULE = _SUBSYSTEM | 6, _SUBSYSTEM | 7
_REQUEST_DUMP = 0x301
_ERROR, _DONE = 2, 3
_TABLE, _CHAIN, _EXPRESSIONS = 1, 2, 4
_CHAIN_TABLE, _CHAIN_NAME, _CHAIN_HOOK, _CHAIN_POLICY, _CHAIN_TYPE = 1, 3, 4, 5, 7
_EXPRESSION_NAME = 1
_HEADER = struct.Struct("=IHHII")
_ATTR = struct.Struct("=HH")


_POLICIES = {struct.pack("!I", 0): "drop", struct.pack("!I", 1): "accept"}
_MATCHING = frozenset(("meta", "payload", "bitwise", "cmp", "range", "lookup", "ct", "counter"))
"""Expressions that only look at a packet, or count it."""


def filter_rules() -> list[str]:
    """Every rule that decides over packets, in its order, as `table chain place digest`.

    Counters and handles don't count. Empty where the kernel has no packet filters.
    """
    found: list[str] = []
    place: dict[str, int] = {}
    for payload in _dump(_GET_RULE, _NEW_RULE):
        known = dict(_attributes(payload[4:]))
        expressions = [(_name(raw), raw) for _, raw in _attributes(known.get(_EXPRESSIONS, b""))]
        if all(name in _MATCHING for name, _ in expressions):
            continue
        chain = " ".join(_text(known[key]) for key in (_TABLE, _CHAIN))
        place[chain] = place.get(chain, 0) + 1
        found.append(f"{chain} {place[chain]} {_digest(expressions)}")
    return found


def chains() -> list[str]:
    """Every chain as `table chain type digest policy`, sorted: where it hooks in is in the digest.

    A policy may drop what no rule names. Empty where the kernel has no packet filters.
    """
    found = []
    for payload in _dump(_GET_CHAIN, _NEW_CHAIN):
        known = dict(_attributes(payload[4:]))
        names = [_text(known.get(key, b"")) for key in (_CHAIN_TABLE, _CHAIN_NAME, _CHAIN_TYPE)]
        hook = hashlib.sha256(known.get(_CHAIN_HOOK, b"")).hexdigest()[:12]
        found.append(" ".join((*names, hook, _POLICIES.get(known.get(_CHAIN_POLICY, b""), "none"))))
    return sorted(found)


def _name(expression: bytes) -> str:
    return _text(dict(_attributes(expression)).get(_EXPRESSION_NAME, b""))


def _text(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode()


def _digest(expressions: list[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, raw in expressions:
        # A counter's data are its packets and bytes.
        digest.update(name.encode() if name == "counter" else raw)
    return digest.hexdigest()[:12]


def _dump(question: int, answer: int) -> Iterator[bytes]:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_NETFILTER) as kernel:
        kernel.bind((0, 0))
        kernel.send(_HEADER.pack(20, question, _REQUEST_DUMP, 1, 0) + bytes(4))
        while True:
            for kind, payload in _split(kernel.recv(1 << 20)):
                if kind in (_ERROR, _DONE):
                    return
                if kind == answer:
                    yield payload


def _split(datagram: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 16 <= len(datagram):
        length, kind, _flags, _sequence, _port = _HEADER.unpack_from(datagram, at)
        yield kind, datagram[at + 16 : at + length]
        at += (length + 3) & ~3


def _attributes(raw: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(raw):
        length, kind = _ATTR.unpack_from(raw, at)
        if length < 4:
            return
        yield kind & 0x3FFF, raw[at + 4 : at + length]
        at += (length + 3) & ~3
