"""Whether bridges, spanning trees, VXLANs and shared gateway addresses of a lab are as its file says."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import networkx as nx

from netopsbench.fabric.labs.devices import SeenBridge, SeenDevices
from netopsbench.fabric.labs.layer2 import BRIDGE, VXLAN_PORT, vxlan_device
from netopsbench.fabric.labs.plan import LabPlan
from netopsbench.fabric.labs.spec import Bridge, Standby
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import is_bridged

Layer2Kind = Literal["bridge", "tunnel", "gateway"]
Wrong = tuple[Layer2Kind, str, str, str]
"""Kind, node, what it is about, message."""


def device_findings(plan: FabricPlan, lab: LabPlan, seen: Mapping[str, SeenDevices]) -> Iterator[Wrong]:
    """What is wrong with the bridges and tunnels of nodes that were looked at."""
    for name, bridge in lab.bridges.items():
        found = seen[name]["bridges"].get(BRIDGE)
        if found is None:
            yield "bridge", name, BRIDGE, f"{name} has no bridge {BRIDGE}"
        else:
            yield from _bridge(name, bridge, found)
        if bridge.vni is not None:
            yield from _tunnel(name, bridge.vni, seen[name])
    yield from _roots(plan, lab, seen)


def _bridge(name: str, bridge: Bridge, found: SeenBridge) -> Iterator[Wrong]:
    ports = [*bridge.ports, *([vxlan_device(bridge.vni)] if bridge.vni is not None else [])]
    for port in ports:
        if port not in found["ports"]:
            yield "bridge", name, port, f"{name}:{port} is not in the bridge {BRIDGE}"
    if found["has_tree"] != (bridge.priority is not None):
        runs = "runs a spanning tree, and should run none" if found["has_tree"] else "runs no spanning tree"
        yield "bridge", name, BRIDGE, f"{BRIDGE} of {name} {runs}"
    elif bridge.priority is not None and found["priority"] != bridge.priority:
        told = f"has priority {found['priority']} in its spanning tree, not {bridge.priority}"
        yield "bridge", name, BRIDGE, f"{BRIDGE} of {name} {told}"


def _tunnel(name: str, vni: int, seen: SeenDevices) -> Iterator[Wrong]:
    device = vxlan_device(vni)
    found = seen["tunnels"].get(device)
    if found is None:
        yield "tunnel", name, device, f"{name} has no VXLAN {device}"
    elif (found["vni"], found["port"]) != (vni, VXLAN_PORT):
        told = f"has number {found['vni']} and UDP port {found['port']}, not {vni} and {VXLAN_PORT}"
        yield "tunnel", name, device, f"{device} of {name} {told}"


def _roots(plan: FabricPlan, lab: LabPlan, seen: Mapping[str, SeenDevices]) -> Iterator[Wrong]:
    """All bridges of a spanning tree take the one with the smallest id for its root."""
    running = {name: seen[name]["bridges"][BRIDGE] for name in lab.bridges if _has_tree(seen[name])}
    owners = {found["id"]: name for name, found in running.items()}
    for together in nx.connected_components(_cabled(plan)):
        members = sorted(together & running.keys())
        root = min((running[name]["id"] for name in members), default="")
        for name in members:
            taken = running[name]["root"]
            if taken != root:
                told = f"takes {owners.get(taken, taken)} for the root of its spanning tree, not {owners[root]}"
                yield "bridge", name, BRIDGE, f"{name} {told}"


def _cabled(plan: FabricPlan) -> "nx.Graph[str]":
    """Bridges and the cables between them: one without a spanning tree passes on what others say of theirs."""
    drawn: nx.Graph[str] = nx.Graph()
    drawn.add_nodes_from(plan.lab.bridges if plan.lab is not None else ())
    for link in plan.links:
        if is_bridged(plan, link.a) and is_bridged(plan, link.b):
            drawn.add_edge(link.a.node, link.b.node)
    return drawn


def _has_tree(seen: SeenDevices) -> bool:
    found = seen["bridges"].get(BRIDGE)
    return found is not None and found["has_tree"]


def standby_findings(lab: LabPlan, answers: Mapping[str, str | None]) -> Iterator[Wrong]:
    """What is wrong with shared addresses, by what each router's vrrpd answers to `show vrrp json`."""
    best: dict[tuple[int, object], int] = {}
    for shared in lab.standby.values():
        for each in shared:
            key = (each.group, each.address)
            best[key] = max(best.get(key, 0), each.priority)
    for name, shared in lab.standby.items():
        groups = _groups(answers[name])
        for each in shared:
            meant = "Master" if each.priority == best[each.group, each.address] else "Backup"
            yield from _group(name, each, meant, groups.get((each.interface, each.group)))


def _group(name: str, standby: Standby, meant: str, found: Mapping[str, Any] | None) -> Iterator[Wrong]:
    about = f"{standby.interface} {standby.group}"
    group = f"VRRP group {standby.group} on {name}:{standby.interface}"
    if found is None:
        yield "gateway", name, about, f"there is no {group}"
        return
    if str(standby.address) not in found.get("addresses", ()):
        yield "gateway", name, about, f"{group} lacks the address {standby.address}"
    if found.get("effectivePriority") != standby.priority:
        yield "gateway", name, about, f"{group} has priority {found.get('effectivePriority')}, not {standby.priority}"
    if found.get("status") != meant:
        yield "gateway", name, about, f"{group} is {found.get('status')}, not {meant}"


def _groups(answer: str | None) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Interface and number to what vrrpd tells of a group; none where it doesn't run."""
    try:
        shown = json.loads(answer or "[]")
    except ValueError:
        return {}
    return {(str(each.get("interface")), int(each.get("vrid", 0))): each.get("v4", {}) for each in shown}
