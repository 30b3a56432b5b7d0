"""Root causes at a port: down, full, wrong MTU, address, MAC address or ARP entry, a filter, a double."""

from collections.abc import Iterator

from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.contract import Step, configure
from netopsbench.faults.mtu_mismatch import forget_paths
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import (
    LOOPBACK,
    Broken,
    Facing,
    Sight,
    address_of,
    between_routers,
    does_reach,
    facing,
    far_hosts,
    lost,
    one_of,
    routers,
    run,
    touched,
    towards_hosts,
    unused_network,
    without_rule,
)
from netopsbench.rca.network.design import Design

_SMALL_MTUS = (1280, 1300, 1350, 1380, 1400, 1420, 1436, 1440, 1450, 1460)
_OUIS = ("00:0c:29", "00:15:5d", "00:16:3e", "00:1b:21", "00:50:56", "08:00:27", "52:54:00")
_BANDWIDTH = ("tbf", "rate", "1mbit", "burst", "16kb", "latency", "300ms")
_LOAD = """\
[ -e /run/load.pid ] && exit
ping -q -l 100 -i 0.004 -s 1200 {target} >/dev/null 2>&1 &
echo $! > /run/load.pid
"""
"""More than twice the bandwidth; without the packets sent ahead, ping waits for answers and fills nothing."""
_NO_LOAD = '[ ! -e /run/load.pid ] || { kill "$(cat /run/load.pid)"; rm /run/load.pid; }'
_FEW_PINGS = ("ping", "-n", "-c", "5", "-i", "0.2", "-W", "1")
_SLOW_OR_LOST = r"time=\d{3,}|[1-9]\d*% packet loss"
"""A queue of 300 ms that is always full."""


def shutdowns(plan: FabricPlan) -> Iterator[Broken]:
    """A port is shut down."""
    for each in facing(plan):
        here = f"interface {each.port.name}"
        yield Broken(
            triple=_triple(each, "shutdown"),
            do=(configure(each.node.name, here, "shutdown"),),
            undo=(configure(each.node.name, here, "no shutdown"),),
            sights=(
                Sight(
                    node=each.peer.name,
                    argv=("ip", "-o", "link", "show", "dev", each.peer_port.name),
                    shows="NO-CARRIER",
                ),
            ),
            touches=touched(each.node, each.peer),
        )


def small_mtus(plan: FabricPlan) -> Iterator[Broken]:
    """A port's MTU is smaller than its link's."""
    for each in between_routers(plan):
        set_to = ("ip", "link", "set", "dev", each.port.name, "mtu")
        small = one_of([mtu for mtu in _SMALL_MTUS if mtu < each.port.mtu], plan.name, each.at)
        yield Broken(
            triple=_triple(each, "MTU value misconfiguration"),
            do=(run(each.node.name, *set_to, str(small)),),
            # Whoever sent something large remembers for ten minutes how little got through.
            undo=(run(each.node.name, *set_to, str(each.port.mtu)), forget_paths(plan, each.node.name, each.peer.name)),
            sights=(
                Sight(
                    node=each.node.name,
                    argv=("ip", "-o", "link", "show", "dev", each.port.name),
                    shows=f"mtu {small} ",
                ),
            ),
            touches=touched(each.node, each.peer),
        )


def wrong_addresses(plan: FabricPlan) -> Iterator[Broken]:
    """A port has an address in a network of its own instead of its link's."""
    for each in between_routers(plan):
        if "eigrpd" in (*each.node.daemons, *each.peer.daemons):
            # eigrpd 8.4 doesn't find its neighbour again when the address is back.
            continue
        right, here = each.port.address, f"interface {each.port.name}"
        wrong = unused_network(plan, right)
        # Never without an address: the kernel would forget the port's permanent neighbours.
        yield Broken(
            triple=_triple(each, "interface IP error"),
            do=(configure(each.node.name, here, f"ip address {wrong}", f"no ip address {right}"),),
            undo=(configure(each.node.name, here, f"ip address {right}", f"no ip address {wrong}"),),
            sights=(lost(each.peer.name, right.ip),),
            touches=touched(each.node, each.peer),
        )


def wrong_macs(plan: FabricPlan) -> Iterator[Broken]:
    """A port has another MAC address than its neighbours are configured for; labs learn theirs, so there it heals."""
    for each in between_routers(plan) if plan.lab is None else ():
        set_to = ("ip", "link", "set", "dev", each.port.name, "address")
        # With its old address a port forgets its permanent neighbours; those that it learns in their place
        # would follow a neighbour to a wrong address.
        known = _written(each, each.peer_port.mac, "permanent")
        yield Broken(
            triple=_triple(each, "MAC address configuration error"),
            do=(run(each.node.name, *set_to, _wrong_mac(plan, each)), known),
            undo=(run(each.node.name, *set_to, each.port.mac), known),
            sights=(lost(each.peer.name, each.port.address.ip),),
            touches=touched(each.node, each.peer),
        )


