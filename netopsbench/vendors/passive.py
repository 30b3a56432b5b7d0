"""Ports that are passive in OSPF: FRR says so at the port, other vendors in the process."""

from collections.abc import Sequence

_PROCESS = "router ospf"
_AT_PORT = " ip ospf passive"


def said_in_process(lines: Sequence[str]) -> tuple[str, ...]:
    """FRR's configuration with passive ports named in the OSPF process; without one it stays as it is."""
    if _PROCESS not in lines:
        return tuple(lines)
    ports = [_port_above(lines, place) for place, line in enumerate(lines) if line == _AT_PORT]
    kept = [line for line in lines if line != _AT_PORT]
    end = kept.index(_PROCESS) + 1
    while end < len(kept) and kept[end].startswith(" "):
        end += 1
    return (*kept[:end], *(f" passive-interface {port}" for port in ports), *kept[end:])


def _port_above(lines: Sequence[str], place: int) -> str:
    """The port whose block a line stands in."""
    heads = (line for line in reversed(lines[:place]) if line.startswith("interface "))
    return next(heads).split()[1]
