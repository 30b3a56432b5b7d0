"""What devices told of healthy networks and of root causes; `recorded_causes.py [NETWORK [CAUSE]...]` records.

Recorded once on running networks, so that whatever a vendor prints of a cause can be checked without one.
"""

import lzma
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.labs.lldp import lldp_cables
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.faults.contract import Step
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.holding import held
from netopsbench.rca.breaking.repertoire import MAKERS
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.records.telemetry import Window
from netopsbench.replay.records import no_records
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.execute import live_device
from netopsbench.vendors.command import View
from netopsbench.vendors.facts import LinkNeighbors, LogLines
from netopsbench.vendors.names import Vendor
from netopsbench.vendors.recorded import FactBook, FactRecord, ListeningDevice
from netopsbench.vendors.usual import AT_HAND, kinds_of, plain_lines

FOLDER = Path(__file__).parent / "recorded"
RECORDED = {
    "xs": (
        "shutdown",
        "MTU value misconfiguration",
        "interface IP error",
        "MAC address configuration error",
        "security policy rule does not permit the corresponding user",
        "loopback IP configuration conflict",
        "blackhole route",
        "incorrect static route",
        "Layer 3 loop",
        "BGP configuration error",
        "IP prefix list missing the corresponding user source IP address",
    ),
    "nat_edge": (
        "NAT external interface attribute misconfiguration or missing configuration",
        "NAT internal interface attribute misconfiguration or missing configuration",
        "missing static route",
        "ARP configuration error",
    ),
    "ospf_enterprise_static": ("OSPF configuration error",),
    "redundant_office": (
        "traffic congestion occupying port bandwidth",
        "global STP not enabled",
        "port STP not enabled",
        "global VRRP hot standby redundancy protocol not enabled",
        "host information collection function missing",
    ),
    "metro_overlay": (
        "ISIS configuration error",
        "VXLAN configuration error",
        "L2VPN configuration error",
        "VPN configuration missing",
    ),
}
"""Network to the causes that are recorded on it."""
_PATIENCE = 3
_PROGRAMS: tuple[Vendor, ...] = ("sonic", "frr")
"""Vendors whose devices print by their own programs; FRR's know Linux's too."""


class RecordedCause(Model):
    """What devices told while a cause was there."""

    broken: Broken
    """As it was made then; how it was undone isn't kept, which may name programs of the machine."""
    book: FactBook


class RecordedNetwork(Model):
    """A network, healthy and with one cause after the other."""

    healthy: FactBook
    causes: tuple[RecordedCause, ...]


@cache
def recorded(network: str) -> RecordedNetwork:
    """What was recorded on a network."""
    return RecordedNetwork.model_validate_json(lzma.decompress((FOLDER / f"{network}.json.xz").read_bytes()))


def _words(steps: Sequence[Step]) -> list[str]:
    return [str(word) for step in steps for word in (*step.argv, step.stdin)]


def kind_of(broken: Broken) -> str:
    """What is done and not undone in the same words, each word after the one before it, numbers left out."""
    done, undone = _words(broken.do), _words(broken.undo)
    changed = [at for at, (one, other) in enumerate(zip_longest(done, undone)) if at < len(done) and one != other]
    return re.sub(
        r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|\d", "", "; ".join(" ".join(done[max(0, at - 1) : at + 1]) for at in changed)
    )


def one_of_each_kind(plan: FabricPlan, label: str) -> list[Broken]:
    """One root cause for each way of making the label, at the first place that is broken so."""
    made = [each for each in MAKERS[label](plan) if each.triple.cause == label]
    return list({kind_of(each): each for each in reversed(made)}.values())


def _asked(plan: FabricPlan, broken: Broken) -> list[Node]:
    """Devices that are concerned, and everything beside the one that is broken."""
    node = next(each for each in plan.nodes if each.name == broken.triple.node)
    names = {node.name, *(port.peer.node for port in node.interfaces), *broken.touches}
    # Spanning tree, VRRP and VXLANs are one for all devices of their lab.
    is_whole = "STP" in broken.triple.cause or "VRRP" in broken.triple.cause or "VXLAN" in broken.triple.cause
    return [each for each in plan.nodes if each.name in names or (is_whole and each.is_switch)]


def _told(fabric: Fabric, nodes: Sequence[Node]) -> FactBook:
    with ThreadPoolExecutor(3) as pool:
        books = pool.map(lambda node: tuple(_facts(fabric, node)), nodes)
    return FactBook(records=tuple(record for book in books for record in book))


def _facts(fabric: Fabric, node: Node) -> Iterator[FactRecord]:
    never = Window(since_ns=0, until_ns=1)
    context = ToolContext(plan=fabric.plan, fabric=fabric, store=no_records(), baseline=never, current=never)
    device = ListeningDevice(node.name, live_device(context, node.name))
    kinds = [kind for kind in (AT_HAND if node.is_switch else kinds_of("linux")) if kind not in _left_out(fabric.plan)]
    asks: list[partial[object]] = [partial(device.look, kind, View(node.name, "linux")) for kind in kinds]
    for vendor in _PROGRAMS if node.is_switch else ("linux",):
        asks += [partial(device.type_line, vendor, line) for line in plain_lines(vendor)]
    for ask in asks:
        try:
            _patiently(ask)
        except ToolError as refused:
            print(f"{node.name}: {ask.args}: {refused}", file=sys.stderr)
    return device.records()


def _left_out(plan: FabricPlan) -> tuple[type[Model], ...]:
    """Nothing is measured, so there are no logs; and LLDP is asked for only where it runs."""
    speaks = any(True for _ in lldp_cables(plan))
    return (LogLines,) if speaks else (LogLines, LinkNeighbors)


def _patiently(ask: Callable[[], object]) -> None:
    """Ask again a device that is too busy to answer in time. Raises ToolError for one that can't tell."""
    for attempt in range(_PATIENCE):
        try:
            ask()
        except ToolError as refused:
            if refused.kind != "timeout" or attempt == _PATIENCE - 1:
                raise
        else:
            return


def _record(name: str, labels: Sequence[str], engine: NativeEngine) -> None:
    """Record these labels' causes on a network anew, and keep the others that were recorded."""
    plan, path = plan_fabric(load_spec(name)), FOLDER / f"{name}.json.xz"
    before = recorded(name).causes if path.exists() else ()
    kept = [each for each in before if each.broken.triple.cause not in labels]
    with StandingNetwork(name, engine) as network:
        healthy = _told(network.fabric, plan.nodes)
        for label in labels:
            for broken in one_of_each_kind(plan, label):
                with held(network.fabric, [broken]):
                    kept.append(
                        RecordedCause(
                            broken=broken.model_copy(update={"undo": ()}),
                            book=_told(network.fabric, _asked(plan, broken)),
                        )
                    )
                network.restored([broken])
                print(f"{name}: {broken.triple}", file=sys.stderr, flush=True)
                told = RecordedNetwork(healthy=healthy, causes=tuple(kept)).model_dump_json()
                path.write_bytes(lzma.compress(told.encode(), preset=6))


if __name__ == "__main__":
    chosen = sys.argv[1:2] or list(RECORDED)
    for each in chosen:
        _record(each, sys.argv[2:] or RECORDED[each], NativeEngine(fetch_software(print)))
