"""Queueing disciplines and traffic filters read from the kernel of the namespace one is in; standard library only.

Constants are those of the kernel's `linux/rtnetlink.h` and `linux/pkt_sched.h`.
"""

import hashlib
import struct
from collections.abc import Iterator

from netopsbench.fabric.netlink import Netlink, attributes

_GET_QDISC, _GET_FILTER = 38, 46
_KIND, _OPTIONS = 1, 2
_TC = struct.Struct("=BxxxiIII")
_PARENTS = {0xFFFFFFFF: "root", 0xFFFFFFF1: "ingress"}
_INGRESS = 0xFFFFFFF2
"""Where filters see what comes in."""


def qdiscs(kernel: Netlink) -> Iterator[tuple[int, str]]:
    """Interface index and `noqueue root 0`: kind, place and a digest of the options of every discipline."""
    for _, payload in kernel.dump(_GET_QDISC, _TC.pack(0, 0, 0, 0, 0)):
        _family, index, _handle, parent, _info = _TC.unpack_from(payload)
        known = attributes(payload[_TC.size :])
        place = _PARENTS.get(parent, f"{parent:x}")
        yield index, f"{_text(known[_KIND])} {place} {_digest(known.get(_OPTIONS, b''))}"


def ingress_filters(kernel: Netlink, index: int) -> Iterator[str]:
    """Kinds of the filters that see what comes in by an interface; their counters and numbers say nothing."""
    for _, payload in kernel.dump(_GET_FILTER, _TC.pack(0, index, 0, _INGRESS, 0)):
        yield _text(attributes(payload[_TC.size :])[_KIND])


def _text(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode()


def _digest(options: bytes) -> str:
    return hashlib.sha256(options).hexdigest()[:8] if options else "0"
