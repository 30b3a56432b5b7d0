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
    super_category: str
    domain: str
    subtype: str
    """The label itself where the hierarchy has no level between domain and label."""
    category: Category


def _cause(category: Category, place: str, label: str) -> Cause:
    levels = [each.strip() for each in place.split(">")]
    subtype = levels[2] if len(levels) > 2 else label
    return Cause(label=label, super_category=levels[0], domain=levels[1], subtype=subtype, category=category)


CAUSES: tuple[Cause, ...] = (
    _cause("C1", "Physical/Link > interface state > admin shutdown", "shutdown"),
    _cause("C1", "Physical/Link > performance > congestion", "traffic congestion occupying port bandwidth"),
    _cause("C1", "Physical/Link > MTU > mismatch", "MTU value misconfiguration"),
    _cause(
        "C2",
        "Security > policy > missing permit",
        "security policy rule does not permit the corresponding user",
    ),
    _cause(
        "C2",
        "Security > NAT role binding > external",
        "NAT external interface attribute misconfiguration or missing configuration",
    ),
    _cause(
        "C2",
        "Security > NAT role binding > internal",
        "NAT internal interface attribute misconfiguration or missing configuration",
    ),
    _cause("C3", "Routing > static route > blackhole", "blackhole route"),
    _cause("C3", "Routing > static route > missing", "missing static route"),
    _cause("C3", "Routing > static route > incorrect", "incorrect static route"),
    _cause("C3", "Routing > ARP", "ARP configuration error"),
    _cause("C3", "Routing > loop", "Layer 3 loop"),
    _cause("C3", "Routing > EGP", "BGP configuration error"),
    _cause("C3", "Routing > route policy", "IP prefix list missing the corresponding user source IP address"),
    _cause("C3", "Routing > IGP", "OSPF configuration error"),
    _cause("C3", "Routing > IGP", "ISIS configuration error"),
    _cause("C4", "HA > layer-2 loop prevention", "global STP not enabled"),
    _cause("C4", "HA > layer-2 loop prevention", "port STP not enabled"),
    _cause("C4", "HA > hot standby", "global VRRP hot standby redundancy protocol not enabled"),
    _cause("C5", "Service/Overlay > VPN isolation", "L3VPN configuration error"),
    _cause("C5", "Service/Overlay > VPN isolation", "L2VPN configuration error"),
    _cause("C5", "Service/Overlay > VXLAN", "VXLAN configuration error"),
    _cause("C5", "Service/Overlay > SRv6", "SRV6-Policy tunnel planning error"),
    _cause("C5", "Service/Overlay > provisioning", "VPN configuration missing"),
    _cause("C1", "Access > MAC", "MAC address configuration error"),
    _cause("C1", "Access > interface addressing", "interface IP error"),
    _cause("C1", "Access > VLAN", "interface VLAN configuration error"),
    _cause("C5", "Access > uniqueness", "loopback IP configuration conflict"),
    _cause("C5", "Operations > host information", "host information collection function missing"),
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
