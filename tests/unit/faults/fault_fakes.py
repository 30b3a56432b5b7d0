"""Stand-ins for a running fabric and for what can be seen of it."""

import subprocess
from collections.abc import Callable, Mapping, Sequence

from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Wire
from netopsbench.fabric.observe import LinkView, NodeState, RouteView
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import expected_sessions, switches
from netopsbench.fabric.routes import expected_routes
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.faults.contract import Effect, PathClaim, Quality
from netopsbench.faults.wire_claims import Measured
from netopsbench.faults.witness import Sweep


def clos(spines: int = 2, leaves: int = 2, clients: int = 1) -> FabricPlan:
    return plan_fabric(FabricSpec(name="lab", topology=Clos(spines=spines, leaves=leaves, clients_per_leaf=clients)))


class FakeFabric:
    """Keeps every command; `answer` decides how each ends."""

    def __init__(self, plan: FabricPlan, answer: Callable[[str, list[str]], int] = lambda where, argv: 0) -> None:
        self.plan = plan
        self.calls: list[tuple[str, list[str]]] = []
        self.answer = answer

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        self.calls.append((node, list(argv)))
        code = self.answer(node, list(argv))
        return Completed(tuple(argv), code, "", "it says no" if code else "")

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        return self.exec("wire", argv, timeout_s=timeout_s, stdin=stdin)

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        raise NotImplementedError

    def pid(self, node: str) -> int:
        return 1 + [each.name for each in self.plan.nodes].index(node)

    def wire(self, link: str) -> Wire:
        return Wire(a_end=f"{link}-a", b_end=f"{link}-b")

    def destroy(self) -> None:
        """Nothing runs."""


class FakeEyes:
    """A healthy fabric, until a test changes what it holds."""

    def __init__(self, plan: FabricPlan) -> None:
        self._plan = plan
        self.recover()

    def recover(self) -> None:
        """Look healthy from now on."""
        plan, routes = self._plan, expected_routes(self._plan)
        self.nodes = {
            node.name: NodeState(
                links={p.name: LinkView(is_admin_up=True, has_carrier=True, mtu=p.mtu) for p in node.interfaces},
                addresses=tuple(f"{p.name} {p.address}" for p in node.interfaces),
                neighbors=tuple(f"{p.name} {p.mac}" for p in node.interfaces),
                routes={str(p.address.network): RouteView(type="unicast", next_hops=()) for p in node.interfaces}
                | {
                    str(prefix): RouteView(
                        type="unicast", next_hops=tuple((str(hop), "eth") for hop in sorted(hops)), is_bgp=True
                    )
                    for prefix, hops in routes.get(node.name, {}).items()
                },
            )
            for node in plan.nodes
        }
        self.wires = dict.fromkeys((link.id for link in plan.links), "up, clsact")
        self.bgp = {
            name: {str(address): "Established" for address in sessions}
            for name, sessions in expected_sessions(plan).items()
        }
        assert set(self.bgp) == {node.name for node in switches(plan)}

    def state(self, nodes: Sequence[str]) -> Mapping[str, NodeState]:
        return {name: self.nodes[name] for name in nodes}

    def sessions(self, switches: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        return {name: self.bgp[name] for name in switches}

    def cables(self) -> Mapping[str, str]:
        return self.wires

    def suffer(self, effect: Effect) -> None:
        """Look from now on as if the effect were there."""
        for claim in effect.ports:
            node = self.nodes[claim.port.node]
            link = node.links[claim.port.interface].model_copy(
                update={"is_admin_up": claim.is_admin_up, "has_carrier": False}
            )
            self._replace(claim.port.node, links=node.links | {claim.port.interface: link})
        for mtu in effect.mtus:
            node = self.nodes[mtu.port.node]
            small = node.links[mtu.port.interface].model_copy(update={"mtu": mtu.mtu})
            self._replace(mtu.port.node, links=node.links | {mtu.port.interface: small})
        for route in effect.routes:
            others = {p: view for p, view in self.nodes[route.node].routes.items() if p != str(route.prefix)}
            hops = (route.via,) if route.via else ()
            held = {str(route.prefix): RouteView(type=route.type, next_hops=hops)}
            self._replace(route.node, routes=others if route.type == "absent" else others | held)
        for gone in effect.hops_gone:
            self._replace(
                gone.node,
                routes={
                    prefix: view.model_copy(
                        update={"next_hops": tuple(h for h in view.next_hops if h[0] != str(gone.next_hop))}
                    )
                    for prefix, view in self.nodes[gone.node].routes.items()
                },
            )
        for session in effect.sessions:
            if not session.is_established:
                self.bgp[session.switch][str(session.neighbor)] = "Active"

    def _replace(self, name: str, **fields: object) -> None:
        self.nodes[name] = self.nodes[name].model_copy(update=fields)


Probed = tuple[str, str, int, int | None]
"""Source, destination, number and size of probes."""


def probed(claim: PathClaim) -> Probed:
    return (str(claim.src.address), str(claim.dst.address), claim.probes, claim.size_bytes)


def like(quality: Quality, probes: int) -> Measured:
    """What probes over a link of exactly this quality find; every second damaged one is counted as such."""
    unlost = round(probes * (1 - quality.loss_pct / 100))
    arrived = round(unlost * (1 - quality.corruption_pct / 100))
    return Measured(
        sent=probes,
        arrived=arrived,
        returned=arrived,
        damaged=(unlost - arrived) // 2,
        there_ms=0.1 + quality.delay_ms,
        back_ms=0.1,
    )


class FakeProber:
    """Everything gets through, until a test says otherwise."""

    def __init__(self) -> None:
        self.counts: dict[Probed, tuple[int, int]] = {}
        self.qualities: dict[Probed, Quality] = {}
        self.asked: list[Probed] = []

    def sweep(self, claims: Sequence[PathClaim]) -> Sequence[Sweep]:
        self.asked += map(probed, claims)
        return [self._swept(claim) for claim in claims]

    def _swept(self, claim: PathClaim) -> Sweep:
        if claim.quality is not None:
            found = like(self.qualities.get(probed(claim), Quality()), claim.probes)
            return Sweep(sent=found.sent, arrived=found.arrived, returned=found.returned, measured=found)
        arrived, returned = self.counts.get(probed(claim), (claim.probes, claim.probes))
        return Sweep(sent=claim.probes, arrived=arrived, returned=returned)

    def suffer(self, effect: Effect) -> None:
        """Answer from now on as if the effect were there."""
        for claim in effect.paths:
            share = {"all": claim.probes, "some": 1, "none": 0}
            self.counts[probed(claim)] = (share[claim.arrives], share[claim.returns])
            if claim.quality is not None:
                self.qualities[probed(claim)] = claim.quality
