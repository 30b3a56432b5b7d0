"""Who sends background traffic to whom, and how much of it: pure data out of a plan."""

import random
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence, Set
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import clients, nodes_by_name
from netopsbench.fabric.ways import Step, first_steps, steps_of

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
    busiest = max(at_switch.values(), default=0.0)
    rate = _client_cap(plan) / max(client_loads(flows).values())
    if busiest:
        rate = min(rate, SWITCH_PPS / busiest)
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
    """Packets a second at each switch when every flow sends one a second and equal-cost paths share equally.

    Bridges on the way count as routers do; clients of one LAN need no router.
    """
    by_name, steps = nodes_by_name(plan), steps_of(plan)
    loads = {name: 0.0 for name, node in by_name.items() if node.is_switch}
    demands: dict[Arrivals, defaultdict[str, float]] = {}
    for flow in flows:
        there, back = PACKETS[flow.protocol]
        for one, other, packets in ((flow.src, flow.dst, there), (flow.dst, flow.src, back)):
            first = first_steps(by_name[one], steps, other)
            for step in first:
                _carry(loads, step.between, packets / len(first))
                if step.to != other:
                    entering = demands.setdefault(_arrivals(steps[other], loads), defaultdict(float))
                    entering[step.to] += packets / len(first)
    routers = {name: [step for step in steps[name] if step.to in loads] for name in loads}
    for last, demand in demands.items():
        _spread(loads, routers, last, demand)
    return loads


Arrivals = tuple[tuple[str, tuple[str, ...]], ...]
"""Routers beside a client, each with the bridges between: the same for all clients that are cabled to one switch."""


def _arrivals(beside: Sequence[Step], switches: Container[str]) -> Arrivals:
    return tuple((step.to, step.between) for step in beside if step.to in switches)


def _carry(loads: dict[str, float], bridges: Sequence[str], packets: float) -> None:
    for name in bridges:
        loads[name] += packets


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


def _spread(
    loads: dict[str, float], steps: Mapping[str, Sequence[Step]], last: Arrivals, demand: Mapping[str, float]
) -> None:
    """Add what each switch carries of the packets that enter at the switches of `demand` for one client."""
    hops = _hops_to(steps, {name for name, _ in last})
    carried = {name: demand.get(name, 0.0) for name in hops}
    for name in sorted(hops, key=lambda name: -hops[name]):
        packets = carried[name]
        loads[name] += packets
        nearer = [step for step in steps[name] if hops[step.to] == hops[name] - 1]
        for step in nearer if packets else ():
            carried[step.to] += packets / len(nearer)
            _carry(loads, step.between, packets / len(nearer))
        arriving = [bridges for router, bridges in last if router == name]
        for bridges in arriving:
            _carry(loads, bridges, packets / len(arriving))


def _hops_to(steps: Mapping[str, Sequence[Step]], last: Set[str]) -> dict[str, int]:
    """Steps between each switch and the nearest of the last ones; those that can't reach them are absent."""
    hops, frontier = dict.fromkeys(last, 0), list(last)
    while frontier:
        beyond = []
        for name in frontier:
            for step in steps[name]:
                if step.to not in hops:
                    hops[step.to] = hops[name] + 1
                    beyond.append(step.to)
        frontier = beyond
    return hops
