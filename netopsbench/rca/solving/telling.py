"""What vendors' commands leave out: answers to a need in which the words that decide a root cause don't stand.

Read off what devices of every vendor print of every root cause; the tests print it again and compare.
"""

from collections.abc import Mapping

from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.table import commands_for

_Silent = Mapping[Need, tuple[Vendor, ...]]

_ROUTED: tuple[Vendor, ...] = ("huawei", "h3c", "cisco", "arista")
_SWITCHED: tuple[Vendor, ...] = (*_ROUTED, "sonic")
_OF_MACS: _Silent = {"interface_brief": _SWITCHED, "interface_counters": _SWITCHED}

_UNTOLD: Mapping[str, _Silent] = {
    "shutdown": {"interface_counters": _ROUTED},
    "port STP not enabled": {"spanning_tree": ("frr",), "acl": _SWITCHED},
    "MTU value misconfiguration": {
        "interface_brief": ("huawei", "h3c", "cisco", "frr"),
        "interface_counters": _SWITCHED,
    },
    "MAC address configuration error": _OF_MACS,
    "ARP configuration error": _OF_MACS,
    "loopback IP configuration conflict": {"interface_brief": _ROUTED},
}
"""By cause: vendors of whose commands for a need none tells it at the device itself."""
_UNTOLD_ACROSS: Mapping[str, _Silent] = {
    "shutdown": {"interface_counters": _ROUTED},
    "MAC address configuration error": _OF_MACS,
    "ARP configuration error": _OF_MACS,
    "BGP configuration error": {"bgp_peer": ("huawei", "h3c")},
    "global VRRP hot standby redundancy protocol not enabled": {"interface_counters": _ROUTED},
}
"""The same of what another device tells."""
_NOT_FIRST: Mapping[str, _Silent] = {
    "shutdown": {"interface_brief": ("frr",)},
    "interface IP error": {"interface_brief": ("huawei", "sonic")},
    "MAC address configuration error": {"interface_brief": ("frr", "linux")},
    "ARP configuration error": {"interface_brief": ("frr", "linux")},
    "loopback IP configuration conflict": {"interface_brief": ("sonic", "frr")},
}
"""By cause: vendors whose plainest command for a need doesn't tell it, but another one does."""


def is_told(cause: str, need: Need, vendor: Vendor, *, is_across: bool = False) -> bool:
    """Whether a vendor's commands for a need print what decides a cause, at its device or across a link."""
    silent = (_UNTOLD_ACROSS if is_across else _UNTOLD).get(cause, {})
    return bool(commands_for(vendor, need)) and vendor not in silent.get(need, ())


def is_told_first(cause: str, need: Need, vendor: Vendor) -> bool:
    """Whether it is the vendor's plainest command that prints it."""
    return vendor not in _NOT_FIRST.get(cause, {}).get(need, ())