def wrong_arp(plan: FabricPlan) -> Iterator[Broken]:
    """A static ARP entry holds a MAC address that the neighbour doesn't have; only labs have dynamic entries."""
    for each in facing(plan) if plan.lab is not None else ():
        yield Broken(
            triple=_triple(each, "ARP configuration error"),
            do=(_written(each, _wrong_mac(plan, each), "permanent"),),
            undo=(_written(each, each.peer_port.mac, "reachable"),),
            sights=(lost(each.node.name, each.peer_port.address.ip),),
            touches=touched(each.node, each.peer),
        )


def refusing_policies(plan: FabricPlan) -> Iterator[Broken]:
    """A filter on a host's port drops what the host sends."""
    for each in towards_hosts(plan):
        far = [host for host in far_hosts(plan, each.node) if does_reach(plan, each.peer.name, host.name)]
        if not far:
            continue
        # Fabrics and labs have this chain, with rules about services of hosts.
        rule = f'iifname "{each.port.name}" ip saddr {each.port.address.network}'
        added = f"add rule ip filter forward {rule} counter drop\n"
        yield Broken(
            triple=_triple(each, "security policy rule does not permit the corresponding user"),
            do=(run(each.node.name, "nft", "-f", "-", stdin=added),),
            undo=(without_rule(each.node.name, "ip filter forward", f"{rule} counter .* drop"),),
            sights=(lost(each.peer.name, address_of(far[0])),),
            touches=touched(each.node, each.peer),
        )


def full_ports(plan: FabricPlan) -> Iterator[Broken]:
    """More is sent through a host's port than the port's bandwidth; on ways without other trouble only."""
    design = Design(plan)
    for each in towards_hosts(plan):
        distances = design.distances(each.peer.name)
        senders = [host for host in far_hosts(plan, each.node) if does_reach(plan, host.name, each.peer.name)]
        senders = [host for host in senders if host.name in distances]
        if not senders:
            continue
        sender = min(senders, key=lambda host: (distances[host.name], host.name))
        on_the_way = {hop.node for path in design.paths(sender.name, each.peer.name) for hop in path.hops}
        target, device = str(address_of(each.peer)), each.port.name
        yield Broken(
            triple=_triple(each, "traffic congestion occupying port bandwidth"),
            do=(
                run(each.node.name, "tc", "qdisc", "replace", "dev", device, "root", *_BANDWIDTH),
                run(sender.name, "sh", "-c", _LOAD.format(target=target)),
            ),
            undo=(
                run(sender.name, "sh", "-c", _NO_LOAD),
                run(each.node.name, "tc", "qdisc", "del", "dev", device, "root").model_copy(
                    update={"done_already": "handle of zero"}
                ),
            ),
            sights=(Sight(node=sender.name, argv=(*_FEW_PINGS, target), shows=_SLOW_OR_LOST),),
            touches=tuple(sorted({*on_the_way, each.node.name, each.peer.name, sender.name})),
        )


def double_loopbacks(plan: FabricPlan) -> Iterator[Broken]:
    """A router has another one's loopback address beside its own."""
    having = [node for node in routers(plan) if node.loopback is not None]
    for node, owner in zip(having, [*having[1:], *having[:1]], strict=True):
        address = f"ip address {owner.loopback}/32"
        yield Broken(
            triple=Triple(node=node.name, object=LOOPBACK, cause="loopback IP configuration conflict"),
            do=(configure(node.name, f"interface {LOOPBACK}", address),),
            undo=(configure(node.name, f"interface {LOOPBACK}", f"no {address}"),),
            sights=(
                Sight(
                    node=node.name,
                    argv=("ip", "-o", "addr", "show", "dev", LOOPBACK),
                    shows=rf"inet {owner.loopback}/32",
                ),
            ),
            touches=touched(node, owner),
        )


def _written(at: Facing, mac: str, state: str) -> Step:
    """The command that writes the ARP entry of what is plugged into a port."""
    target = str(at.peer_port.address.ip)
    return run(at.node.name, "ip", "neigh", "replace", target, "lladdr", mac, "dev", at.port.name, "nud", state)


def _wrong_mac(plan: FabricPlan, at: Facing) -> str:
    """A hardware address that no device of the network has, of another maker."""
    own = [one_of(range(256), plan.name, at.at, str(place)) for place in range(3)]
    return ":".join([one_of(_OUIS, plan.name, at.at), *(f"{byte:02x}" for byte in own)])


def _triple(at: Facing, cause: str) -> Triple:
    return Triple(node=at.node.name, object=at.port.name, cause=cause)
