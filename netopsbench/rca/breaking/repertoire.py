"""Which causes are made real, by what, and why the others are not."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking import discovery as break_discovery
from netopsbench.rca.breaking import overlay as break_overlay
from netopsbench.rca.breaking import ports as break_ports
from netopsbench.rca.breaking import redundancy as break_redundancy
from netopsbench.rca.breaking import routes as break_routes
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.discovery import NO_LLDP
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.model import CauseRef

Maker = Callable[[FabricPlan], Iterator[Broken]]

MAKERS: Mapping[str, Maker] = {
    "shutdown": break_ports.shutdowns,
    "traffic congestion occupying port bandwidth": break_ports.full_ports,
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
    "ISIS configuration error": break_overlay.wrong_isis,
    "IP prefix list missing the corresponding user source IP address": break_routes.short_prefix_lists,
    "NAT external interface attribute misconfiguration or missing configuration": break_routes.wrong_nat,
    "NAT internal interface attribute misconfiguration or missing configuration": break_routes.wrong_nat,
    "global STP not enabled": break_redundancy.without_tree,
    "port STP not enabled": break_redundancy.ports_without_tree,
    "global VRRP hot standby redundancy protocol not enabled": break_redundancy.without_vrrp,
    "L2VPN configuration error": break_overlay.wrong_l2vpns,
    "VXLAN configuration error": break_overlay.wrong_vxlans,
    "VPN configuration missing": break_overlay.missing_vpns,
    NO_LLDP: break_discovery.without_lldp,
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
