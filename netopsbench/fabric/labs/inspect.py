"""Is a running lab healthy? Everything that its file promises is tried, from beside the nodes."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Literal

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.beside import Conversation, talking
from netopsbench.fabric.engine import Fabric, ProgressCallback
from netopsbench.fabric.labs.adjacency import QUESTIONS, neighbors_up
from netopsbench.fabric.labs.inspect_layer2 import Layer2Kind, device_findings, standby_findings
from netopsbench.fabric.labs.layer2 import standby_device
from netopsbench.fabric.labs.lldp import SHOW_NEIGHBORS, unheard
from netopsbench.fabric.labs.plan import LabPlan
from netopsbench.fabric.labs.spec import DhcpService, DnsService, HttpService, Service
from netopsbench.fabric.observe import Eyes, observing
from netopsbench.fabric.queries import client_address, nodes_by_name

_REPLY_DEADLINE_S = 60.0
_POLL_S = 0.2
_ASKED_S = 10.0

FindingKind = (
    Literal["link", "address", "route", "adjacency", "service", "reachability", "dns", "http", "lldp"] | Layer2Kind
)


class Finding(Model):
    """Something that isn't as in a healthy lab."""

    kind: FindingKind
    node: str
    """Where it was noticed."""
    about: str
    """The port, neighbor, host, name or page that is meant."""
    message: str


def check_lab(fabric: Fabric) -> list[Finding]:
    """Everything that isn't as the lab's file says; empty when all is well. Takes a second or two."""
    with inspecting(fabric) as inspection:
        return inspection.findings()


def settle_lab(fabric: Fabric, *, deadline_s: float, progress: ProgressCallback | None = None) -> None:
    """Wait until the lab is healthy.

    Raises InfraError("not_converged") naming what is missing at the deadline.
    """
    end = time.monotonic() + deadline_s
    with inspecting(fabric) as inspection:
        while True:
            passed, findings = inspection.up_to_the_first_failure()
            if progress is not None:
                progress("converge", passed, len(inspection.stages))
            if not findings:
                return
            if time.monotonic() > end:
                shown = "; ".join(finding.message for finding in findings[:3])
                raise InfraError("not_converged", f"after {deadline_s:g} s {len(findings)} things are missing: {shown}")
            time.sleep(_POLL_S)


@contextmanager
def inspecting(fabric: Fabric) -> Iterator["Inspection"]:
    """Keep what looks at a lab beside it for the block: starting it takes longer than looking."""
    lab = fabric.plan.lab
    if lab is None:
        raise ValueError(f"{fabric.plan.name} is no lab; its health is told by netopsbench.fabric.observe")
    module = "netopsbench.fabric.labs.inspector"
    with (
        observing(fabric) as eyes,
        talking(fabric, module, who="the inspector", reply_s=_REPLY_DEADLINE_S) as inspector,
    ):
        yield Inspection(fabric, lab, eyes, inspector)


