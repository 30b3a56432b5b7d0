"""Lab file to FabricPlan: cables and LANs become links, services and configurations become files."""

from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv4Network

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.addressing import port_mac
from netopsbench.fabric.check_names import check_names
from netopsbench.fabric.labs.baseline import baseline_of
from netopsbench.fabric.labs.check import lab_problems
from netopsbench.fabric.labs.files import lab_files
from netopsbench.fabric.labs.plan import LabPlan, PlannedService, Segment
from netopsbench.fabric.labs.spec import Lab, LabHost, LabNode, LabRouter
from netopsbench.fabric.plan import FabricPlan, Interface, Link, LinkKind, Node
from netopsbench.fabric.spec import FabricSpec
from netopsbench.records.names import Port


def plan_lab(spec: FabricSpec, lab: Lab) -> FabricPlan:
    """Work a lab out: same file, same plan, but for the digest, which the caller fills in.

    Raises SpecError with every mistake that keeps the parts from fitting together, and those in names.
    """
    draft = _Draft(spec, lab)
    plan = FabricPlan(
        name=spec.name,
        digest="",
        nodes=tuple(draft.node(name, node) for name, node in lab.nodes.items()),
        links=tuple(draft.links),
        mtu=spec.mtu,
        timers=spec.timers,
        seed=spec.seed,
        pools=spec.pools,
        lab=LabPlan(
            segments=tuple(draft.segments),
            services=tuple(_services(lab)),
            leased=tuple(_leased(lab)),
            resolvers={
                name: node.resolver
                for name, node in lab.nodes.items()
                if isinstance(node, LabHost) and node.resolver is not None
            },
            files=lab_files(lab, draft.macs),
            bridges={name: node.bridge for name, node in _routers(lab) if node.bridge is not None},
            standby={name: node.standby for name, node in _routers(lab) if node.standby},
            cabled=draft.cabled,
            lldp=tuple(name for name, node in _routers(lab) if node.lldp),
            baseline=baseline_of(lab),
        ),
    )
    problems = lab_problems(spec.name, lab)
    if problems:
        raise SpecError(_once([*problems, *check_names(plan)]))
    return plan


def _once(problems: list[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))


class _Draft:
    """Links in the making; a port that no node has gets none, and is left to the checks."""

    def __init__(self, spec: FabricSpec, lab: Lab) -> None:
        self.mtu = spec.mtu
        self.lab = lab
        self.links: list[Link] = []
        self.segments: list[Segment] = []
        self.cabled: dict[str, IPv4Network] = {}
        self.facing: dict[Port, tuple[Port, str]] = {}
        """Port to the one it faces and the link's id."""
        self.macs = {
            Port(node=name, interface=interface): port_mac(number, position)
            for number, (name, node) in enumerate(lab.nodes.items(), start=1)
            for position, interface in enumerate(node.interfaces, start=1)
        }
        for a, b in lab.links:
            self._cable(a, b)
        for name, ports in lab.segments.items():
            self._segment(name, ports)
        for name, cables in lab.cabled.items():
            for a, b in cables:
                self._cable(a, b, name)

    def node(self, name: str, node: LabNode) -> Node:
        """A node with those of its ports that have a link."""
        ports = [Port(node=name, interface=interface) for interface in node.interfaces]
        interfaces = tuple(self._interface(port) for port in ports if port in self.facing)
        if isinstance(node, LabRouter):
            routing = [daemon for daemon in node.frr if daemon != "zebra"]
            daemons = ("zebra", *routing, *(("vrrpd",) if node.standby else ()))
            return Node(
                name=name, role="router", asn=node.asn, loopback=node.loopback, daemons=daemons, interfaces=interfaces
            )
        gateway = None if node.dhcp else node.gateway
        return Node(
            name=name, role="host", gateway=gateway, attached_to=_owner(self.lab, node.gateway), interfaces=interfaces
        )

    def _interface(self, port: Port) -> Interface:
        peer, link = self.facing[port]
        address = self._address(port)
        assert address is not None
        return Interface(name=port.interface, mac=self.macs[port], address=address, mtu=self.mtu, peer=peer, link=link)

    def _cable(self, a: Port, b: Port, lan: str | None = None) -> None:
        """A cable between two nodes, by itself or as a part of a LAN."""
        first = self._address(a)
        if first is None or self._address(b) is None or {a, b} & self.facing.keys() or a == b:
            return
        ends = {self.lab.nodes[end.node].kind for end in (a, b)}
        if lan is not None:
            self.cabled.setdefault(lan, first.network)
        kind: LinkKind = "lan" if lan is not None else "client" if "host" in ends else "fabric"
        self._join(a, b, first.network, kind)
        self.facing[b] = (a, self.links[-1].id)

    def _segment(self, name: str, ports: tuple[Port, ...]) -> None:
        placed: list[str] = []
        prefix: IPv4Network | None = None
        for position, port in enumerate(ports, start=1):
            address = self._address(port)
            if address is None or port in self.facing:
                continue
            prefix = prefix or address.network
            self._join(port, Port(node=name, interface=f"p{position}"), prefix, "lan")
            placed.append(self.links[-1].id)
        if prefix is not None:
            self.segments.append(Segment(name=name, prefix=prefix, links=tuple(placed)))

    def _join(self, a: Port, b: Port, prefix: IPv4Network, kind: LinkKind) -> None:
        link = Link(id=f"l{len(self.links) + 1}", a=a, b=b, prefix=prefix, mtu=self.mtu, kind=kind)
        self.links.append(link)
        self.facing[a] = (b, link.id)

    def _address(self, port: Port) -> IPv4Interface | None:
        node = self.lab.nodes.get(port.node)
        return node.interfaces.get(port.interface) if node else None


def _owner(lab: Lab, address: object) -> str | None:
    """The node that has an address on a port, or that answers for a shared one while all is well."""
    for name, node in lab.nodes.items():
        if any(own.ip == address for own in node.interfaces.values()):
            return name
    sharing = [(each, name) for name, node in _routers(lab) for each in node.standby if each.address == address]
    return max(sharing, key=lambda held: held[0].priority)[1] if sharing else None


def _routers(lab: Lab) -> Iterator[tuple[str, LabRouter]]:
    for name, node in lab.nodes.items():
        if isinstance(node, LabRouter):
            yield name, node


def _services(lab: Lab) -> Iterator[PlannedService]:
    for name, node in lab.nodes.items():
        for service in node.services:
            yield PlannedService(node=name, name=service.kind, service=service)


def _leased(lab: Lab) -> Iterator[Port]:
    for name, node in lab.nodes.items():
        if isinstance(node, LabHost) and node.dhcp:
            yield Port(node=name, interface=next(iter(node.interfaces)))
