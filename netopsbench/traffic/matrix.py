"""Who sends background traffic to whom, and how much of it: pure data out of a plan."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import clients, facing, lans, nodes_by_name, switches

FLOWS_EACH_WAY = 4
"""At most so many flows leave a client, and as many reach it."""
SWITCH_PPS = 5_000
"""Packets a second that background traffic may bring to one switch."""
CLIENT_PPS = ((8, 1_250), (16, 1_000), (64, 750), (128, 500))
"""Packets a second to and from one client, in fabrics of at most so many clients."""
CLIENT_PPS_BEYOND = 250
PAYLOAD_BYTES = 512
FIRST_SOURCE_PORT = 40_000
FIRST_PORT = 5_201
"""Where flows arrive: each flow of a client has a port of its own."""

PACKETS = {"udp": (1, 0), "tcp": (1, 1)}
"""Packets there and back for each that a flow sends: TCP acknowledges every one at worst."""


class Flow(Model):
    """A stream of packets of one size from one client to another."""

    protocol: Literal["udp", "tcp"]
    src: str
    dst: str
    src_port: int
    dst_port: int

    def __str__(self) -> str:
        return f"{self.protocol} {self.src}:{self.src_port} to {self.dst}:{self.dst_port}"


class Matrix(Model):
    """All flows of a fabric."""

    flows: tuple[Flow, ...]
    packets_per_s: float
    """What each flow sends: as much as the caps of clients and switches allow."""
    crossings_per_s: float
    """Links crossed a second by all packets together: what the machine has to do for it."""


def matrix_of(plan: FabricPlan) -> Matrix:
    """The traffic matrix of a fabric, the same for all its cases; without flows when it has fewer than two clients."""
    flows = _flows(plan)
    if not flows:
        return Matrix(flows=(), packets_per_s=0, crossings_per_s=0)
    at_switch = switch_loads(plan, flows)
    rate = min(
        _client_cap(plan) / max(client_loads(flows).values()),
        SWITCH_PPS / max(at_switch.values()),
    )
    # Each packet crosses one link more than it meets switches.
    crossings = sum(at_switch.values()) + sum(sum(PACKETS[flow.protocol]) for flow in flows)
    return Matrix(flows=flows, packets_per_s=rate, crossings_per_s=rate * crossings)


def client_loads(flows: Sequence[Flow]) -> Mapping[str, int]:
    """Packets a second to and from each client when every flow sends one a second."""
    loads: Counter[str] = Counter()
    for flow in flows:
        loads[flow.src] += sum(PACKETS[flow.protocol])
        loads[flow.dst] += sum(PACKETS[flow.protocol])
    return loads


def switch_loads(plan: FabricPlan, flows: Sequence[Flow]) -> Mapping[str, float]:
    """Packets a second at each switch when every flow sends one a second and equal-cost paths share equally."""
    by_name, bridges = nodes_by_name(plan), lans(plan)
    peers = {
        node.name: [
            far.node for port in node.interfaces for far in facing(node, port, bridges) if by_name[far.node].is_switch
        ]
        for node in switches(plan)
    }
    demands: dict[str, Counter[str]] = {}
    for flow in flows:
        src, dst = by_name[flow.src].attached_to or "", by_name[flow.dst].attached_to or ""
        there, back = PACKETS[flow.protocol]
        demands.setdefault(dst, Counter())[src] += there
        demands.setdefault(src, Counter())[dst] += back
    loads = dict.fromkeys(peers, 0.0)
    for dst, demand in demands.items():
        for name, load in _spread(peers, dst, demand).items():
            loads[name] += load
    return loads


def _flows(plan: FabricPlan) -> tuple[Flow, ...]:
    """Clients on a ring in a drawn order; each sends the same drawn distances ahead, so that all have equally many."""
    draw = random.Random(f"traffic {plan.seed}")
    # A lab's host whose gateway is no router's own address is attached to none, and nothing is known of its way.
    ring = [client.name for client in clients(plan) if client.attached_to is not None]
    draw.shuffle(ring)
    distances = draw.sample(range(1, len(ring)), min(FLOWS_EACH_WAY, len(ring) - 1)) if len(ring) > 1 else []
    pairs = [(place, turn) for place in range(len(ring)) for turn in range(len(distances))]
    return tuple(
        Flow(
            protocol="udp" if (place + turn) % 2 == 0 else "tcp",
            src=ring[place],
            dst=ring[(place + distances[turn]) % len(ring)],
            src_port=FIRST_SOURCE_PORT + number,
            dst_port=FIRST_PORT + turn,
        )
        for number, (place, turn) in enumerate(pairs)
    )


def _client_cap(plan: FabricPlan) -> int:
    count = len(clients(plan))
    return next((pps for most, pps in CLIENT_PPS if count <= most), CLIENT_PPS_BEYOND)


def _spread(peers: Mapping[str, Sequence[str]], dst: str, demand: Mapping[str, int]) -> Mapping[str, float]:
    """What each switch carries of the packets that enter at the switches of `demand` and leave at `dst`."""
    hops = _hops_to(peers, dst)
    loads = {name: float(demand.get(name, 0)) for name in hops}
    for name in sorted(hops, key=lambda name: -hops[name]):
        if loads[name]:
            nearer = [peer for peer in peers[name] if hops[peer] == hops[name] - 1]
            for peer in nearer:
                loads[peer] += loads[name] / len(nearer)
    return loads


def _hops_to(peers: Mapping[str, Sequence[str]], dst: str) -> dict[str, int]:
    """Switches between each switch and `dst`; those that can't reach it are absent."""
    hops, frontier = {dst: 0}, [dst]
    while frontier:
        beyond = []
        for name in frontier:
            for peer in peers[name]:
                if peer not in hops:
                    hops[peer] = hops[name] + 1
                    beyond.append(peer)
        frontier = beyond
    return hops
