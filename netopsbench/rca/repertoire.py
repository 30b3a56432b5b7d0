"""Which causes are made real, by what, and why the others are not."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca import break_ports, break_routes
from netopsbench.rca.breaking import Broken
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.model import CauseRef

Maker = Callable[[FabricPlan], Iterator[Broken]]

MAKERS: Mapping[str, Maker] = {
    "shutdown": break_ports.shutdowns,
    "MTU value misconfiguration": break_ports.small_mtus,
    "interface IP error": break_ports.wrong_addresses,
    "MAC address configuration error": break_ports.wrong_macs,
    "ARP configuration error": break_ports.wrong_arp,
    "security policy rule does not permit the corresponding user": break_ports.refusing_policies,
    "loopback IP configuration conflict": break_ports.double_loopbacks,
    "blackhole route": break_routes.blackholes,
    "missing static route": break_routes.missing_routes,
    "incorrect static route": break_routes.wrong_routes,
    "Layer 3 loop": break_routes.loops,
    "BGP configuration error": break_routes.wrong_bgp_neighbors,
    "OSPF configuration error": break_routes.wrong_ospf,
    "IP prefix list missing the corresponding user source IP address": break_routes.short_prefix_lists,
    "NAT external interface attribute misconfiguration or missing configuration": break_routes.wrong_nat,
    "NAT internal interface attribute misconfiguration or missing configuration": break_routes.wrong_nat,
}

_NO_BRIDGES = "no device of our networks is a switch with redundant layer-2 links, so spanning tree protects nothing"
_NO_OVERLAY = "our networks carry no overlay or VPN"

NOT_MADE: Mapping[str, str] = {
    "traffic congestion occupying port bandwidth": "no task shapes a port and fills it yet",
    "ISIS configuration error": "no network of ours runs IS-IS",
    "global STP not enabled": _NO_BRIDGES,
    "port STP not enabled": _NO_BRIDGES,
    "global VRRP hot standby redundancy protocol not enabled": "no network of ours has a redundant gateway",
    "L3VPN configuration error": f"{_NO_OVERLAY}, and not every supported kernel has VRF",
    "L2VPN configuration error": _NO_OVERLAY,
    "VXLAN configuration error": _NO_OVERLAY,
    "SRV6-Policy tunnel planning error": "our networks are IPv4 only",
    "VPN configuration missing": _NO_OVERLAY,
    "interface VLAN configuration error": "not every supported kernel has 802.1Q, and our ports carry no VLANs",
    "host information collection function missing": "neighbours are told by the platform, not by a daemon",
}
"""Label to reason."""


def breakages(plan: FabricPlan) -> dict[str, list[Broken]]:
    """Everything that can be broken in a network, by label; labels without a place are left out."""
    found: dict[str, list[Broken]] = {}
    for cause in CAUSES:
        maker = MAKERS.get(cause.label)
        made = [each for each in maker(plan) if each.triple.cause == cause.label] if maker else []
        if made:
            found[cause.label] = made
    return found


def broken_of(causes: Sequence[CauseRef], plan: FabricPlan) -> list[Broken]:
    """The root causes of a task. Raises SpecError when the network can't be broken so."""
    found = []
    for cause in causes:
        maker = MAKERS.get(cause.triple.cause)
        alike = [each for each in maker(plan) if each.triple == cause.triple] if maker else []
        if cause.variant >= len(alike):
            raise SpecError([Problem("task", "causes", str(cause.triple), f"something that can break in {plan.name}")])
        found.append(alike[cause.variant])
    return found
