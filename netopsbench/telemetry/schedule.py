"""Which probe goes out when: the coverage schedule as pure data; standard library only.

An epoch covers every ordered pair of clients on every source port once. It is made of cycles; in a cycle every
client probes one batch of destinations with one batch of source ports, spread evenly over the cycle.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FIRST_PORT = 33000
"""The lowest source port of probes."""
PORTS = 16
"""Source ports in use: they sample the equal-cost paths."""
ECHO_PORT = 33434
"""Where every client answers probes."""
ALL_PORTS = (1 << PORTS) - 1
"""The port mask of complete coverage."""


def ordered_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Every (source, destination) of a full mesh, source by source."""
    return [(src, dst) for src in names for dst in names if src != dst]


@dataclass(frozen=True)
class Cycle:
    """One step of an epoch."""

    steps: range
    """Destinations as distances: client i probes client i + step (modulo their number)."""
    ports: range
    """Source ports as offsets from `FIRST_PORT`."""


def cycles(clients: int, port_batches: Sequence[int], destinations: int) -> list[Cycle]:
    """The cycles of one epoch: every batch of destinations with every batch of ports.

    `port_batches` are batch sizes that add up to `PORTS`; `destinations` is the size of a batch, 0 for all.
    Raises ValueError when the port batches don't cover the ports exactly.
    """
    if sum(port_batches) != PORTS or min(port_batches, default=0) < 1:
        raise ValueError(f"port batches {list(port_batches)} must add up to {PORTS}")
    size = destinations or max(clients - 1, 1)
    found: list[Cycle] = []
    for first in range(1, clients, size):
        low = 0
        for batch in port_batches:
            found.append(Cycle(range(first, min(first + size, clients)), range(low, low + batch)))
            low += batch
    return found


@dataclass(frozen=True)
class Coverage:
    """One epoch's probes in sending order; the arrays run in step."""

    clients: int
    sources: "array[int]"
    """Index of the sending client."""
    destinations: "array[int]"
    """Index of the probed client."""
    ports: "array[int]"
    """Source port as offset from `FIRST_PORT`."""
    due_ns: "array[int]"
    """When to send, counted from the start of the epoch."""

    def __len__(self) -> int:
        return len(self.sources)


def coverage(clients: int, cycle_ns: int, port_batches: Sequence[int], destinations: int) -> Coverage:
    """Every pair on every port once, cycle after cycle, evenly spread inside each.

    Neighbouring probes leave from different clients and reach different ones, so that no socket sees a burst.
    """
    found = Coverage(clients, array("H"), array("H"), array("H"), array("q"))
    for number, cycle in enumerate(cycles(clients, port_batches, destinations)):
        total = len(cycle.steps) * len(cycle.ports) * clients
        for position, (source, destination, port) in enumerate(_order(clients, cycle)):
            found.sources.append(source)
            found.destinations.append(destination)
            found.ports.append(port)
            found.due_ns.append(cycle_ns * number + cycle_ns * position // total)
    return found


def _order(clients: int, cycle: Cycle) -> Iterator[tuple[int, int, int]]:
    for port in cycle.ports:
        for step in cycle.steps:
            for source in range(clients):
                yield source, (source + step) % clients, port


def row_of(clients: int, source: int, destination: int) -> int:
    """Where an ordered pair stands among the rows of an epoch: source by source, without the diagonal."""
    return source * (clients - 1) + destination - (destination > source)
