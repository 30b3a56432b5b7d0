"""acl_misconfig: a packet filter on a port drops the traffic from or to a client of the switch."""

from collections.abc import Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    Change,
    Effect,
    Endpoint,
    PathClaim,
    ReadBack,
    RouteClaim,
    Step,
    kept,
    lost,
    unanswered,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import AclMisconfig

_DELETE = """\
nft -a list chain ip filter forward | sed -n "s/^[[:space:]]*$1 counter .* drop # handle //p" |
while read -r handle; do nft delete rule ip filter forward handle "$handle" || exit 1; done
"""
"""Rules can only be deleted by a number that the switch gave them."""


def change(fault: AclMisconfig, plan: FabricPlan) -> Change:
    """Add the rule, and prove that it drops while every route is as it should be.

    Raises SpecError when the port is no switch's, or the prefix not that of a client behind it or beside it.
    """
    node, port, client = _checked(fault, plan)
    # Towards the client the address is the destination: out of its own port, but into an uplink.
    is_to_client = (fault.variant == "out") == (port.peer.node == client.name)
    side = "oifname" if fault.variant == "out" else "iifname"
    rule = f'{side} "{port.name}" ip {"daddr" if is_to_client else "saddr"} {fault.prefix}'
    delete = Step(where=node.name, argv=("sh", "-c", _DELETE, "sh", rule.replace("/", r"\/")))
    add = Step(where=node.name, argv=("nft", "-f", "-"), stdin=f"add rule ip filter forward {rule} counter drop\n")
    return Change(
        # Nothing is deleted unless the rule was there: making the fault twice leaves one rule.
        do=(delete, add),
        undo=(delete,),
        read_back=(ReadBack(where=node.name, argv=("nft", "list", "chain", "ip", "filter", "forward"), shows=rule),),
        effect=Effect(
            routes=(RouteClaim(node=node.name, prefix=fault.prefix, type="unicast", via=("", _facing(client))),),
            sessions=places.all_up(plan, node),
            paths=_at_client_port(plan, node, client, is_to_client)
            if port.peer.node == client.name
            else _at_uplink(plan, node, port, client, is_to_client),
        ),
        place=Location(device=node.name, interface=port.name),
        needs=("nft",),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """Client ports with the client's prefix; for `uplink`, uplinks with each of the switch's client prefixes."""
    mine = queries.clients_of(plan, node.name)
    prefixes = [str(client.interfaces[0].address.network) for client in mine]
    if role == "uplink":
        uplinks = places.ports_of(plan, node, "uplink")
        return tuple({"at": f"{node.name}:{port.name}", "prefix": prefix} for port in uplinks for prefix in prefixes)
    return tuple(
        {"at": f"{node.name}:{_facing(client)}", "prefix": prefix}
        for client, prefix in zip(mine, prefixes, strict=True)
    )


def _facing(client: Node) -> str:
    return client.interfaces[0].peer.interface


def _checked(fault: AclMisconfig, plan: FabricPlan) -> tuple[Node, Interface, Node]:
    port = places.interface(plan, fault.at, "at")
    node = queries.node(plan, fault.at.node)
    mine = {client.interfaces[0].address.network: client for client in queries.clients_of(plan, node.name)}
    behind = next((network for network, client in mine.items() if client.name == port.peer.node), None)
    if fault.prefix not in mine or behind not in (None, fault.prefix):
        wanted = f"the prefix of a client of {node.name}: {', '.join(map(str, mine)) or 'it has none'}"
        if behind is not None:
            wanted = f"{behind}, the prefix of the client at {fault.at}"
        raise SpecError([Problem(places.SOURCE, "prefix", str(fault.prefix), wanted)])
    return node, port, mine[fault.prefix]


def _at_client_port(plan: FabricPlan, node: Node, client: Node, is_to_client: bool) -> tuple[PathClaim, ...]:
    """The client is cut off from everybody but its switch; others of the rack are not."""
    here = places.at_client(client)
    others = places.other_clients(plan, node)
    mates = [mate for mate in queries.clients_of(plan, node.name) if mate.name != client.name]
    far = [places.at_client(other) for other in (*others[:1], *mates[:1])]
    paths = [claim for there in far for claim in _dropped(here, there, is_to_client)]
    paths.append(kept(here, places.at_loopback(node)))
    paths += [kept(places.at_client(mate), places.at_client(other)) for mate in mates[:1] for other in others[:1]]
    return tuple(paths)


def _dropped(here: Endpoint, there: Endpoint, is_to_client: bool) -> tuple[PathClaim, PathClaim]:
    if is_to_client:
        return lost(there, here), unanswered(here, there)
    return lost(here, there), unanswered(there, here)


def _at_uplink(
    plan: FabricPlan, node: Node, port: Interface, client: Node, is_to_client: bool
) -> tuple[PathClaim, ...]:
    """What takes this uplink is dropped, in one direction; a switch behind it sees nothing else."""
    peer, far = places.peer_of(plan, port)
    here, beyond = places.at_client(client), places.at_port(peer.name, far)
    paths = [*_dropped(here, beyond, is_to_client), kept(beyond, places.at_port(node.name, port))]
    mates = [mate for mate in queries.clients_of(plan, node.name) if mate.name != client.name]
    paths += [kept(places.at_client(mate), beyond) for mate in mates[:1]]
    others = [places.at_client(other) for other in places.other_clients(plan, node)[:1]]
    uplinks = len(places.ports_of(plan, node, "uplink"))
    for there in others if 1 < uplinks <= places.MOST_WAYS else ():
        out, back = (there, here) if is_to_client else (here, there)
        paths.append(places.partly(out, back, among=uplinks))
        paths.append(places.partly(back, out, among=uplinks, is_reply_only=True))
    return tuple(paths)
