"""Root causes in routing: static routes, loops, BGP and OSPF, prefix lists; and address translation at an edge."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.faults.contract import configure, vtysh
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import (
    Broken,
    Facing,
    Sight,
    address_of,
    between_routers,
    far_hosts,
    firsts,
    kernel_route,
    lost,
    one_of,
    run,
    touched,
    towards_hosts,
)
from netopsbench.rca.network.design import Design, static_routes

_LISTS = ("ADVERTISED", "CUSTOMERS", "EXPORTED", "LOCAL-NETS", "OUR-NETS", "SITE-NETS", "USERS")
"""Name of the prefix list that lacks somebody."""
_SLOW_HELLO_S = 9
_NAT_RIGHT = 'oifname "{port}" meta mark 1 masquerade'


def blackholes(plan: FabricPlan) -> Iterator[Broken]:
    """A static route discards what goes to a remote host or its network."""
    for node in _with(plan, "staticd"):
        for host in far_hosts(plan, node):
            # Where other static routes lead to the network, only a longer prefix wins.
            whole = host.interfaces[0].address.network
            target = IPv4Network(address_of(host)) if static_routes(plan, node) else whole
            line = f"ip route {target} Null0"
            yield Broken(
                triple=Triple(node=node.name, object=str(target), cause="blackhole route"),
                do=(configure(node.name, line),),
                undo=(configure(node.name, f"no {line}"),),
                sights=(kernel_route(node.name, target, "^blackhole"),),
                touches=touched(node, host),
            )


def missing_routes(plan: FabricPlan) -> Iterator[Broken]:
    """A static route that the design has is not there."""
    for node in _with(plan, "staticd"):
        for prefix, gateway in static_routes(plan, node):
            line = f"ip route {prefix} {gateway}"
            yield Broken(
                triple=Triple(node=node.name, object=str(prefix), cause="missing static route"),
                do=(configure(node.name, f"no {line}"),),
                undo=(configure(node.name, line),),
                sights=(
                    Sight(
                        node=node.name,
                        argv=("ip", "route", "show", "default" if prefix.prefixlen == 0 else str(prefix)),
                        shows="via",
                        is_shown=False,
                    ),
                ),
                touches=touched(node),
            )


def wrong_routes(plan: FabricPlan) -> Iterator[Broken]:
    """A static route sends what goes to a remote host to a host of the router's own."""
    for each in firsts(towards_hosts(plan)):
        if "staticd" not in each.node.daemons:
            continue
        for host in far_hosts(plan, each.node):
            yield _static(each.node, host, each.peer, "incorrect static route")


def loops(plan: FabricPlan) -> Iterator[Broken]:
    """A static route sends what goes to a host to a router whose only way leads back."""
    design = Design(plan)
    for each in between_routers(plan):
        if "staticd" not in each.node.daemons:
            continue
        for host in plan.nodes:
            if not host.is_switch and design.only_way(each.peer.name, host.name) == each.node.name:
                yield _static(each.node, host, each.peer, "Layer 3 loop", str(each.peer_port.address.ip))


def _static(node: Node, host: Node, via: Node, cause: str, gateway: str = "") -> Broken:
    target, hop = IPv4Network(address_of(host)), gateway or str(address_of(via))
    line = f"ip route {target} {hop}"
    return Broken(
        triple=Triple(node=node.name, object=str(target), cause=cause),
        do=(configure(node.name, line),),
        undo=(configure(node.name, f"no {line}"),),
        sights=(kernel_route(node.name, target, rf"via {hop} "),),
        touches=touched(node, host, via),
    )


def wrong_bgp_neighbors(plan: FabricPlan) -> Iterator[Broken]:
    """A neighbor has a wrong AS number."""
    for each in between_routers(plan):
        if each.node.asn is None or each.peer.asn is None:
            continue
        router, neighbor = f"router bgp {each.node.asn}", f"neighbor {each.peer_port.address.ip} remote-as"
        here = each.port.address.ip
        yield Broken(
            triple=_triple(each, "BGP configuration error"),
            do=(configure(each.node.name, router, f"{neighbor} {each.peer.asn + 100}"),),
            undo=(
                configure(each.node.name, router, f"{neighbor} {each.peer.asn}"),
                vtysh(each.peer.name, f"clear bgp ipv4 unicast {here}"),
            ),
            sights=(
                Sight(
                    node=each.peer.name,
                    argv=("vtysh", "-c", f"show bgp neighbors {here}"),
                    # Of a session that was mended the complaint may still stand there.
                    shows=r"(?s)BGP state = (?!Established).*Bad Peer AS",
                ),
            ),
            touches=touched(each.node, each.peer),
        )


