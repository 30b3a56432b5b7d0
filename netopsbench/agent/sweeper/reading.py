"""Interfaces, ARP, static routes and BGP sessions out of what devices print, whatever their vendor."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from netopsbench.vendors.names import InterfaceNames

_MAC = re.compile(
    r"(?<![0-9a-f:.-])((?:[0-9a-f]{2}:){5}[0-9a-f]{2}|[0-9a-f]{4}([.-])[0-9a-f]{4}\2[0-9a-f]{4})(?![0-9a-f:.-])", re.I
)
_MTU = re.compile(r"(?:Maximum Transmit Unit is|\bMTU|\bmtu)\s+(\d+)")
_OWN = re.compile(r"(?<![\d.])(\d+\.\d+\.\d+\.\d+/\d+)(?!\d)")
_ADDRESS = re.compile(r"(?<![\d./])(\d+\.\d+\.\d+\.\d+)(?![\d/.])")
_HEAD = re.compile(r"^(?:\d+:\s+)?(\S+?)(?:@\S+)?[: ]")
_FLAGS = re.compile(r"<([A-Z_,-]+)>")
_OFF = re.compile(r"administratively down", re.I)
_DOWN = re.compile(r"\A\S+ (?:current state : DOWN|is (?:administratively )?down)", re.I)
_STATIC_BY_CODE = re.compile(r"^\s*S[>* ]*\s+(\d+\.\d+\.\d+\.\d+/\d+)\s+(.*)$")
_STATIC_BY_WORD = re.compile(r"^\s*(\d+\.\d+\.\d+\.\d+/\d+)\s+Static\s+(.*)$")
_CONNECTED_BY_CODE = re.compile(r"^\s*C[>* ]*\s+(\d+\.\d+\.\d+\.\d+/\d+)\s.*directly connected, ([^,\s]+)")
_CONNECTED_BY_WORD = re.compile(r"^\s*(\d+\.\d+\.\d+\.\d+/\d+)\s+Direct\s.*\s(\S+)$")
_FORWARDED = re.compile(
    r"^\s*(?:\d+\s+-\s+)?(?:(blackhole|unreachable|prohibit) )?(\d+\.\d+\.\d+\.\d+)(?:/(\d+))?\s+(.*)$"
)
_NOT_UP = re.compile(r"\b(?:Idle|Active|Connect|OpenSent|OpenConfirm)\b")
_DISCARDS = re.compile(r"null ?0|blackhole|unreachable", re.I)


@dataclass(frozen=True)
class ReadInterface:
    """One interface, by the kernel's name."""

    name: str
    is_on: bool
    is_down: bool
    """Whether it carries nothing, whatever the reason."""
    mtu: int | None
    mac: str | None
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class ReadStatic:
    """A static route; no gateway where it discards."""

    prefix: IPv4Network
    gateway: IPv4Address | None


def read_interfaces(text: str, names: InterfaceNames) -> list[ReadInterface]:
    """Interfaces in detail: blocks that begin with a name at the start of a line."""
    blocks: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        native = names.native(head[1]) or names.native(head[1].rstrip(":")) if head and not line[0].isspace() else None
        if native is not None:
            blocks.append((native, [line]))
        elif blocks:
            blocks[-1][1].append(line)
    return [_interface(name, "\n".join(lines)) for name, lines in blocks]


def _interface(name: str, text: str) -> ReadInterface:
    flags, mtu, mac = _FLAGS.search(text), _MTU.search(text), _MAC.search(text)
    is_on = "UP" in flags[1].split(",") if flags else _OFF.search(text) is None
    return ReadInterface(
        name=name,
        is_on=is_on,
        is_down="LOWER_UP" not in flags[1].split(",") if flags else _DOWN.search(text) is not None,
        mtu=int(mtu[1]) if mtu else None,
        mac=plain_mac(mac[1]) if mac else None,
        addresses=tuple(_OWN.findall(text)),
    )


def plain_configuration(text: str) -> str:
    """A configuration whose lines that only FRR has words for stand as in FRR's own."""
    return re.sub(r"^([ \t]*)[#!] FRR only: ", r"\1", text, flags=re.MULTILINE)


def plain_mac(text: str) -> str:
    """Hexadecimal digits alone."""
    return re.sub(r"[^0-9a-f]", "", text.lower())


def read_arp(text: str) -> dict[IPv4Address, str]:
    """Address to hardware address, lines with one of each."""
    found = {}
    for line in text.splitlines():
        address, mac = _ADDRESS.search(line), _MAC.search(line)
        if address and mac:
            found[IPv4Address(address[1])] = plain_mac(mac[1])
    return found


def read_statics(text: str) -> list[ReadStatic]:
    """Static routes of a route table."""
    found = []
    for line in text.splitlines():
        entry = _STATIC_BY_CODE.match(line) or _STATIC_BY_WORD.match(line)
        if entry is None:
            continue
        hops = [IPv4Address(each) for each in _ADDRESS.findall(entry[2]) if each != "0.0.0.0"]
        if _DISCARDS.search(entry[2]):
            found.append(ReadStatic(IPv4Network(entry[1]), None))
        elif hops:
            found.append(ReadStatic(IPv4Network(entry[1]), hops[0]))
    return found


def read_connected(text: str, names: InterfaceNames) -> list[tuple[str, IPv4Network]]:
    """Interface, by the kernel's name, and network of every connected route of a route table."""
    found = []
    for line in text.splitlines():
        entry = _CONNECTED_BY_CODE.match(line) or _CONNECTED_BY_WORD.match(line)
        native = names.native(entry[2]) if entry is not None else None
        if entry is not None and native is not None:
            found.append((native, IPv4Network(entry[1])))
    return found


def read_fib(text: str) -> list[ReadStatic]:
    """Routes that the kernel forwards by, those to connected networks left out; who made them, not all vendors tell."""
    found = []
    for line in text.splitlines():
        entry = _FORWARDED.match(line)
        if entry is None:
            continue
        prefix = IPv4Network(f"{entry[2]}/{entry[3] or 32}", strict=False)
        hops = [IPv4Address(each) for each in _ADDRESS.findall(entry[4].partition(" src ")[0]) if each != "0.0.0.0"]
        if entry[1] or re.search(r"\bdrop\b", entry[4]) or _DISCARDS.search(entry[4]):
            found.append(ReadStatic(prefix, None))
        elif hops:
            found.append(ReadStatic(prefix, hops[0]))
    return found


def read_down_peers(text: str) -> set[IPv4Address]:
    """Neighbors whose BGP sessions a summary shows as not up."""
    lines = [(line, _ADDRESS.search(line)) for line in text.splitlines()]
    return {IPv4Address(address[1]) for line, address in lines if address and _NOT_UP.search(line[address.end() :])}


def read_peers(text: str) -> dict[IPv4Address, set[int]]:
    """Neighbor address to the numbers that stand behind it, its AS number among them."""
    found: dict[IPv4Address, set[int]] = {}
    for line in text.splitlines():
        address = _ADDRESS.search(line)
        if address is not None:
            behind = line[address.end() :].split()
            found[IPv4Address(address[1])] = {int(each) for each in behind if each.isdigit()}
    return {address: numbers for address, numbers in found.items() if len(numbers) > 2}
