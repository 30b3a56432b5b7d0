"""A fabric as a containerlab topology with its rendered configuration."""

import yaml

from netopsbench.fabric.engine import NodeFiles
from netopsbench.fabric.hashing import FIELDS_POLICY, hash_fields
from netopsbench.fabric.plan import FabricPlan, Node

FRR_IMAGE = "frrouting/frr:v8.4.1"
CLIENT_IMAGE = "alpine:3.20"
MANAGEMENT_SUBNET = "172.20.0.0/16"
"""containerlab's own /24 is too small for the large fabrics."""

SWITCH_SYSCTLS = (
    "net.ipv4.ip_forward=1",
    f"net.ipv4.fib_multipath_hash_policy={FIELDS_POLICY}",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.icmp_ratelimit=0",
)


def to_containerlab(plan: FabricPlan, files: NodeFiles, image: str = FRR_IMAGE) -> dict[str, str]:
    """The topology `NAME.clab.yml` and the files that it binds, by path relative to it."""
    topology = {
        "name": plan.name,
        "mgmt": {"network": f"{plan.name}-mgmt", "ipv4-subnet": MANAGEMENT_SUBNET},
        "topology": {
            "nodes": {node.name: _node(plan, node, files, image) for node in plan.nodes},
            "links": [{"endpoints": [str(link.a), str(link.b)]} for link in plan.links],
        },
    }
    exported = {f"{plan.name}.clab.yml": yaml.safe_dump(topology, sort_keys=False, width=110)}
    for node in plan.nodes:
        for path, content in _bound(node, files).items():
            exported[_place(plan, node, path)] = content
    return exported


def _node(plan: FabricPlan, node: Node, files: NodeFiles, image: str) -> dict[str, object]:
    if not node.is_switch:
        return {"kind": "linux", "image": CLIENT_IMAGE, "cmd": "sleep infinity", "exec": _client_commands(node)}
    return {
        "kind": "linux",
        "image": image,
        "labels": {"role": node.role},
        "binds": [f"{_place(plan, node, path)}:/etc/{path}" for path in _bound(node, files)],
        "exec": [*(f"sysctl -w {setting}" for setting in _sysctls(node)), *_mtu_commands(node)],
    }


def _bound(node: Node, files: NodeFiles) -> dict[str, str]:
    """Files below /etc/frr; containerlab writes /etc/hosts itself."""
    if not node.is_switch:
        return {}
    configured = {path: text for path, text in files[node.name].items() if path.startswith("frr/")}
    return {"frr/daemons": _daemons(node), **configured}


def _daemons(node: Node) -> str:
    """The file that tells FRR's start script what to run."""
    started = [f"{daemon}=yes" for daemon in node.daemons if daemon != "zebra"]
    options = [f'{daemon}_options="-A 127.0.0.1"' for daemon in node.daemons]
    return "\n".join([*started, "vtysh_enable=yes", *options]) + "\n"


def _place(plan: FabricPlan, node: Node, path: str) -> str:
    return f"{plan.name}/{node.name}/{path}"


def _sysctls(node: Node) -> list[str]:
    chosen = f"net.ipv4.fib_multipath_hash_fields={hash_fields(node.role)}"
    return [*SWITCH_SYSCTLS, chosen, *(f"net.ipv4.conf.{port.name}.rp_filter=0" for port in node.interfaces)]


def _mtu_commands(node: Node) -> list[str]:
    return [f"ip link set dev {port.name} mtu {port.mtu}" for port in node.interfaces]


def _client_commands(node: Node) -> list[str]:
    port = node.interfaces[0]
    return [
        *_mtu_commands(node),
        f"ip address add {port.address} dev {port.name}",
        # containerlab's management network brings a default route of its own.
        "ip route del default",
        f"ip route add default via {node.gateway}",
    ]