class Inspection:
    """Looks at one lab, stage by stage: each only makes sense when those before it are well."""

    def __init__(self, fabric: Fabric, lab: LabPlan, eyes: Eyes, inspector: Conversation) -> None:
        self._fabric = fabric
        self._lab = lab
        self._eyes = eyes
        self._inspector = inspector
        self._by_name = nodes_by_name(fabric.plan)
        self.stages: tuple[Callable[[], list[Finding]], ...] = (
            self.kernels,
            self.layer2,
            self.services,
            self.adjacencies,
            self.neighbors,
            self.reachability,
            self.names,
            self.pages,
        )

    def findings(self) -> list[Finding]:
        """Everything that isn't as the lab's file says. Raises InfraError when it can't be looked at."""
        return [finding for stage in self.stages for finding in stage()]

    def up_to_the_first_failure(self) -> tuple[int, list[Finding]]:
        """How many stages are well, and what is wrong in the next one."""
        for passed, stage in enumerate(self.stages):
            findings = stage()
            if findings:
                return passed, findings
        return len(self.stages), []

    def kernels(self) -> list[Finding]:
        """Links, addresses and default gateways of every node."""
        states = self._eyes.state(list(self._by_name))
        findings = []
        for name, node in self._by_name.items():
            state = states[name]
            held = {each for each in state.addresses if not each.startswith("lo 127.")}
            meant = {f"{port.name} {port.address}" for port in node.interfaces}
            meant |= {f"lo {node.loopback}/32"} if node.loopback else set()
            meant |= {f"{standby_device(each)} {each.address}/32" for each in self._lab.standby.get(name, ())}
            for port in node.interfaces:
                if not (port.name in state.links and state.links[port.name].is_usable):
                    findings.append(_finding("link", name, port.name, f"{name}:{port.name} is down"))
            for each in sorted(meant - held):
                findings.append(_finding("address", name, each, f"{name} lacks the address {each}"))
            for each in sorted(held - meant):
                findings.append(_finding("address", name, each, f"{name} has an address too many, {each}"))
            if not node.is_switch and node.attached_to and "0.0.0.0/0" not in state.routes:
                findings.append(_finding("route", name, "0.0.0.0/0", f"{name} has no default gateway"))
        return findings

    def layer2(self) -> list[Finding]:
        """Bridges, spanning trees, VXLANs and shared gateway addresses."""
        bridging, sharing = list(self._lab.bridges), list(self._lab.standby)
        seen = self._ask("devices", [(self._fabric.pid(name),) for name in bridging])
        shown = self._ask("show", [(self._fabric.pid(name), "vrrpd", "show vrrp json") for name in sharing])
        wrong = [
            *device_findings(self._fabric.plan, self._lab, dict(zip(bridging, seen, strict=True))),
            *standby_findings(self._lab, dict(zip(sharing, shown, strict=True))),
        ]
        return [_finding(*each) for each in wrong]

    def services(self) -> list[Finding]:
        """Something listens where each service is served."""
        sockets = [(each, *_socket_of(each.service)) for each in self._lab.services]
        answers = self._ask(
            "listen", [(self._fabric.pid(each.node), protocol, port) for each, protocol, port in sockets]
        )
        return [
            _finding(
                "service",
                each.node,
                each.name,
                f"{each.name} of {each.node} is down: nothing listens on {protocol} port {port}",
            )
            for (each, protocol, port), is_served in zip(sockets, answers, strict=True)
            if not is_served
        ]

    def adjacencies(self) -> list[Finding]:
        """Neighbors of every routing protocol."""
        wanted = self._lab.baseline.adjacencies
        asked = list(dict.fromkeys((each.node, each.protocol) for each in wanted))
        questions = [(self._fabric.pid(node), *QUESTIONS[protocol]) for node, protocol in asked]
        answers = dict(zip(asked, self._ask("show", questions), strict=True))
        up = {key: neighbors_up(key[1], answer or "") for key, answer in answers.items()}
        return [
            _finding(
                "adjacency", each.node, each.neighbor, f"{each.node} lacks its {each.protocol} neighbor {each.neighbor}"
            )
            for each in wanted
            if not up[each.node, each.protocol] & set(each.addresses)
        ]

    def neighbors(self) -> list[Finding]:
        """Who is heard at each end of a cable by LLDP; only lldpd itself can tell."""
        speaking = self._lab.lldp
        with ThreadPoolExecutor(max(1, len(speaking))) as pool:
            answers = pool.map(lambda name: self._fabric.exec(name, SHOW_NEIGHBORS, timeout_s=_ASKED_S), speaking)
            told = {name: done.stdout for name, done in zip(speaking, answers, strict=True)}
        return [_finding("lldp", *each) for each in unheard(self._fabric.plan, told)]

    def reachability(self) -> list[Finding]:
        """Pings between all hosts that are meant to reach each other."""
        pairs = self._lab.baseline.reachable
        addresses = {name: str(client_address(self._by_name[name])) for pair in pairs for name in pair}
        answered = self._ask("ping", [(self._fabric.pid(here), addresses[there]) for here, there in pairs])
        return [
            _finding("reachability", here, there, f"{here} gets no answer from {there} ({addresses[there]})")
            for (here, there), is_answered in zip(pairs, answered, strict=True)
            if not is_answered
        ]

    def names(self) -> list[Finding]:
        """Every name, from every host that has a resolver, by the server in its resolv.conf."""
        records = {
            name: str(address)
            for planned in self._lab.services
            if isinstance(planned.service, DnsService)
            for name, address in planned.service.records.items()
        }
        asked = [(host, name) for host in self._lab.resolvers for name in records]
        answers = self._ask("resolve", [(self._fabric.pid(host), name) for host, name in asked])
        return [
            _finding("dns", host, name, f"{host} resolves {name} to {answer or 'nothing'}, not to {records[name]}")
            for (host, name), answer in zip(asked, answers, strict=True)
            if answer != records[name]
        ]

    def pages(self) -> list[Finding]:
        """Every page, from every host that reaches its server."""
        served = {each.node: each.service for each in self._lab.services if isinstance(each.service, HttpService)}
        asked = [pair for pair in self._lab.baseline.reachable if pair[1] in served]
        requests = [
            (self._fabric.pid(host), str(client_address(self._by_name[server])), served[server].port)
            for host, server in asked
        ]
        return [
            _finding("http", host, server, f"{host} doesn't get the page of {server}")
            for (host, server), page in zip(asked, self._ask("fetch", requests), strict=True)
            if page != served[server].page
        ]

    def _ask(self, question: str, of: list[Any]) -> list[Any]:
        answers: list[Any] = self._inspector.ask({"ask": question, "of": of}) if of else []
        return answers


def _socket_of(service: Service) -> tuple[str, int]:
    match service:
        case HttpService():
            return "tcp", service.port
        case DnsService():
            return "udp", 53
        case DhcpService():
            return "udp", 67


def _finding(kind: FindingKind, node: str, about: str, message: str) -> Finding:
    return Finding(kind=kind, node=node, about=about, message=message)
