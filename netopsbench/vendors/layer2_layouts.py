"""How vendors lay out queues, spanning tree, VXLANs and VRRP groups."""

from collections.abc import Callable, Sequence

from netopsbench.vendors import layer2 as l2
from netopsbench.vendors.command import View
from netopsbench.vendors.layout import NOT_KNOWN, columns, mac_dashes, mac_dots, told

_SHORT_STATES = {
    "forwarding": "FORWARDING",
    "blocking": "DISCARDING",
    "listening": "DISCARDING",
    "learning": "LEARNING",
    "disabled": "DISCARDING",
}
_VRP_ROLES: dict[l2.PortRole, str] = {"root": "ROOT", "designated": "DESI", "alternate": "ALTE"}
_IOS_ROLES: dict[l2.PortRole, str] = {"root": "Root", "designated": "Desg", "alternate": "Altn"}
_IOS_STATES = {"forwarding": "FWD", "blocking": "BLK", "listening": "LIS", "learning": "LRN", "disabled": "DIS"}


def queues(heads: Sequence[str]) -> Callable[[l2.PortQueues, View], str]:
    """Seven headings of a vendor: interface, limit, packets and octets passed, dropped, waiting."""

    def laid_out(facts: l2.PortQueues, view: View) -> str:
        asked = view.arguments.get("interface")
        rows: list[tuple[object, ...]] = [tuple(heads)]
        for each in facts.queues:
            if asked in (None, each.interface):
                passed = (each.packets, each.octets, each.dropped, each.waiting_octets)
                rows.append((view.names.of(each.interface), told(each.limit_kbps), *passed))
        return "\n".join(columns(rows, (24, -14, -16, -16, -16, -16)))

    return laid_out


def _parted(identity: str) -> tuple[int, str]:
    """Priority and hardware address out of `1000.2:4e:0:4:0:1`."""
    priority, _, address = identity.partition(".")
    digits = ":".join(part.zfill(2) for part in address.split(":"))
    return int(priority or "0", 16), digits


def vrp_spanning_tree(facts: l2.Bridges, view: View) -> str:
    """`display stp`: what holds for the bridge, then its ports."""
    lines: list[str] = []
    for bridge in facts.bridges:
        if not bridge.has_spanning_tree:
            lines += [f" Protocol Status        :Disabled  ({bridge.name})"]
            continue
        (own, address), (root, root_address) = _parted(bridge.id), _parted(bridge.root)
        lines += [
            "-------[CIST Global Info][Mode STP]-------",
            f"CIST Bridge            :{own:<5}.{mac_dashes(address)}",
            f"CIST Root/ERPC         :{root:<5}.{mac_dashes(root_address)} / {bridge.root_cost}",
            "",
            *_vrp_ports(bridge, view),
        ]
    return "\n".join(lines) or " Protocol Status        :Disabled"


def _vrp_ports(bridge: l2.Bridge, view: View) -> list[str]:
    rows: list[tuple[object, ...]] = [(" MSTID", "Port", "Role", "STP State", "Protection")]
    for port in bridge.ports:
        state = "DISABLED (BPDU filter)" if port.is_filtered else _SHORT_STATES.get(port.state, port.state.upper())
        rows.append(("   0", view.names.of(port.interface), _VRP_ROLES[port.role], state, NOT_KNOWN))
    return columns(rows, (8, 28, 6, 24, 1))


def ios_spanning_tree(facts: l2.Bridges, view: View) -> str:
    """`show spanning-tree`: root, bridge, then the ports."""
    lines: list[str] = []
    for bridge in facts.bridges:
        if not bridge.has_spanning_tree:
            lines += [bridge.name, "  Spanning tree is disabled", ""]
            continue
        (own, address), (root, root_address) = _parted(bridge.id), _parted(bridge.root)
        rows: list[tuple[object, ...]] = [("Interface", "Role", "Sts", "Cost", "Prio.Nbr", "Type")]
        for port in bridge.ports:
            kind = "BPDU filter enabled" if port.is_filtered else "P2p"
            standing = (_IOS_ROLES[port.role], _IOS_STATES.get(port.state, port.state), port.cost)
            rows.append((view.names.brief(port.interface), *standing, f"{port.priority}.{port.number}", kind))
        lines += [
            bridge.name,
            "  Spanning tree enabled protocol ieee",
            f"  Root ID    Priority    {root}",
            f"             Address     {mac_dots(root_address)}",
            "             This bridge is the root"
            if bridge.root == bridge.id
            else f"             Cost        {bridge.root_cost}",
            f"  Bridge ID  Priority    {own}",
            f"             Address     {mac_dots(address)}",
            "",
            *columns(rows, (18, 5, 4, 10, 9, 1)),
            "",
        ]
    return "\n".join(lines).rstrip() or "No spanning tree instances exist."


def linux_spanning_tree(facts: l2.Bridges, view: View) -> str:
    """`brctl showstp`; what a packet filter keeps from a port is shown by that filter alone."""
    if not facts.bridges:
        return "bridge br0 does not exist!"
    lines: list[str] = []
    for bridge in facts.bridges:
        lines += [bridge.name, f" bridge id\t\t{bridge.id}", f" designated root\t{bridge.root}"]
        lines += [
            f" path cost\t\t{bridge.root_cost}",
            f" stp enabled\t\t{'yes' if bridge.has_spanning_tree else 'no'}",
            "",
        ]
        for port in bridge.ports:
            lines += [
                f"{port.interface} ({port.number})",
                f" state\t\t\t{port.state}",
                f" designated root\t{port.root}",
                f" designated bridge\t{port.designated_bridge}",
                f" path cost\t\t{port.cost}",
                "",
            ]
    return "\n".join(lines).rstrip()


def tunnels(heads: Sequence[str]) -> Callable[[l2.Tunnels, View], str]:
    """Six headings of a vendor: VNI, interface, source, UDP port, bridge, peers."""

    def laid_out(facts: l2.Tunnels, view: View) -> str:
        rows: list[tuple[object, ...]] = [tuple(heads)]
        for each in facts.tunnels:
            peers = ",".join(each.remotes) or NOT_KNOWN
            rows.append((each.vni, each.interface, each.local, each.port, told(each.bridge), peers))
        return "\n".join(columns(rows, (10, 12, 18, 10, 14, 1)))

    return laid_out


def vrp_standby(facts: l2.StandbyGroups, view: View) -> str:
    """`display vrrp` in one line for each group."""
    rows: list[tuple[object, ...]] = [("VRID", "State", "Interface", "Run-Pri", "Adver(ms)", "Virtual IP")]
    for each in facts.groups:
        address = ",".join(each.addresses)
        rows.append((each.group, each.state, view.names.of(each.interface), each.priority, each.every_ms, address))
    counted = {state: sum(group.state == state for group in facts.groups) for state in ("Master", "Backup")}
    foot = f"Total:{len(facts.groups)}     Master:{counted['Master']}     Backup:{counted['Backup']}"
    return "\n".join([*columns(rows, (6, 13, 25, 9, 11, 1)), "-" * 64, foot])


def ios_standby(facts: l2.StandbyGroups, view: View) -> str:
    """`show vrrp` in one line for each group."""
    rows: list[tuple[object, ...]] = [("Interface", "Grp", "Pri", "Time", "State", "Own addr", "Group addr")]
    for each in facts.groups:
        standing = (each.group, each.priority, each.every_ms, each.state, told(each.own_address))
        rows.append((view.names.brief(each.interface), *standing, ",".join(each.addresses)))
    return "\n".join(columns(rows, (19, 4, 4, 6, 12, 16, 1)))