def short_prefix_lists(plan: FabricPlan) -> Iterator[Broken]:
    """What a router announces passes a prefix list that lacks one of its networks."""
    for at in towards_hosts(plan):
        sessions = [each for each in between_routers(plan) if each.node.name == at.node.name and each.peer.asn]
        if at.node.asn is None or not sessions or at.node.loopback is None:
            continue
        prefix = at.port.address.network
        name = one_of(_LISTS, plan.name, at.node.name)
        others = [port.address.network for port in at.node.interfaces if port.address.network != prefix]
        allowed = [f"{at.node.loopback}/32", *map(str, others)]
        rows = [f"ip prefix-list {name} seq {5 * i} permit {each}" for i, each in enumerate(allowed, start=1)]
        uses = [f"neighbor {each.peer_port.address.ip} prefix-list {name} out" for each in sessions]
        router = (f"router bgp {at.node.asn}", "address-family ipv4 unicast")
        again = vtysh(at.node.name, "clear bgp ipv4 unicast * soft out")
        yield Broken(
            triple=Triple(
                node=at.node.name,
                object=name,
                cause="IP prefix list missing the corresponding user source IP address",
            ),
            do=(configure(at.node.name, *rows), configure(at.node.name, *router, *uses), again),
            undo=(
                configure(at.node.name, *router, *(f"no {use}" for use in uses)),
                configure(at.node.name, f"no ip prefix-list {name}"),
                again,
            ),
            sights=(
                Sight(
                    node=sessions[0].peer.name,
                    argv=("ip", "route", "show", str(prefix)),
                    shows=rf"via {sessions[0].port.address.ip} ",
                    is_shown=False,
                ),
            ),
            touches=touched(at.node, at.peer),
        )


def wrong_ospf(plan: FabricPlan) -> Iterator[Broken]:
    """OSPF is passive at a link between routers, or its hellos come at another pace than the neighbour's."""
    for number, each in enumerate(between_routers(plan)):
        if "ospfd" not in each.node.daemons or "ospfd" not in each.peer.daemons:
            continue
        port = f"interface {each.port.name}"
        passive = ("router ospf", f"passive-interface {each.port.name}")
        do, undo = (
            (configure(each.node.name, *passive), configure(each.node.name, passive[0], f"no {passive[1]}"))
            if number % 2
            else (
                configure(each.node.name, port, f"ip ospf hello-interval {_SLOW_HELLO_S}"),
                configure(each.node.name, port, "ip ospf hello-interval 1"),
            )
        )
        yield Broken(
            triple=_triple(each, "OSPF configuration error"),
            do=(do,),
            undo=(undo,),
            sights=(
                Sight(
                    node=each.peer.name,
                    argv=("vtysh", "-c", "show ip ospf neighbor"),
                    shows=rf"Full.*{each.port.address.ip} ",
                    is_shown=False,
                ),
            ),
            touches=touched(each.node, each.peer),
        )


def wrong_nat(plan: FabricPlan) -> Iterator[Broken]:
    """An edge router's outer or inner port isn't bound to address translation; only the lab with an edge has it."""
    for node in plan.nodes:
        config = plan.lab.files.get(node.name, {}).get("nftables.conf", "") if plan.lab else ""
        if "masquerade" not in config:
            continue
        outer = next(port for port in node.interfaces if _NAT_RIGHT.format(port=port.name) in config)
        inner = [each for each in towards_hosts(plan) if each.node.name == node.name]
        for each in inner:
            label = "NAT internal interface attribute misconfiguration or missing configuration"
            rest = [port.port.name for port in inner if port.port.name != each.port.name]
            yield _nat(plan, each, Triple(node=node.name, object=each.port.name, cause=label), _marks(rest), inner)
        label = "NAT external interface attribute misconfiguration or missing configuration"
        wrong = f"flush chain ip nat postrouting\nadd rule ip nat postrouting {_NAT_RIGHT.format(port='eth9')}\n"
        outside = Triple(node=node.name, object=outer.name, cause=label)
        for do in (wrong, "flush chain ip nat postrouting\n"):
            broken = _nat(plan, inner[0], outside, do, inner)
            right = (
                f"flush chain ip nat postrouting\nadd rule ip nat postrouting {_NAT_RIGHT.format(port=outer.name)}\n"
            )
            yield broken.model_copy(update={"undo": (run(node.name, "nft", "-f", "-", stdin=right),)})


def _nat(plan: FabricPlan, at: Facing, triple: Triple, rules: str, inner: list[Facing]) -> Broken:
    node = at.node
    return Broken(
        triple=triple,
        do=(run(node.name, "nft", "-f", "-", stdin=rules),),
        undo=(run(node.name, "nft", "-f", "-", stdin=_marks([each.port.name for each in inner])),),
        sights=(lost(at.peer.name, address_of(far_hosts(plan, node)[0])),),
        touches=touched(node, at.peer),
    )


def _marks(ports: list[str]) -> str:
    rules = "".join(f'add rule ip filter forward iifname "{port}" meta mark set 1\n' for port in ports)
    return f"flush chain ip filter forward\n{rules}"


def _with(plan: FabricPlan, daemon: str) -> list[Node]:
    return [node for node in plan.nodes if daemon in node.daemons]


def _triple(at: Facing, cause: str) -> Triple:
    return Triple(node=at.node.name, object=at.port.name, cause=cause)
