"""Which probe goes out when: the coverage schedule as pure data; standard library only.

An epoch covers every ordered pair of clients on every source port once. It is made of cycles; in a cycle every
client probes one batch of destinations with one batch of source ports, spread evenly over the cycle. Every pair gets
don't-fragment (DF) probes too: among the others, one per destination and cycle, or after them in a part of their own.
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


def port_ranges(batches: Sequence[int]) -> list[range]:
    """The source ports of each batch, as offsets.

    `batches` are sizes that add up to `PORTS`. Raises ValueError when they don't.
    """
    if sum(batches) != PORTS or min(batches, default=0) < 1:
        raise ValueError(f"port batches {list(batches)} must add up to {PORTS}")
    found: list[range] = []
    for batch in batches:
        low = found[-1].stop if found else 0
        found.append(range(low, low + batch))
    return found


def cycles(clients: int, port_batches: Sequence[int], destinations: int) -> list[Cycle]:
    """The cycles of one epoch: every batch of destinations with every batch of ports.

    `port_batches` are as `port_ranges` takes them; `destinations` is the size of a batch, 0 for all.
    """
    size = destinations or max(clients - 1, 1)
    return [
        Cycle(range(first, min(first + size, clients)), ports)
        for first in range(1, clients, size)
        for ports in port_ranges(port_batches)
    ]


@dataclass(frozen=True)
class Coverage:
    """Probes in sending order; the arrays run in step."""

    clients: int
    sources: "array[int]"
    """Index of the sending client."""
    destinations: "array[int]"
    """Index of the probed client."""
    ports: "array[int]"
    """Source port as offset from `FIRST_PORT`."""
    is_df: "array[int]"
    """1 for a don't-fragment probe."""
    due_ns: "array[int]"
    """When to send, counted from the start of the epoch."""

    def __len__(self) -> int:
        return len(self.sources)


Entry = tuple[int, int, int, bool]
"""Source, destination, port, whether it is a don't-fragment probe."""


def coverage(
    clients: int, cycle_ns: int, port_batches: Sequence[int], destinations: int, *, with_df: bool = False
) -> Coverage:
    """Every pair on every port once, cycle after cycle, evenly spread inside each.

    `with_df` adds a don't-fragment probe per destination and cycle, from one of the cycle's ports. Neighbouring probes
    leave from different clients and reach different ones, so that no socket sees a burst.
    """
    found = _no_coverage(clients)
    for number, cycle in enumerate(cycles(clients, port_batches, destinations)):
        entries = list(_order(clients, cycle, with_df=with_df))
        _spread(found, entries, cycle_ns * number, cycle_ns)
    return found


def df_coverage(clients: int, ports: range, start_ns: int, length_ns: int) -> Coverage:
    """A don't-fragment probe from each of `ports` for every pair, spread over `length_ns` from `start_ns` on."""
    found = _no_coverage(clients)
    everybody = Cycle(range(1, clients), ports)
    entries = [(source, target, port, True) for source, target, port, _ in _order(clients, everybody)]
    _spread(found, entries, start_ns, length_ns)
    return found


def _no_coverage(clients: int) -> Coverage:
    return Coverage(clients, array("H"), array("H"), array("H"), array("B"), array("q"))


def _spread(found: Coverage, entries: Sequence[Entry], start_ns: int, length_ns: int) -> None:
    for position, (source, destination, port, is_df) in enumerate(entries):
        found.sources.append(source)
        found.destinations.append(destination)
        found.ports.append(port)
        found.is_df.append(is_df)
        found.due_ns.append(start_ns + length_ns * position // len(entries))


def _order(clients: int, cycle: Cycle, *, with_df: bool = False) -> Iterator[Entry]:
    for place, port in enumerate(cycle.ports):
        for step in cycle.steps:
            for source in range(clients):
                target = (source + step) % clients
                yield source, target, port, False
                # Which port of the cycle it is depends on the pair, so that the mesh as a whole uses all of them.
                if with_df and (source + step) % len(cycle.ports) == place:
                    yield source, target, port, True


def row_of(clients: int, source: int, destination: int) -> int:
    """Where an ordered pair stands among the rows of an epoch: source by source, without the diagonal."""
    return source * (clients - 1) + destination - (destination > source)
