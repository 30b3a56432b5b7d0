"""Prefix lists, address translation and missing static routes, out of what routers print."""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network

from netopsbench.agent.sweeper.swept import Finding, Swept

_LIST = re.compile(r"prefix-list (\S+?):?(?:\s|$)", re.IGNORECASE)
_PERMIT = re.compile(r"permit\s+(\d+\.\d+\.\d+\.\d+/\d+)")
_SPEAKS = re.compile(r"\b(?:router (?:bgp|ospf|rip|isis)|bgp \d+|ospf \d+|rip \d+|isis \d+)\b")
_SPEAKERS = re.compile(r"\b(?:bgpd|ospfd|ripd|isisd)\b")
"""EIGRP is spoken at edges alone, beside a static default route."""
_PREFIX = re.compile(r"(?<![\d.])(\d+\.\d+\.\d+\.\d+/\d+)(?!\d)")
_LACKS = "IP prefix list missing the corresponding user source IP address"
_NAT = "NAT {} interface attribute misconfiguration or missing configuration"
_DEFAULT = IPv4Network("0.0.0.0/0")
_HAS_DEFAULT = re.compile(r"^default\s", re.MULTILINE)
"""As the kernel's own listing has it."""
_REFUSES = re.compile(r"\b(?:deny|drop|reject)\b", re.IGNORECASE)
_SERVICE = re.compile(r"\b(?:tcp|udp)\b", re.IGNORECASE)
_POLICY = "security policy rule does not permit the corresponding user"


def refused_users(swept: Swept, device: str) -> Iterator[Finding]:
    """Packet filters that refuse everything of the hosts at a port."""
    for name, far in swept.far_ends(device):
        if swept.is_router(far.device):
            continue
        network = swept.network.ports[device][name]
        arriving = rf'\b(?:in {re.escape(swept.names(device).of(name))}|iifname "{name}")(?!\d)'
        for line in swept.text(device, "acl").splitlines():
            # What refuses one service alone refuses nobody.
            is_whole = _REFUSES.search(line) is not None and _SERVICE.search(line) is None
            if is_whole and re.search(arriving, line) and str(network[0]) in line:
                yield name, _POLICY


def lacking_users(swept: Swept, device: str) -> Iterator[Finding]:
    """A router's prefix lists that lack some of its users."""
    yield from short_lists(swept.text(device, "prefix_list"), swept.network.nodes[device].loopback, swept.users(device))


def untranslated_ports(swept: Swept, device: str) -> Iterator[Finding]:
    """Ports that a router's address translation leaves out."""
    inner = {name: not swept.is_router(far.device) for name, far in swept.far_ends(device)}
    yield from unbound_ports(swept.text(device, "acl"), inner)


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


def learns_nothing(configuration: str, processes: str) -> bool:
    """Whether a router shows that no protocol brings it routes, by its configuration or else by its processes."""
    if configuration:
        return _SPEAKS.search(configuration) is None
    return "zebra" in processes and _SPEAKERS.search(processes) is None


def missing_statics(table: str, networks: Sequence[IPv4Network], *, has_one_way: bool) -> Iterator[Finding]:
    """Networks that a router has no way to; the default route where it has a single way out."""
    held = {IPv4Network(each, strict=False) for each in _PREFIX.findall(table)}
    if not table or _DEFAULT in held or _HAS_DEFAULT.search(table):
        return
    lacking = [network for network in networks if not any(network.subnet_of(each) for each in held)]
    for network in [_DEFAULT] if lacking and has_one_way else lacking:
        yield str(network), "missing static route"
