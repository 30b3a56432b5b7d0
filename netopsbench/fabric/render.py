"""FabricPlan to the files of every node."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from netopsbench.core.files import data_root
from netopsbench.fabric.addressing import retired_prefix
from netopsbench.fabric.plan import FabricPlan, Interface, Node

SWITCH_FILES = {"frr/vtysh.conf": "vtysh.conf.j2", "nftables.conf": "nftables.conf.j2", "hosts": "hosts.j2"}
"""Beside these, each daemon has a file of its own: `frr/bgpd.conf`, …"""
CLIENT_FILES = {"hosts": "hosts.j2"}


@dataclass(frozen=True)
class Legacy:
    """Prefixes of an operator's past and of the management network: in every configuration, used by no traffic."""

    management: IPv4Network
    name_server: IPv4Address
    retired: IPv4Network


@dataclass(frozen=True)
class Neighbor:
    """A BGP neighbor of a switch."""

    address: IPv4Address
    asn: int
    node: str


def render_files(plan: FabricPlan) -> dict[str, dict[str, str]]:
    """Every node's files, by path below /etc; same plan, same bytes."""
    if plan.lab is not None:
        return plan.lab.files
    environment = Environment(
        loader=FileSystemLoader(data_root("fabrics") / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    templates = {name: environment.get_template(name) for name in environment.list_templates(["j2"])}
    facing = {
        (node.name, port.name): Neighbor(port.address.ip, node.asn, node.name)
        for node in plan.nodes
        for port in node.interfaces
        if node.asn is not None
    }
    return {
        node.name: _switch_files(plan, node, facing, templates) if node.is_switch else _client_files(node, templates)
        for node in plan.nodes
    }


def _client_files(node: Node, templates: dict[str, Template]) -> dict[str, str]:
    address = node.interfaces[0].address.ip
    return {path: templates[name].render(node=node, address=address) for path, name in CLIENT_FILES.items()}


def _switch_files(
    plan: FabricPlan,
    node: Node,
    facing: dict[tuple[str, str], Neighbor],
    templates: dict[str, Template],
) -> dict[str, str]:
    def is_fabric(port: Interface) -> bool:
        return (port.peer.node, port.peer.interface) in facing

    fabric_ports = [port for port in node.interfaces if is_fabric(port)]
    neighbors = [facing[port.peer.node, port.peer.interface] for port in fabric_ports]
    words = {
        "node": node,
        "address": node.loopback,
        "neighbors": neighbors,
        "uplink": neighbors[0].address if neighbors else "Null0",
        "fabric_ports": fabric_ports,
        "client_ports": [port for port in node.interfaces if not is_fabric(port)],
        "timers": plan.timers,
        "pools": plan.pools,
        "legacy": _legacy(plan, node),
    }
    daemon_files = {f"frr/{daemon}.conf": f"{daemon}.conf.j2" for daemon in node.daemons}
    return {path: templates[name].render(words) for path, name in (daemon_files | SWITCH_FILES).items()}


def _legacy(plan: FabricPlan, node: Node) -> Legacy:
    """Differs from switch to switch, so that no device is the odd one out for having its own."""
    number = int(node.loopback or 0) - int(plan.pools.loopbacks.network_address)
    management = int(plan.pools.management.network_address)
    rack = (number * 7 + plan.seed) % 64
    return Legacy(
        management=IPv4Network((management + (rack << 8), 24)),
        name_server=IPv4Address(management + (64 + rack << 8) + 53),
        retired=retired_prefix(plan.pools, number * 37 + plan.seed),
    )
