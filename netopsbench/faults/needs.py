"""What this machine must be able to do for a fault, asked before anything is broken."""

import socket
import struct
import sys

from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.engine import Fabric
from netopsbench.faults.contract import Change, Need

_TCP_MD5SIG = 14
_MD5_REQUEST = struct.Struct("@128sBBHiI80s")
"""The kernel's `struct tcp_md5sig`: address, flags, prefix length, key length, interface, key."""


def require(fabric: Fabric, change: Change) -> None:
    """Raises UnsupportedError when the machine can't make the fault, with the way out."""
    for need in change.needs:
        lacking = _lacking(fabric, need, change.place.device)
        if lacking:
            raise UnsupportedError(lacking)


def _lacking(fabric: Fabric, need: Need, switch: str) -> str:
    if need == "tcp_md5":
        return "" if has_tcp_md5() else "this kernel has no TCP MD5 signatures (CONFIG_TCP_MD5SIG), so no BGP passwords"
    if need == "wire_rules":
        able = fabric.exec_wire([sys.executable, "-P", "-m", "netopsbench.faults.wire_end", "able", "lo", "lo"])
        said = (able.stderr or able.stdout).strip() or f"exit code {able.returncode}"
        return "" if able.is_ok else f"nothing can be done to a cable here: {said}; see netopsbench doctor"
    done = fabric.exec(switch, ["nft", "list", "tables"])
    if done.is_ok:
        return ""
    said = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
    return f"packet filters don't work in {switch}: {said}; see netopsbench doctor"


def has_tcp_md5() -> bool:
    """Whether the kernel signs TCP segments; all nodes share it."""
    loopback = struct.pack("=HH4s", socket.AF_INET, 0, socket.inet_aton("127.0.0.1"))
    request = _MD5_REQUEST.pack(loopback.ljust(128, b"\0"), 0, 0, 3, 0, 0, b"key")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.setsockopt(socket.IPPROTO_TCP, _TCP_MD5SIG, request)
        except OSError:
            return False
    return True
