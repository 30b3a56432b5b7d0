"""The native engine: one sandbox of namespaces per fabric, with or without root."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from netopsbench.core.errors import InfraError, UnsupportedError
from netopsbench.fabric.engine import NodeFiles, ProgressCallback
from netopsbench.fabric.hashing import hash_fields
from netopsbench.fabric.native.handle import Handle, NodePids, outer_pids, start_time
from netopsbench.fabric.native.order import BRIDGE, LinkOrder, NodeOrder, Order, PortOrder
from netopsbench.fabric.native.running import NativeFabric, end_sandbox, release
from netopsbench.fabric.native.service_software import DISCOVERY, SERVICES, find_service_software
from netopsbench.fabric.native.software import Software, find_software
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.records.names import Port

_DEPLOY_DEADLINE_S = 180.0


class NativeEngine:
    """Deploys plans into sandboxes of this machine."""

    def __init__(self, software: Software | None = None) -> None:
        """Uses the software that `doctor --fix` fetched, or the system's own; UnsupportedError when there is none."""
        found = software or find_software()
        if found is None:
            raise UnsupportedError("the routing software is missing; run: netopsbench doctor --fix")
        self._software = found

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> NativeFabric:
        """Start every node and link; the fabric ends with this process, or earlier by `destroy`."""
        starter = _start_sandbox()
        watchdog = threading.Timer(_DEPLOY_DEADLINE_S, starter.kill)
        watchdog.start()
        try:
            with ExitStack() as undoing:
                undoing.callback(_abandon, starter)
                _send(starter, _order(plan, files, self._software))
                fabric = NativeFabric(self._built(plan, starter, progress), starter)
                undoing.pop_all()
            return fabric
        finally:
            watchdog.cancel()

    def _built(self, plan: FabricPlan, starter: "subprocess.Popen[bytes]", progress: ProgressCallback | None) -> Handle:
        """Follow the keeper until the fabric is up."""
        handle: Handle | None = None
        for event in _events(starter):
            if event["event"] == "progress" and progress is not None:
                progress(event["phase"], event["done"], event["total"])
            elif event["event"] == "failed":
                raise InfraError("deploy_failed", event["message"])
            elif event["event"] == "nodes":
                handle = self._handle(plan, starter.pid, event["pids"])
            elif event["event"] == "up" and handle is not None:
                return handle
        raise InfraError("deploy_failed", "the sandbox ended before the fabric was up; run: netopsbench doctor")

    def _handle(self, plan: FabricPlan, starter: int, inner: list[int]) -> Handle:
        keeper = _only_child(starter)
        started = start_time(keeper)
        outer = outer_pids(keeper, set(inner))
        if started is None or len(outer) != len(inner):
            raise InfraError("deploy_failed", f"only {len(outer)} of {len(inner)} nodes could be found after the start")
        return Handle(
            plan=plan,
            keeper=keeper,
            keeper_start=started,
            has_user_namespace=_is_unprivileged(),
            nodes={
                node.name: NodePids(inner=pid, outer=outer[pid]) for node, pid in zip(plan.nodes, inner, strict=True)
            },
            versions={"frr": self._software.frr_version},
        )


def stay(fabric: NativeFabric) -> None:
    """Let a fabric outlive this process."""
    starter = fabric._lifeline
    if starter is None or starter.stdin is None:
        return
    starter.stdin.write(b"stay\n")
    starter.stdin.flush()
    for event in _events(starter):
        if event["event"] == "staying":
            break
    fabric._lifeline = None


def _is_unprivileged() -> bool:
    return os.geteuid() != 0


def _start_sandbox() -> "subprocess.Popen[bytes]":
    user = ["--user", "--map-root-user"] if _is_unprivileged() else []
    argv = [
        "unshare", *user, "--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc",
        sys.executable, "-m", "netopsbench.fabric.native.keeper",
    ]  # fmt: skip
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
    return subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd="/",
        start_new_session=True,
    )  # fmt: skip


def _send(starter: "subprocess.Popen[bytes]", order: Order) -> None:
    raw = json.dumps(order).encode()
    try:
        assert starter.stdin is not None
        starter.stdin.write(str(len(raw)).encode() + b"\n" + raw)
        starter.stdin.flush()
    except BrokenPipeError as gone:
        raise InfraError("deploy_failed", "the sandbox could not be started; run: netopsbench doctor") from gone


def _events(starter: "subprocess.Popen[bytes]") -> Iterator[dict[str, Any]]:
    assert starter.stdout is not None
    for line in starter.stdout:
        yield json.loads(line)


def _only_child(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0])


def _abandon(starter: "subprocess.Popen[bytes]") -> None:
    try:
        keeper = _only_child(starter.pid)
        end_sandbox(keeper, start_time(keeper) or 0)
    except (OSError, IndexError, InfraError):
        starter.kill()
    release(starter)


def _order(plan: FabricPlan, files: NodeFiles, software: Software) -> Order:
    index = {node.name: number for number, node in enumerate(plan.nodes)}
    segments = plan.lab.segments if plan.lab else ()
    index |= {segment.name: BRIDGE - number for number, segment in enumerate(segments)}
    leased = plan.lab.leased if plan.lab else ()
    far = {(node.name, port.name): port for node in plan.nodes for port in node.interfaces}
    links: list[LinkOrder] = [
        {
            "id": link.id,
            "mtu": link.mtu,
            "ends": [(index[end.node], end.interface) for end in (link.a, link.b)],
        }
        for link in plan.links
    ]

    def ports(node: Node) -> list[PortOrder]:
        made: list[PortOrder] = []
        for port in node.interfaces:
            # On a LAN there is no one peer to know.
            peer = far.get((port.peer.node, port.peer.interface), port)
            made.append({
                "name": port.name, "mac": port.mac, "mtu": port.mtu, "address": str(port.address.ip),
                "prefix_length": port.address.network.prefixlen, "peer_address": str(peer.address.ip),
                "peer_mac": peer.mac, "is_learning": plan.lab is not None,
                "is_leased": Port(node=node.name, interface=port.name) in leased,
            })  # fmt: skip
        return made

    nodes: list[NodeOrder] = [
        {
            "name": node.name,
            "is_switch": node.is_switch,
            "hash_fields": hash_fields(node.role),
            "ports": ports(node),
            "loopback": str(node.loopback) if node.loopback else None,
            "gateway": str(node.gateway) if node.gateway else None,
            "daemons": _daemons(node, software),
            "files": dict(files.get(node.name, {})),
        }
        for node in plan.nodes
    ]
    return {
        "software": str(software.root) if software.root else None, "daemons_dir": software.frr_daemons_dir,
        "hash_seed": plan.seed, "nodes": nodes, "links": links, "bridges": len(segments),
        "more_software": _more_software(plan),
    }  # fmt: skip


def _more_software(plan: FabricPlan) -> list[str]:
    """Folders to lay over /usr for what a lab needs beside routing; none where the system has the programs."""
    lab = plan.lab
    if lab is None:
        return []
    needed = [*([SERVICES] if lab.services or lab.leased else []), *([DISCOVERY] if lab.lldp else [])]
    roots = []
    for bundle in needed:
        found = find_service_software(bundle)
        if found is None:
            raise UnsupportedError(f"{plan.name} needs {bundle.names} for {bundle.what}; run: netopsbench doctor --fix")
        roots += [str(found.root)] if found.root else []
    return roots


def _daemons(node: Node, software: Software) -> list[str]:
    # From FRR 10 on static routes and more are configured through mgmtd, which must start first.
    extra = ["mgmtd"] if software.has_mgmtd and node.daemons else []
    return [*extra, *node.daemons]
