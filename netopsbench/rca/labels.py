"""Causes that a root-cause answer may name, their hierarchy and their category."""

from typing import Literal

from netopsbench.core.model import Model

Category = Literal["C1", "C2", "C3", "C4", "C5"]

CATEGORIES: dict[Category, str] = {
    "C1": "interface and link",
    "C2": "security, NAT and edge",
    "C3": "routing and policy",
    "C4": "high availability",
    "C5": "service, management and other",
}

PUBLISHED_SHARES: dict[Category, float] = {"C1": 0.28, "C2": 0.24, "C3": 0.17, "C4": 0.16, "C5": 0.15}
"""Share of each category among the published root-cause tasks."""


class Cause(Model):
    """One label with its place in the hierarchy."""

    label: str
    means: str
    """What is wrong then, so that no other label fits as well."""
    super_category: str
    domain: str
    subtype: str
    """The label itself where the hierarchy has no level between domain and label."""
    category: Category


def _cause(category: Category, place: str, label: str, means: str) -> Cause:
    levels = [each.strip() for each in place.split(">")]
    subtype = levels[2] if len(levels) > 2 else label
    return Cause(
        label=label, means=means, super_category=levels[0], domain=levels[1], subtype=subtype, category=category
    )


CAUSES: tuple[Cause, ...] = (
    _cause(
        "C1",
        "Physical/Link > interface state > admin shutdown",
        "shutdown",
        "an interface is switched off by its configuration",
    ),
    _cause(
        "C1",
        "Physical/Link > performance > congestion",
        "traffic congestion occupying port bandwidth",
        "more is sent through a port than its bandwidth lets through, so that packets wait or are dropped before it",
    ),
    _cause(
        "C1",
        "Physical/Link > MTU > mismatch",
        "MTU value misconfiguration",
        "an interface takes smaller packets than the other end of its link",
    ),
    _cause(
        "C2",
        "Security > policy > missing permit",
        "security policy rule does not permit the corresponding user",
        "a packet filter drops what the users at this interface send",
    ),
    _cause(
        "C2",
        "Security > NAT role binding > external",
        "NAT external interface attribute misconfiguration or missing configuration",
        "the port towards the outside isn't bound to address translation, or another one is in its place",
    ),
    _cause(
        "C2",
        "Security > NAT role binding > internal",
        "NAT internal interface attribute misconfiguration or missing configuration",
        "a port towards the inside isn't bound to address translation, or another one is in its place",
    ),
    _cause("C3", "Routing > static route > blackhole", "blackhole route", "a static route discards what it is for"),
    _cause(
        "C3",
        "Routing > static route > missing",
        "missing static route",
        "a static route that the design needs isn't configured, and no protocol brings it",
    ),
    _cause(
        "C3",
        "Routing > static route > incorrect",
        "incorrect static route",
        "a static route leads to a device that doesn't pass packets on, neither to their destination nor back",
    ),
    _cause(
        "C3",
        "Routing > ARP",
        "ARP configuration error",
        "a static ARP entry holds a hardware address that the neighbor doesn't have",
    ),
    _cause(
        "C3",
        "Routing > loop",
        "Layer 3 loop",
        "a static route leads to a router that sends the packets back, so that they circle; this label alone",
    ),
    _cause(
        "C3",
        "Routing > EGP",
        "BGP configuration error",
        "a BGP session can't come up because of how one end configures it, such as the neighbor's AS number",
    ),
    _cause(
        "C3",
        "Routing > route policy",
        "IP prefix list missing the corresponding user source IP address",
        "a prefix list that filters what a router announces lacks a network of its users",
    ),
    _cause(
        "C3",
        "Routing > IGP",
        "OSPF configuration error",
        "OSPF doesn't find its neighbor because of how one end configures the interface: passive, or other timers",
    ),
    _cause(
        "C3",
        "Routing > IGP",
        "ISIS configuration error",
        "IS-IS doesn't find its neighbor because of how one end configures the interface: passive, or of another kind",
    ),
    _cause(
        "C4",
        "HA > layer-2 loop prevention",
        "global STP not enabled",
        "a whole device runs no spanning tree, though its bridge is part of one",
    ),
    _cause(
        "C4",
        "HA > layer-2 loop prevention",
        "port STP not enabled",
        "one port takes no part in spanning tree, while its device runs it",
    ),
    _cause(
        "C4",
        "HA > hot standby",
        "global VRRP hot standby redundancy protocol not enabled",
        "a router that should stand by for another one is in none of its VRRP groups",
    ),
    _cause(
        "C5",
        "Service/Overlay > VPN isolation",
        "L3VPN configuration error",
        "a VPN of routes is bound to the wrong interface, or imports and exports the wrong targets",
    ),
    _cause(
        "C5",
        "Service/Overlay > VPN isolation",
        "L2VPN configuration error",
        "a device announces its VPNs, but its BGP session to a neighbor doesn't carry them",
    ),
    _cause(
        "C5",
        "Service/Overlay > VXLAN",
        "VXLAN configuration error",
        "a device's end of a VXLAN has another VNI or another UDP port than the other ends",
    ),
    _cause(
        "C5",
        "Service/Overlay > SRv6",
        "SRV6-Policy tunnel planning error",
        "a tunnel's list of segments doesn't lead where it should",
    ),
    _cause(
        "C5",
        "Service/Overlay > provisioning",
        "VPN configuration missing",
        "a device announces none of its VPNs to anybody: the line that does it is missing",
    ),
    _cause(
        "C1",
        "Access > MAC",
        "MAC address configuration error",
        "an interface has another hardware address than its neighbors are configured for",
    ),
    _cause(
        "C1",
        "Access > interface addressing",
        "interface IP error",
        "an interface has an address that isn't in its link's network",
    ),
    _cause(
        "C1",
        "Access > VLAN",
        "interface VLAN configuration error",
        "a port is in another VLAN than what is plugged into it",
    ),
    _cause(
        "C5",
        "Access > uniqueness",
        "loopback IP configuration conflict",
        "a device has another device's loopback address beside its own",
    ),
    _cause(
        "C5",
        "Operations > host information",
        "host information collection function missing",
        "a device or a port tells its neighbors nothing of itself, since LLDP isn't running there",
    ),
)

CAUSE_BY_LABEL: dict[str, Cause] = {cause.label: cause for cause in CAUSES}


def label_similarity(one: str, other: str) -> float:
    """1.0 for the same label, 0.8 within a subtype, 0.6 within a domain, 0.4 within a super-category, else 0."""
    if one == other:
        return 1.0
    a, b = CAUSE_BY_LABEL.get(one), CAUSE_BY_LABEL.get(other)
    if a is None or b is None or a.super_category != b.super_category:
        return 0.0
    if a.domain != b.domain:
        return 0.4
    return 0.8 if a.subtype == b.subtype else 0.6
