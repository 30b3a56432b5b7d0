"""AS numbers of a plan: valid, and shared only where BGP's loop check does no harm."""

from collections import defaultdict
from collections.abc import Iterator

from netopsbench.core.errors import Problem
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.fabric.queries import switches

RESERVED_ASNS = {
    0: "it is reserved",
    23456: "it stands for a 4-byte number",
    65535: "it is reserved",
    4_294_967_295: "it is reserved",
}
PRIVATE_ASNS = "64512 to 65534 or 4200000000 to 4294967294"


def check_routing(plan: FabricPlan) -> list[Problem]:
    """Mistakes in AS numbers and daemons."""
    return [*_present(plan), *check_asns(plan), *_shared(plan), *_daemons(plan)]


def _present(plan: FabricPlan) -> Iterator[Problem]:
    for node in switches(plan):
        if node.asn is None:
            yield Problem(plan.name, f"nodes.{node.name}.asn", "", f"a switch needs an AS number, {PRIVATE_ASNS}")


def check_asns(plan: FabricPlan) -> Iterator[Problem]:
    """AS numbers that can't be used."""
    for node in switches(plan):
        key = f"nodes.{node.name}.asn"
        if node.asn is not None and (node.asn in RESERVED_ASNS or not 0 < node.asn < 1 << 32):
            why = RESERVED_ASNS.get(node.asn, "there is no such number")
            yield Problem(plan.name, key, str(node.asn), f"{why}; use {PRIVATE_ASNS}")


def _shared(plan: FabricPlan) -> Iterator[Problem]:
    """A router refuses routes that passed its own AS number, so only interchangeable switches may share one.

    That is: same neighbours, not joined to each other, and no client prefixes of their own.
    """
    sharing: dict[int, list[Node]] = defaultdict(list)
    for node in switches(plan):
        if node.asn is not None:
            sharing[node.asn].append(node)
    for asn, members in sharing.items():
        first = members[0]
        for other in members[1:]:
            why = _conflict(first, other)
            if why:
                key = f"nodes.{other.name}.asn"
                yield Problem(plan.name, key, str(asn), f"{first.name} has it too and {why}; use another")


def _conflict(one: Node, other: Node) -> str:
    facing_one = {port.peer.node for port in one.interfaces}
    facing_other = {port.peer.node for port in other.interfaces}
    if other.name in facing_one:
        return "they are neighbours"
    if one.announces or other.announces:
        return "would refuse its client prefixes"
    if facing_one != facing_other:
        return "they have different neighbours, so that routes through one never reach the other"
    return ""


def _daemons(plan: FabricPlan) -> Iterator[Problem]:
    for node in switches(plan):
        if node.daemons[:1] != ("zebra",) or "bgpd" not in node.daemons:
            running = ", ".join(node.daemons)
            yield Problem(plan.name, f"nodes.{node.name}.daemons", running, "zebra first, and bgpd")
