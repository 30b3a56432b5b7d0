"""One epoch on its way, and what stays the same from epoch to epoch; standard library only.

Cells number the probes of an epoch: first the ordinary ones, `PORTS` of each row, then the don't-fragment ones alike.
"""

import socket
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netopsbench.telemetry.probe_sockets import Client, ClientSockets
from netopsbench.telemetry.prober_config import Configuration
from netopsbench.telemetry.recorder import Slot
from netopsbench.telemetry.schedule import ECHO_PORT, PORTS, Coverage, coverage, df_coverage, port_ranges, row_of

Address = tuple[str, int]
Send = Callable[[bytearray, Address], int]


@dataclass(frozen=True)
class Leg:
    """A part of an epoch in sending order; the four run in step."""

    due_ns: "array[int]"
    senders: list[Send]
    targets: list[Address]
    cells: "array[int]"

    def __len__(self) -> int:
        return len(self.cells)


class Flight:
    """One epoch on its way; times are monotonic."""

    def __init__(self, number: int, place: int, slot: Slot, started_ns: int, legs: Sequence[Leg]) -> None:
        self.number = number
        self.place = place
        """Index of `slot` among the shared buffers."""
        self.slot = slot
        self.started_ns = started_ns
        self.schedule_ns = started_ns
        """Where the schedule's zero lies; later than the start once sending has lagged."""
        self.ended_ns = 0
        """Just after the last probe was sent; 0 before that."""
        self.legs = list(legs)
        """What is still to be sent; the first is under way."""
        self.scheduled = sum(len(leg) for leg in legs)
        self.position = 0
        """Next probe of the first leg."""
        self.passes = 0
        """Looks at all sockets since the last reply was due."""
        self.drops = 0
        self.stalls = 0


class Paths:
    """Who probes whom through which socket, and who has to answer."""

    def __init__(self, clients: Sequence[Client], opened: Sequence[ClientSockets]) -> None:
        count = len(clients)
        self._count = count
        self._targets = [(client.ip, ECHO_PORT) for client in clients]
        self._sockets: list[socket.socket] = [probe for held in opened for probe in held.probes]
        # One object per socket: a new one for each probe would take tens of megabytes.
        self._senders: list[Send] = [probe.sendto for probe in self._sockets]
        self._places = {target: place for place, target in enumerate(self._targets)}
        rows = [(src, dst) for src in range(count) for dst in range(count) if src != dst]
        self.sockets = {probe.fileno(): (probe, index) for index, probe in enumerate(self._sockets)}
        """File number to probe socket and its index."""
        self.cells = len(rows) * PORTS
        """Cells of ordinary probes, and as many again of don't-fragment probes."""
        self.expected = [self._targets[dst] for _, dst in rows]
        """Who answers the probes of a row."""
        self.first_sockets = array("I", [src * PORTS for src, _ in rows])
        """Index of the socket that sends a row's first port."""

    def leg(self, plan: Coverage) -> Leg:
        """A schedule with its sockets and addresses."""
        steps = zip(plan.sources, plan.destinations, plan.ports, plan.is_df, strict=True)
        return Leg(
            due_ns=plan.due_ns,
            senders=[self._senders[src * PORTS + port] for src, port in zip(plan.sources, plan.ports, strict=True)],
            targets=[self._targets[dst] for dst in plan.destinations],
            cells=array(
                "I",
                [is_df * self.cells + row_of(self._count, src, dst) * PORTS + port for src, dst, port, is_df in steps],
            ),
        )

    def cell(self, index: int, sender: Address) -> int | None:
        """The cell of ordinary probes that a datagram from `sender` in socket `index` must belong to."""
        source, port = divmod(index, PORTS)
        target = self._places.get(sender)
        if target is None or target == source:
            return None
        return row_of(self._count, source, target) * PORTS + port


def legs_in_turn(asked: Configuration, paths: Paths) -> list[tuple[Leg, ...]]:
    """What the epochs send, in rotation."""
    count = len(asked.clients)
    ordinary = coverage(count, asked.cycle_ns, asked.port_batches, asked.destinations, with_df=asked.df_in_cycles)
    first = paths.leg(ordinary)
    if asked.df_in_cycles:
        return [(first,)]
    return [
        (first, paths.leg(df_coverage(count, ports, asked.cycle_ns, asked.df_ns)))
        for ports in port_ranges(asked.df_batches)
    ]
