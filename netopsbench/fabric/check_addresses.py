"""Addresses of a plan: unique, inside their prefixes, and prefixes apart from each other."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from netopsbench.core.errors import Problem
from netopsbench.fabric.plan import FabricPlan, Interface
from netopsbench.records.names import Port

UNUSABLE = tuple(IPv4Network(text) for text in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"))
"""Networks that hosts refuse as their own or that never leave a link."""

MTU_LIMITS = (1280, 9216)


def check_addresses(plan: FabricPlan) -> list[Problem]:
    """Mistakes in addresses, loopbacks (which are router ids), MACs, prefixes, MTUs and link ends."""
    return [
        *_ends(plan),
        *_inside(plan),
        *_once(plan),
        *_apart(plan),
        *(_originated(plan) if plan.lab is None else ()),
        *_mtus(plan),
    ]


def _ports(plan: FabricPlan) -> dict[Port, Interface]:
    return {Port(node=node.name, interface=port.name): port for node in plan.nodes for port in node.interfaces}


def _ends(plan: FabricPlan) -> Iterator[Problem]:
    """Every link joins two ports that name it and each other; no port has two links."""
    ports, plugged = _ports(plan), dict[Port, str]()
    bridges = {segment.name for segment in plan.lab.segments} if plan.lab else set()
    for link in plan.links:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            key = f"links.{link.id}"
            if here.node in bridges:
                continue
            port = ports.get(here)
            if port is None:
                yield Problem(plan.name, key, str(here), "there is no such port")
            elif port.link != link.id or port.peer != there:
                yield Problem(plan.name, key, str(here), f"this port says it goes to {port.peer} by {port.link}")
            if here in plugged:
                yield Problem(plan.name, key, str(here), f"this port already has the link {plugged[here]}")
            plugged[here] = link.id
        if link.a.node == link.b.node:
            yield Problem(plan.name, f"links.{link.id}", link.a.node, "a link joins two different nodes")
    for lone in ports.keys() - plugged.keys():
        yield Problem(plan.name, f"nodes.{lone.node}", str(lone), "this port has no link; leave it out")


def _inside(plan: FabricPlan) -> Iterator[Problem]:
    """Every address belongs to its link's prefix and can be a host's."""
    prefixes = {link.id: link.prefix for link in plan.links}
    for at, port in _ports(plan).items():
        key, address = f"nodes.{at.node}.interfaces.{at.interface}", port.address
        prefix = prefixes.get(port.link, address.network)
        if address.network != prefix:
            yield Problem(plan.name, key, str(address), f"use an address of {prefix}, the prefix of {port.link}")
        elif prefix.prefixlen < 31 and address.ip in (prefix.network_address, prefix.broadcast_address):
            yield Problem(plan.name, key, str(address), f"use a host's address of {prefix}")
        yield from _usable(plan, key, address.ip)
    for node in plan.nodes:
        if node.loopback is not None:
            yield from _usable(plan, f"nodes.{node.name}.loopback", node.loopback)


def _usable(plan: FabricPlan, key: str, address: IPv4Address) -> Iterator[Problem]:
    for network in UNUSABLE:
        if address in network:
            yield Problem(plan.name, key, str(address), f"no node can have an address of {network}")


def _once(plan: FabricPlan) -> Iterator[Problem]:
    """No address, router id or MAC twice."""
    owners: dict[object, str] = {}
    for node in plan.nodes:
        held: list[tuple[str, object]] = [(f"nodes.{node.name}.loopback", node.loopback)]
        for port in node.interfaces:
            held.append((f"nodes.{node.name}.interfaces.{port.name}", port.address.ip))
            held.append((f"nodes.{node.name}.interfaces.{port.name}.mac", port.mac))
        if node.is_switch and node.loopback is None and plan.lab is None:
            yield Problem(plan.name, f"nodes.{node.name}.loopback", "", "a switch needs one")
        for key, value in held:
            if value is not None and value in owners:
                yield Problem(plan.name, key, str(value), f"{owners[value]} has it already")
            owners.setdefault(value, key)


def _apart(plan: FabricPlan) -> Iterator[Problem]:
    """No two prefixes overlap: of links, loopbacks and the management pool."""
    placed = [(link.prefix, f"links.{link.id}.prefix") for link in plan.links if link.kind != "lan"]
    placed += [(each.prefix, f"segments.{each.name}") for each in (plan.lab.segments if plan.lab else ())]
    placed += [(prefix, f"cabled.{name}") for name, prefix in (plan.lab.cabled.items() if plan.lab else ())]
    placed += [
        (IPv4Network(node.loopback), f"nodes.{node.name}.loopback") for node in plan.nodes if node.loopback is not None
    ]
    placed.append((plan.pools.management, "pools.management"))
    placed.sort(key=lambda entry: (int(entry[0].network_address), entry[0].prefixlen))
    # Sorted by their first address, a prefix overlaps some earlier one only if it overlaps the widest.
    widest, widest_key = placed[0]
    for prefix, key in placed[1:]:
        same_loopback = prefix.prefixlen == 32 and prefix == widest
        if prefix.network_address <= widest.broadcast_address and not same_loopback:
            yield Problem(plan.name, key, str(prefix), f"it overlaps {widest} of {widest_key}; keep them apart")
        if prefix.broadcast_address > widest.broadcast_address:
            widest, widest_key = prefix, key


def _originated(plan: FabricPlan) -> Iterator[Problem]:
    """A client's prefix is announced by its own switch and nobody else."""
    attached = {
        link.prefix: link.a.node if by_role[link.a.node] else link.b.node
        for by_role in [{node.name: node.is_switch for node in plan.nodes}]
        for link in plan.links
        if link.kind == "client" and link.a.node in by_role and link.b.node in by_role
    }
    announced = {(prefix, node.name) for node in plan.nodes for prefix in node.announces}
    for prefix, switch in attached.items():
        if (prefix, switch) not in announced:
            yield Problem(plan.name, f"nodes.{switch}.announces", str(prefix), "announce this client prefix")
    for prefix, switch in sorted(announced, key=str):
        if attached.get(prefix) != switch:
            yield Problem(plan.name, f"nodes.{switch}.announces", str(prefix), "no client of this switch has it")


def _mtus(plan: FabricPlan) -> Iterator[Problem]:
    """Both ends of a link agree with it, within what can be carried."""
    by_link = {link.id: link.mtu for link in plan.links}
    least, most = MTU_LIMITS
    for link in plan.links:
        if not least <= link.mtu <= most:
            yield Problem(plan.name, f"links.{link.id}.mtu", str(link.mtu), f"use {least} to {most}")
    for at, port in _ports(plan).items():
        if port.mtu != by_link.get(port.link, port.mtu):
            key = f"nodes.{at.node}.interfaces.{at.interface}.mtu"
            yield Problem(plan.name, key, str(port.mtu), f"use {by_link[port.link]}, the MTU of {port.link}")
