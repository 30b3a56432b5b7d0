"""Vendors, what one asks their devices for, and how each vendor calls an interface."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

Vendor = Literal["huawei", "h3c", "cisco", "arista", "sonic", "frr", "linux"]
VENDORS: tuple[Vendor, ...] = get_args(Vendor)

Need = Literal[
    "running_config", "saved_config",
    "interface_brief", "interface_detail", "interface_counters", "interface_description", "link_neighbors",
    "route_table", "route_lookup", "fib", "arp",
    "bgp_summary", "bgp_peer", "bgp_table", "ospf_neighbors", "isis_neighbors", "bfd",
    "queues", "spanning_tree", "vrrp", "vxlan", "evpn",
    "acl", "route_policy", "prefix_list", "logs", "cpu", "memory", "ping", "traceroute",
]  # fmt: skip
"""What somebody wants to know; each vendor has its own words for it."""
NEEDS: tuple[Need, ...] = get_args(Need)

TITLES: dict[Need, str] = {
    "running_config": "configuration in use",
    "saved_config": "configuration that a restart would load",
    "interface_brief": "state and address of each interface, one line each",
    "interface_detail": "everything about interfaces",
    "interface_counters": "packets, octets, errors and drops",
    "interface_description": "descriptions of interfaces",
    "link_neighbors": "devices at the other ends of links",
    "route_table": "routing table",
    "route_lookup": "route to one address",
    "fib": "table that packets are forwarded by",
    "arp": "hardware addresses of neighbours",
    "bgp_summary": "BGP sessions, one line each",
    "bgp_peer": "everything about BGP sessions",
    "bgp_table": "paths that BGP knows",
    "ospf_neighbors": "OSPF neighbours",
    "isis_neighbors": "IS-IS neighbours",
    "bfd": "BFD sessions",
    "queues": "what passes, waits and is dropped before ports",
    "spanning_tree": "spanning tree",
    "vrrp": "VRRP groups",
    "vxlan": "VXLANs",
    "evpn": "VXLANs that BGP tells of",
    "acl": "packet filters",
    "route_policy": "routing policies",
    "prefix_list": "prefix lists",
    "logs": "system log",
    "cpu": "processor use of the routing processes",
    "memory": "memory of the routing processes",
    "ping": "send echo requests",
    "traceroute": "find the hops to an address",
}

_NATIVE = re.compile(r"(eth)(\d+)((?:\.\d+)?)")
_SPELLED = re.compile(r"([a-z]+)-? ?(\d+(?:/\d+)*)((?:\.\d+)?)", re.IGNORECASE)
_IN_TEXT = re.compile(r"\b(eth\d+(?:\.\d+)?|lo)\b")


@dataclass(frozen=True)
class InterfaceNames:
    """How a vendor calls a device's interfaces; a name of its own leads back to the one that the kernel has.

    Interfaces that are neither Ethernet nor the loopback keep their name.
    """

    long: str
    """Type in a full name, `GigabitEthernet`."""
    short: str
    """Type in tables, `GE`."""
    slots: str
    """What comes before the number, `0/0/`."""
    step: int
    """By how much the number grows from one interface to the next."""
    loopback: str
    short_loopback: str

    def of(self, native: str) -> str:
        """The full name of a kernel's interface."""
        return self._named(native, self.long, self.loopback)

    def brief(self, native: str) -> str:
        """The name that stands in tables."""
        return self._named(native, self.short, self.short_loopback)

    def in_text(self, text: str) -> str:
        """Text with every kernel name replaced by the full name."""
        return _IN_TEXT.sub(lambda found: self.of(found[0]), text)

    def native(self, spelled: str) -> str | None:
        """The kernel's name for what somebody typed, abbreviated or not; None when it is no name of an interface."""
        if spelled.lower() in (self.loopback.lower(), self.short_loopback.lower()):
            return "lo"
        found = _SPELLED.fullmatch(spelled)
        if found is None or not self._is_type(found[1].lower()):
            return None
        slots, _, number = found[2].rpartition("/")
        if (f"{slots}/" if slots else "") != self.slots or int(number) % self.step:
            return None
        return f"eth{int(number) // self.step}{found[3]}"

    def is_type(self, word: str) -> bool:
        """Whether a word alone begins the name of an interface, as in `gigabitethernet 0/0/1`."""
        return self._is_type(word.lower()) or (len(word) > 1 and self.loopback.lower()[:-1].startswith(word.lower()))

    def _is_type(self, word: str) -> bool:
        return word == self.short.lower() or (bool(word) and self.long.lower().startswith(word))

    def _named(self, native: str, kind: str, loopback: str) -> str:
        if native == "lo":
            return loopback
        found = _NATIVE.fullmatch(native)
        return native if found is None else f"{kind}{self.slots}{int(found[2]) * self.step}{found[3]}"


NAMES: dict[Vendor, InterfaceNames] = {
    "huawei": InterfaceNames("GigabitEthernet", "GE", "0/0/", 1, "LoopBack0", "Loop0"),
    "h3c": InterfaceNames("GigabitEthernet", "GE", "1/0/", 1, "LoopBack0", "Loop0"),
    "cisco": InterfaceNames("GigabitEthernet", "Gi", "0/", 1, "Loopback0", "Lo0"),
    "arista": InterfaceNames("Ethernet", "Et", "", 1, "Loopback0", "Lo0"),
    "sonic": InterfaceNames("Ethernet", "Ethernet", "", 4, "Loopback0", "Loopback0"),
    "frr": InterfaceNames("eth", "eth", "", 1, "lo", "lo"),
    "linux": InterfaceNames("eth", "eth", "", 1, "lo", "lo"),
}


def prompt(vendor: Vendor, device: str) -> str:
    """What a device prints before a command is typed."""
    if vendor in ("huawei", "h3c"):
        return f"<{device}>"
    if vendor == "sonic":
        return f"admin@{device}:~$ "
    if vendor == "linux":
        return f"{device}:~# "
    return f"{device}#"
