"""Columns, durations and masks as devices print them."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Interface, IPv4Network

NOT_KNOWN = "-"
"""Stands where a real device has a value and the system below has none."""


def columns(rows: Iterable[Sequence[object]], widths: Sequence[int]) -> list[str]:
    """Lines of cells; a negative width aligns to the right, and a cell that is too long pushes the others."""
    return ["".join(_cell(value, width) for value, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _cell(value: object, width: int) -> str:
    text = str(value)
    if width < 0:
        return text.rjust(-width) if len(text) < -width else f" {text}"
    return text.ljust(width) if len(text) < width else f"{text} "


def told(value: object | None) -> str:
    """A value, or the mark for none."""
    return NOT_KNOWN if value is None or value == "" else str(value)


def dotted(length: int) -> str:
    """A prefix length as a mask."""
    return str(IPv4Network(f"0.0.0.0/{length}").netmask)


def wildcard(network: IPv4Network) -> str:
    """A prefix length as the mask of the bits that don't matter."""
    return str(network.hostmask)


def first_address(addresses: Sequence[str]) -> IPv4Interface | None:
    """An interface's primary address."""
    return IPv4Interface(addresses[0]) if addresses else None


def mac_dots(mac: str) -> str:
    """`024e.0003.0001`, as Cisco and Arista write it."""
    return _grouped(mac, ".")


def mac_dashes(mac: str) -> str:
    """`024e-0003-0001`, as Huawei and H3C write it."""
    return _grouped(mac, "-")


def _grouped(mac: str, mark: str) -> str:
    digits = mac.replace(":", "").lower()
    return mark.join(digits[start : start + 4] for start in range(0, len(digits), 4))
