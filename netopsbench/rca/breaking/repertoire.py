"""Which causes are made real, by what, and why the others are not."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking import discovery, overlay, ports, redundancy, routes
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.discovery import NO_LLDP
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.model import CauseRef

Maker = Callable[[FabricPlan], Iterator[Broken]]

MAKERS: Mapping[str, Maker] = {
    "shutdown": ports.shutdowns,
    "traffic congestion occupying port bandwidth": ports.full_ports,
    "MTU value misconfiguration": ports.small_mtus,
    "interface IP error": ports.wrong_addresses,
    "MAC address configuration error": ports.wrong_macs,
    "ARP configuration error": ports.wrong_arp,
    "security policy rule does not permit the corresponding user": ports.refusing_policies,
    "loopback IP configuration conflict": ports.double_loopbacks,
    "blackhole route": routes.blackholes,
    "missing static route": routes.missing_routes,
    "incorrect static route": routes.wrong_routes,
    "Layer 3 loop": routes.loops,
    "BGP configuration error": routes.wrong_bgp_neighbors,
    "OSPF configuration error": routes.wrong_ospf,
    "ISIS configuration error": overlay.wrong_isis,
    "IP prefix list missing the corresponding user source IP address": routes.short_prefix_lists,
    "NAT external interface attribute misconfiguration or missing configuration": routes.wrong_nat,
    "NAT internal interface attribute misconfiguration or missing configuration": routes.wrong_nat,
    "global STP not enabled": redundancy.without_tree,
    "port STP not enabled": redundancy.ports_without_tree,
    "global VRRP hot standby redundancy protocol not enabled": redundancy.without_vrrp,
    "L2VPN configuration error": overlay.wrong_l2vpns,
    "VXLAN configuration error": overlay.wrong_vxlans,
    "VPN configuration missing": overlay.missing_vpns,
    NO_LLDP: discovery.without_lldp,
}

_REFUSED = "are refused by the kernel measured, Linux 6.18"

NOT_MADE: Mapping[str, str] = {
    "L3VPN configuration error": f"needs VRF, and devices of type vrf {_REFUSED}",
    "SRV6-Policy tunnel planning error": "our networks are IPv4 only: IPv6 is off in every node",
    "interface VLAN configuration error": f"needs 802.1Q, and devices of type vlan {_REFUSED}",
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
