"""A network without an engine: a planned fabric whose devices answer from a few facts, and its Pingmesh records."""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any, Literal

from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Wire
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.fabric.routes import expected_routes
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.records.names import Port
from netopsbench.records.telemetry import Probe, Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter

SECOND_NS = 1_000_000_000
BASELINE = Window(since_ns=0, until_ns=10 * SECOND_NS)
CURRENT = Window(since_ns=20 * SECOND_NS, until_ns=30 * SECOND_NS)
BENIGN_PREFIX = "100.64.22.0/24"
PORTS = 16


def clos(spines: int, leaves: int, clients_per_leaf: int) -> FabricPlan:
    return plan_fabric(
        FabricSpec(name="sim", topology=Clos(spines=spines, leaves=leaves, clients_per_leaf=clients_per_leaf))
    )


@dataclass
class SimulatedFabric:
    """Devices as the tools see them. Set the facts before the first question."""

    plan: FabricPlan
    admin_down: set[str] = field(default_factory=set)
    """Ports that are switched off, `leaf1:eth2`."""
    cut: set[str] = field(default_factory=set)
    """Ports whose cable is cut."""
    statics: dict[str, list[tuple[str, Literal["blackhole", "reject", "unicast"]]]] = field(default_factory=dict)
    """Extra static routes by switch."""
    quiet: set[str] = field(default_factory=set)
    """Devices that answer nothing."""
    sessions_down: set[str] = field(default_factory=set)
    """Ports whose session is down although the link is up."""
    wrong_as: dict[str, int] = field(default_factory=dict)
    """AS number that a port's switch expects behind it, by port."""
    stopped: set[str] = field(default_factory=set)
    """Switches whose routing has stopped."""
    drops: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Ports whose switch drops what comes in from a source prefix (`saddr`) or goes out to one (`daddr`)."""
    small: dict[str, int] = field(default_factory=dict)
    """MTU of ports that have a smaller one."""
    flapping: set[str] = field(default_factory=set)
    """Ports that are up at every other look."""
    lossy: dict[str, float] = field(default_factory=dict)
    """Share in percent that a port loses of what it sends."""
    slow: dict[str, float] = field(default_factory=dict)
    """Milliseconds that a port delays what it sends."""
    _looks: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._routes = expected_routes(self.plan)
        self._nodes = {node.name: node for node in self.plan.nodes}

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        if node in self.quiet:
            return Completed(tuple(argv), 124, "", "no end")
        if argv[0] == "vtysh" and node in self.stopped:
            return Completed(tuple(argv), 1, "", "failed to connect to any daemons")
        if argv[0] == "nft":
            shown: Any = {"nftables": [{"rule": rule} for rule in self._rules(node)]}
        elif argv[0] == "ip":
            self._looks[node] += 1
            shown = [self._ip_link(self._nodes[node], port) for port in self._nodes[node].interfaces]
        elif "bgp" in argv[-1]:
            shown = {"ipv4Unicast": {"as": 1, "routerId": "1.1.1.1", "peers": self._peers(self._nodes[node])}}
        else:
            shown = self._table(self._nodes[node])
        return Completed(tuple(argv), 0, json.dumps(shown), "")

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        raise NotImplementedError("no tool looks at the wire")

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        raise NotImplementedError("the simulation sends no packets")

    def pid(self, node: str) -> int:
        raise NotImplementedError("the simulation has no processes")

    def wire(self, link: str) -> Wire:
        raise NotImplementedError("no tool looks at the wire")

    def destroy(self) -> None:
        """Nothing runs."""

    def peer_switch(self, port: str) -> str:
        """The node behind a port."""
        owner, _, interface = port.partition(":")
        return next(each.peer.node for each in self._nodes[owner].interfaces if each.name == interface)

    def port_facing(self, device: str, address: str) -> str:
        """The device's port whose link has this address at its other end."""
        return next(
            f"{device}:{each.name}"
            for each in self._nodes[device].interfaces
            if IPv4Address(address) in each.address.network
        )

    def is_up(self, port: Port, peer: Port) -> bool:
        broken = self.admin_down | self.cut
        return str(port) not in broken and str(peer) not in broken

    def reaches(self, src: Node, dst: Node) -> bool:
        """Whether probes come back, by the facts above; equal-cost links that are down cost nothing."""
        for client in (src, dst):
            port = client.interfaces[0]
            if not self.is_up(Port(node=client.name, interface=port.name), port.peer):
                return False
        ways = ((src.attached_to, dst), (dst.attached_to, src))
        if any(
            prefix == str(client.interfaces[0].address.network)
            for client in (src, dst)
            for _, prefix in self.drops.values()
        ):
            return False
        return all(not self._discards(switch or "", client.interfaces[0].address.ip) for switch, client in ways)

    def _rules(self, node: str) -> list[dict[str, Any]]:
        """A rule that no packet of the mesh meets, then those that drop."""
        telnet = {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": 23}}
        rules: list[dict[str, Any]] = [{"chain": "forward", "expr": [telnet, {"drop": None}]}]
        for port, (field_name, prefix) in self.drops.items():
            owner, _, interface = port.partition(":")
            side = {"op": "==", "left": {"meta": {"key": "iifname" if field_name == "saddr" else "oifname"}}}
            network = IPv4Network(prefix)
            named = {"prefix": {"addr": str(network.network_address), "len": network.prefixlen}}
            address = {"op": "==", "left": {"payload": {"protocol": "ip", "field": field_name}}, "right": named}
            parts = [{"match": {**side, "right": interface}}, {"match": address}]
            if owner == node:
                rules.append({"chain": "forward", "expr": [*parts, {"counter": {"packets": 9}}, {"drop": None}]})
        return rules

    def _discards(self, switch: str, address: IPv4Address) -> bool:
        return any(
            kind != "unicast" and address in IPv4Network(prefix) for prefix, kind in self.statics.get(switch, [])
        )

    def _ip_link(self, node: Node, port: Interface) -> dict[str, Any]:
        mine = Port(node=node.name, interface=port.name)
        flags = [] if str(mine) in self.admin_down else ["UP"]
        is_away = bool({str(mine), str(port.peer)} & self.flapping) and self._looks[node.name] % 2 == 1
        if self.is_up(mine, port.peer) and not is_away:
            flags.append("LOWER_UP")
        address = {"family": "inet", "local": str(port.address.ip), "prefixlen": 30}
        return {
            "ifname": port.name,
            "flags": flags,
            "mtu": self.small.get(str(mine), port.mtu),
            "address": port.mac,
            "addr_info": [address],
        }

    def _peers(self, node: Node) -> dict[str, Any]:
        peers = {}
        for port in node.interfaces:
            far = self._nodes[port.peer.node]
            if not far.is_switch:
                continue
            mine = Port(node=node.name, interface=port.name)
            silent = self.sessions_down | self.wrong_as.keys() | self.flapping
            up = self.is_up(mine, port.peer) and not {str(mine), str(port.peer)} & silent
            up = up and not {node.name, far.name} & self.stopped
            address = next(each.address.ip for each in far.interfaces if each.name == port.peer.interface)
            peers[str(address)] = {
                "state": "Established" if up else "Active",
                "remoteAs": self.wrong_as.get(str(mine), far.asn),
            }
        return peers

    def _table(self, node: Node) -> dict[str, Any]:
        table: dict[str, list[dict[str, Any]]] = {}
        for port in node.interfaces:
            table[str(port.address.network)] = [_route(str(port.address.network), "connected", [{"fib": True}])]
        for prefix, hops in self._routes[node.name].items():
            table[str(prefix)] = [_route(str(prefix), "bgp", [{"ip": str(hop), "fib": True} for hop in hops])]
        for prefix, kind in [(BENIGN_PREFIX, "unicast"), *self.statics.get(node.name, [])]:
            hop = {"ip": "10.1.1.1", "fib": True} if kind == "unicast" else {"unreachable": True, kind: True}
            table[prefix] = [_route(prefix, "static", [hop])]
        return table


def _route(prefix: str, protocol: str, hops: list[dict[str, Any]]) -> dict[str, Any]:
    return {"prefix": prefix, "protocol": protocol, "selected": True, "installed": True, "nexthops": hops}


def probe(src: Node, dst: Node, t_ns: int, epoch: int, lost: int = 0, rtt_ms: float = 0.2, df_lost: int = 0) -> Probe:
    """One row; bit n of `lost` says that the probe from source port 33000 + n was lost."""
    trips = tuple(None if lost >> bit & 1 else rtt_ms for bit in range(PORTS))
    answered = [trip for trip in trips if trip is not None]
    best = answered[0] if answered else None
    return Probe(
        t_ns=t_ns,
        epoch=epoch,
        src=src.name,
        dst=dst.name,
        src_ip=str(src.interfaces[0].address.ip),
        dst_ip=str(dst.interfaces[0].address.ip),
        src_leaf=src.attached_to or "",
        dst_leaf=dst.attached_to or "",
        path_type="same_rack" if src.attached_to == dst.attached_to else "cross_rack",
        first_port=33000,
        ports_sent=(1 << PORTS) - 1,
        ports_lost=lost,
        packets_sent=PORTS,
        packets_lost=lost.bit_count(),
        send_errors=0,
        rtt_min_ms=best,
        rtt_avg_ms=best,
        rtt_max_ms=best,
        rtt_p90_ms=best,
        rtt_p99_ms=best,
        rtt_ms_by_port=trips,
        df_sent=PORTS,
        df_lost=df_lost.bit_count(),
        df_ports_sent=(1 << PORTS) - 1,
        df_ports_lost=df_lost,
    )


def records(fabric: SimulatedFabric) -> list[Probe]:
    """Three clean epochs of baseline, three of now."""
    clients = [node for node in fabric.plan.nodes if not node.is_switch]
    rows = []
    for src in clients:
        for dst in clients:
            if src is dst:
                continue
            # An uplink among several carries every other source port.
            uplinks = {f"{client.attached_to}:" for client in (src, dst)}
            ends = {end for port in fabric.lossy | fabric.slow for end in uplinks if port.startswith(end)}
            every_other = 0x5555
            lost = 0 if fabric.reaches(src, dst) else (1 << PORTS) - 1
            lost |= every_other if ends and fabric.lossy else 0
            facing = {f"{fabric.peer_switch(port)}:" for port in fabric.small}
            df_lost = every_other if facing & uplinks else 0
            rtt_ms = 60.0 if ends and fabric.slow else 0.2
            for number in range(3):
                rows.append(probe(src, dst, (1 + number) * SECOND_NS, 1 + number))
                rows.append(probe(src, dst, (21 + number) * SECOND_NS, 21 + number, lost, rtt_ms, df_lost))
    return rows


class Desked:
    """The real tools over a simulated fabric, in this process."""

    def __init__(self, fabric: SimulatedFabric, calls: Path, budget: int = 300) -> None:
        self._fabric = fabric
        store = MemoryStore()
        store.append(records(fabric))
        context = ToolContext(fabric.plan, fabric, store, BASELINE, CURRENT)
        self.desk = Desk(context, TOOLS, Meter(calls, budget), 128_000)

    def list_tools(self) -> list[dict[str, Any]]:
        return self.desk.schemas()

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        if name == "ping_test":
            return self._pinged(arguments["device"], arguments["target"])
        return self.desk.call(name, arguments)

    def _pinged(self, device: str, target: str) -> dict[str, Any]:
        """What probes to the far end of a link meet: the simulation sends none."""
        fabric = self._fabric
        port = fabric.port_facing(device, target)
        lost = round(fabric.lossy.get(port, 0))
        rtt_ms = 0.1 + fabric.slow.get(port, 0)
        return {
            "device": device,
            "target": target,
            "address": target,
            "method": "simulated",
            "packets_sent": 100,
            "packets_answered": 100 - lost,
            "loss_pct": lost,
            "rtt_min_ms": rtt_ms,
            "rtt_avg_ms": rtt_ms,
            "rtt_max_ms": rtt_ms,
            "replies": [],
        }
