"""What can be wrong in a lab file about bridges, tunnels and shared gateway addresses."""

from collections.abc import Iterator

import networkx as nx

from netopsbench.fabric.labs.layer2 import layer2_files, standby_device
from netopsbench.fabric.labs.spec import Lab, LabRouter, Standby
from netopsbench.records.names import Port

Finding = tuple[str, str, str]
"""Key, value, what would be right."""
LONGEST_NAME = 15
"""Characters in the name of a device, by the kernel."""


def layer2_findings(lab: Lab) -> Iterator[Finding]:
    """Every mistake on layer 2: parts that don't fit, LANs in pieces, rings without a spanning tree."""
    for name, node in _routers(lab):
        yield from _bridge(name, node)
        yield from _standby(name, node)
        for path in layer2_files(node).keys() & node.files.keys():
            yield f"nodes.{name}.files", path, "a path that the lab's bridges and shared addresses don't write"
    yield from _left_out(lab)
    yield from _pieces(lab)
    yield from _rings(lab)
    yield from _groups(lab)


def _routers(lab: Lab) -> Iterator[tuple[str, LabRouter]]:
    for name, node in lab.nodes.items():
        if isinstance(node, LabRouter):
            yield name, node


def _bridge(name: str, node: LabRouter) -> Iterator[Finding]:
    """A bridge joins ports of its node, and a tunnel has an end."""
    for port in node.bridge.ports if node.bridge else ():
        if port not in node.interfaces:
            yield f"nodes.{name}.bridge.ports", port, f"one of {', '.join(node.interfaces)}"
    if node.bridge and node.bridge.vni is not None and node.loopback is None:
        yield f"nodes.{name}.bridge.vni", str(node.bridge.vni), "add a loopback: tunnels end there"


def _standby(name: str, node: LabRouter) -> Iterator[Finding]:
    """Shared addresses are of their LAN, and their devices can be called as they are."""
    for each in node.standby:
        key, own = f"nodes.{name}.standby", node.interfaces.get(each.interface)
        if own is None:
            yield key, each.interface, f"one of {', '.join(node.interfaces)}"
        elif each.address not in own.network:
            yield key, str(each.address), f"an address of {own.network}"
        device = standby_device(each)
        if len(device) > LONGEST_NAME:
            yield (
                key,
                device,
                f"a device's name has at most {LONGEST_NAME} characters; give the interface a shorter one",
            )


def _left_out(lab: Lab) -> Iterator[Finding]:
    """Two ports of a router on one LAN are both in its bridge."""
    for lan, cables in lab.cabled.items():
        ports = [port for cable in cables for port in cable]
        for name, node in _routers(lab):
            own = list(dict.fromkeys(port.interface for port in ports if port.node == name))
            joined = node.bridge.ports if node.bridge else ()
            for interface in own if len(own) > 1 else ():
                if interface in node.interfaces and interface not in joined:
                    wanted = f"add it: cabled.{lan} has {len(own)} ports of {name}, and its bridge joins them"
                    yield f"nodes.{name}.bridge.ports", interface, wanted


def _pieces(lab: Lab) -> Iterator[Finding]:
    """Bridges and tunnels join all cables of a LAN."""
    for lan, cables in lab.cabled.items():
        drawn: nx.Graph[str] = nx.Graph()
        for a, b in cables:
            drawn.add_edge(str(a), str(b))
            for port in (a, b):
                drawn.add_edge(_place(lab, port), str(port))
        for name, node in _routers(lab):
            if node.bridge is not None and node.bridge.vni is not None and name in drawn:
                drawn.add_edge(name, f"vni {node.bridge.vni}")
        first = str(cables[0][0]) if cables else ""
        for piece in nx.connected_components(drawn):
            if first not in piece:
                apart = next(str(port) for cable in cables for port in cable if str(port) in piece)
                yield f"cabled.{lan}", apart, f"no bridge and no tunnel joins it to {first}; add the ports between them"


def _place(lab: Lab, port: Port) -> str:
    """What packets that come in by a port get to without an address: all of its node's bridge, or that port alone."""
    node = lab.nodes.get(port.node)
    bridge = node.bridge if isinstance(node, LabRouter) else None
    return port.node if bridge is not None and port.interface in bridge.ports else str(port)


def _rings(lab: Lab) -> Iterator[Finding]:
    """A ring of bridges has a spanning tree that opens it."""
    without = {name for name, node in _routers(lab) if node.bridge and node.bridge.priority is None}
    drawn: nx.Graph[str] = nx.Graph()
    for key, one, other, shown in _joined(lab):
        if {one, other} & lab.nodes.keys() - without:
            continue
        if one in drawn and other in drawn and nx.has_path(drawn, one, other):
            ring = sorted(name for name in nx.shortest_path(drawn, one, other) if name in without)
            wanted = f"it closes a ring of bridges without a spanning tree; give {' and '.join(ring)} a priority"
            yield key, shown, wanted
        drawn.add_edge(one, other)


def _joined(lab: Lab) -> Iterator[tuple[str, str, str, str]]:
    """What carries packets between bridges: its key, its two ends and how it reads; LANs and tunnels are ends too."""
    cables = [(f"links[{number}]", cable) for number, cable in enumerate(lab.links, start=1)]
    cables += [(f"cabled.{name}", cable) for name, listed in lab.cabled.items() for cable in listed]
    for key, (a, b) in cables:
        one, other = _place(lab, a), _place(lab, b)
        if {one, other} <= lab.nodes.keys():
            yield key, one, other, f"{a} {b}"
    for name, ports in lab.segments.items():
        for port in ports:
            if _place(lab, port) in lab.nodes:
                yield f"segments.{name}", port.node, f"segment {name}", str(port)
    for name, node in _routers(lab):
        if node.bridge is not None and node.bridge.vni is not None:
            yield f"nodes.{name}.bridge.vni", name, f"vni {node.bridge.vni}", str(node.bridge.vni)


def _groups(lab: Lab) -> Iterator[Finding]:
    """Routers of one group share one address, and one of them has the largest priority."""
    lans = dict(_lans(lab))
    seen: dict[tuple[str, int], list[tuple[str, Standby]]] = {}
    for name, node in _routers(lab):
        for each in node.standby:
            lan = lans.get(Port(node=name, interface=each.interface))
            if lan is None:
                continue
            members = seen.setdefault((lan, each.group), [])
            for other, held in members:
                yield from _differences(name, each, other, held)
            members.append((name, each))


def _differences(name: str, own: Standby, other: str, held: Standby) -> Iterator[Finding]:
    key = f"nodes.{name}.standby"
    if own.address != held.address:
        yield key, str(own.address), f"{held.address}, the address of group {own.group} at {other}; or another group"
    if own.priority == held.priority:
        wanted = (
            f"group {own.group} has priority {held.priority} at {other} too; the larger one answers, so use another"
        )
        yield key, str(own.priority), wanted


def _lans(lab: Lab) -> Iterator[tuple[Port, str]]:
    """Every port to the LAN that it is on."""
    for number, cable in enumerate(lab.links, start=1):
        yield from ((port, f"links[{number}]") for port in cable)
    for name, ports in lab.segments.items():
        yield from ((port, f"segments.{name}") for port in ports)
    for name, cables in lab.cabled.items():
        yield from ((port, f"cabled.{name}") for cable in cables for port in cable)
