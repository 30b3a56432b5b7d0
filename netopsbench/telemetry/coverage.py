"""What a window of Pingmesh covered: pairs and ports, and the links that its probes cross by the live routes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.flows import Flow, Path, tracing, unprobed_ports
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import client_address, clients
from netopsbench.records.names import Port
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.detect import coverage_problems, missing_pairs
from netopsbench.telemetry.path_table import Columns, Pair, PathTable, measured
from netopsbench.telemetry.pingmesh import expected_pairs
from netopsbench.telemetry.schedule import ECHO_PORT

_NAMED = 100
"""Missing parts that a report names."""


class CoverageReport(Model):
    """What was probed in a window, and what was not."""

    epochs: int
    pairs_expected: int
    pairs_measured: int
    missing: tuple[str, ...]
    """What is missing, in words, at most 100 of `missing_total`."""
    missing_total: int
    flows: int
    """5-tuples of probes and of replies that went out."""
    flows_cut_short: int
    """Those of them that some switch has no way for now."""
    crossings: Mapping[str, int]
    """Sending end of each fabric link in each direction, `spine1:eth2`, to the number of flows that cross it."""
    unprobed: tuple[Port, ...]
    """Sending ends that no flow crosses: a fault there shows in no probe."""

    @property
    def is_complete(self) -> bool:
        """Whether every pair was probed on every port in every epoch, with don't-fragment probes too."""
        return self.epochs > 0 and not self.missing_total


def report(fabric: Fabric, store: Columns, window: Window) -> CoverageReport:
    """What the records of the window cover, along the paths that their 5-tuples take now.

    Probes and their replies are followed: at 144 clients that takes some 15 s.
    """
    table = measured(store, window)
    flows = list(_flows(fabric.plan, table))
    with tracing(fabric) as traces:
        paths = traces.paths(flows)
    missing = missing_parts(table, expected_pairs(fabric.plan))
    arrivals = {str(client.interfaces[0].peer) for client in clients(fabric.plan)}
    return CoverageReport(
        epochs=len(table.epochs),
        pairs_expected=len(expected_pairs(fabric.plan)),
        pairs_measured=len(table),
        missing=tuple(missing[:_NAMED]),
        missing_total=len(missing),
        flows=len(flows),
        flows_cut_short=sum(path[-1] not in arrivals for path in paths),
        crossings=_crossings(fabric.plan, paths),
        unprobed=unprobed_ports(fabric.plan, paths),
    )


def missing_parts(table: PathTable, expected: Sequence[Pair]) -> list[str]:
    """What complete epochs would have and this window hasn't, in words."""
    unprobed = [f"{src} to {dst}: no probe" for src, dst in missing_pairs(table, expected)]
    return [*unprobed, *coverage_problems(table, expected)]


def _flows(plan: FabricPlan, table: PathTable) -> Iterator[Flow]:
    """The 5-tuples of all probes that went out, and of the replies to them."""
    addresses = {client.name: client_address(client) for client in clients(plan)}
    for (src, dst), sent in zip(table.pairs, table.ports["ports_sent"].tolist(), strict=True):
        for bit, count in enumerate(sent):
            if count:
                port = table.first_port + bit
                here, there = addresses[src], addresses[dst]
                yield Flow(source=here, destination=there, source_port=port, destination_port=ECHO_PORT)
                yield Flow(source=there, destination=here, source_port=ECHO_PORT, destination_port=port)


def _crossings(plan: FabricPlan, paths: Iterable[Path]) -> dict[str, int]:
    counts = {str(end): 0 for link in plan.links if link.kind == "fabric" for end in (link.a, link.b)}
    for path in paths:
        for port in path:
            if port in counts:
                counts[port] += 1
    return counts
