"""Prefix lists, address translation and missing static routes, out of what routers print."""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network

_LIST = re.compile(r"prefix-list (\S+?):?(?:\s|$)", re.IGNORECASE)
_PERMIT = re.compile(r"permit\s+(\d+\.\d+\.\d+\.\d+/\d+)")
_SPEAKS = re.compile(r"\b(?:router (?:bgp|ospf|rip|eigrp)|bgp \d+|ospf \d+|rip \d+)\b")
_PREFIX = re.compile(r"(?<![\d.])(\d+\.\d+\.\d+\.\d+/\d+)(?!\d)")
_LACKS = "IP prefix list missing the corresponding user source IP address"
_NAT = "NAT {} interface attribute misconfiguration or missing configuration"
_DEFAULT = IPv4Network("0.0.0.0/0")

Finding = tuple[str, str]
"""Object and cause."""


def short_lists(text: str, loopback: str | None, users: Sequence[IPv4Network]) -> Iterator[Finding]:
    """Prefix lists that let the router's own loopback pass and not all of its users."""
    permitted: dict[str, set[str]] = {}
    name = ""
    for line in text.splitlines():
        head = _LIST.search(line)
        if head is not None:
            name = head[1]
        permitted.setdefault(name, set()).update(_PERMIT.findall(line))
    for each, prefixes in permitted.items():
        if f"{loopback}/32" in prefixes and any(str(network) not in prefixes for network in users):
            yield each, _LACKS


def translates(text: str) -> bool:
    """Whether a device's filters are those of one that translates addresses."""
    return "postrouting" in text


def unbound_ports(text: str, is_inner: Mapping[str, bool]) -> Iterator[Finding]:
    """Ports that address translation leaves out, where a device translates at all; `is_inner` by port."""
    if not translates(text):
        return
    for port, inner in is_inner.items():
        bound = rf'iifname "{port}".*(?:mark set|set meta mark)' if inner else rf'oifname "{port}".*masquerade'
        if re.search(bound, text) is None:
            yield port, _NAT.format("internal" if inner else "external")


def missing_statics(table: str, configuration: str, networks: Sequence[IPv4Network]) -> Iterator[Finding]:
    """Networks that a router without a routing protocol has no way to; the default route where it has no other."""
    if not table or not configuration or _SPEAKS.search(configuration):
        return
    held = {IPv4Network(each, strict=False) for each in _PREFIX.findall(table)}
    if _DEFAULT in held or "default" in table:
        return
    lacking = [network for network in networks if not any(network.subnet_of(each) for each in held)]
    if len(lacking) == 1:
        yield str(lacking[0]), "missing static route"
    elif lacking:
        yield str(_DEFAULT), "missing static route"
