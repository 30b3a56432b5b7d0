"""Which commands decide a root cause: by its label, the sets of (device, need) each of which is enough."""

from collections.abc import Iterable, Sequence
from itertools import product

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.vendors.names import Need


class Look(Model):
    """A question to a device, in no vendor's words."""

    device: str
    need: Need
    about: str = ""
    """The address that is looked up, where the need takes one."""

    def __str__(self) -> str:
        return f"{self.device}: {self.need} {self.about}".rstrip()


Evidence = frozenset[Look]

_STATIC: tuple[Need, ...] = ("route_table", "fib")
_DIRECT: dict[str, tuple[Need, ...]] = {
    "shutdown": ("interface_brief",),
    "MTU value misconfiguration": ("interface_detail",),
    "interface IP error": ("interface_brief", "route_table"),
    "MAC address configuration error": ("interface_detail",),
    "ARP configuration error": ("arp",),
    "security policy rule does not permit the corresponding user": ("acl",),
    "NAT external interface attribute misconfiguration or missing configuration": ("acl",),
    "NAT internal interface attribute misconfiguration or missing configuration": ("acl",),
    "loopback IP configuration conflict": ("interface_brief", "route_table"),
    "blackhole route": _STATIC,
    "incorrect static route": _STATIC,
    "Layer 3 loop": _STATIC,
    "BGP configuration error": ("bgp_summary",),
    "OSPF configuration error": ("running_config",),
    "IP prefix list missing the corresponding user source IP address": ("prefix_list",),
}
"""Needs on the device itself, each enough by itself; the plainest first."""

_GIVEN_AWAY: dict[Need, tuple[Need, ...]] = {
    "interface_brief": ("interface_detail", "interface_counters", "interface_description", "running_config", "logs"),
    "route_table": ("route_lookup", "running_config"),
    "bgp_summary": ("bgp_peer", "running_config", "logs"),
}
"""What else shows on the same device what a need shows; the saved configuration always goes with the running one."""


def alternatives(triple: Triple, plan: FabricPlan) -> tuple[Evidence, ...]:
    """Sets of questions of which any is enough, the direct one first."""
    direct = [frozenset({Look(device=triple.node, need=need)}) for need in _DIRECT.get(triple.cause, ())]
    if triple.cause == "missing static route":
        brief = Look(device=triple.node, need="interface_brief")
        return tuple(frozenset({brief, Look(device=triple.node, need=need)}) for need in _STATIC)
    peer = peer_of(plan, triple)
    if peer is not None and triple.cause == "shutdown":
        return (*direct, frozenset({Look(device=peer.name, need="interface_brief")}))
    if peer is not None and triple.cause == "BGP configuration error":
        return (*direct, across(plan, triple.node, peer.name))
    return tuple(direct)


def across(plan: FabricPlan, node: str, peer: str) -> Evidence:
    """A session that is down at the peer, with everything in order that could end it but the node's configuration."""
    needs: list[tuple[str, Need]] = [(peer, "bgp_summary"), (peer, "interface_detail"), (node, "interface_detail")]
    if plan.lab is not None:
        needs += [(peer, "arp"), (node, "arp")]
    return frozenset(Look(device=device, need=need) for device, need in needs)


def peer_of(plan: FabricPlan, triple: Triple) -> Node | None:
    """The router at the other end of a triple's interface."""
    by_name = {node.name: node for node in plan.nodes}
    ports = {port.name: port for port in by_name[triple.node].interfaces}
    port = ports.get(triple.object)
    peer = by_name.get(port.peer.node) if port else None
    return peer if peer is not None and peer.is_switch else None


def denials(triple: Triple, plan: FabricPlan) -> Evidence | None:
    """What to deny so that only indirect evidence is left; None when there is none for this cause."""
    ways = alternatives(triple, plan)
    if len(ways) < 2:
        return None
    needs = {look.need for look in ways[0] if look.need in _GIVEN_AWAY and look not in ways[1]}
    everything = needs | {more for need in needs for more in _GIVEN_AWAY[need]}
    if "running_config" in everything:
        everything.add("saved_config")
    denied = frozenset(Look(device=triple.node, need=need) for need in everything)
    # Some indirect evidence of one cause is on the device itself; it has to stay.
    return denied - ways[1]


def smallest(ways: Sequence[Iterable[Evidence]], denied: Evidence) -> Evidence | None:
    """The smallest set of permitted questions that decides every cause; None when one can't be decided."""
    permitted = [[way for way in each if not way & denied] for each in ways]
    unions = (frozenset[Look]().union(*choice) for choice in product(*permitted))
    return min(unions, key=len, default=None)
