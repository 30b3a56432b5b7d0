"""One epoch on its way, and what stays the same from epoch to epoch; standard library only."""

from array import array
from collections.abc import Sequence

from netopsbench.telemetry.probe_sockets import Client, ClientSockets
from netopsbench.telemetry.recorder import Slot
from netopsbench.telemetry.schedule import ECHO_PORT, PORTS, Coverage, row_of


class Flight:
    """One epoch on its way; times are monotonic."""

    def __init__(self, number: int, place: int, slot: Slot, started_ns: int) -> None:
        self.number = number
        self.place = place
        """Index of `slot` among the shared buffers."""
        self.slot = slot
        self.started_ns = started_ns
        self.schedule_ns = started_ns
        """Where the schedule's zero lies; later than the start once sending has lagged."""
        self.ended_ns = 0
        """Just after the last probe was sent; 0 before that."""
        self.position = 0
        """Next probe of the schedule."""
        self.passes = 0
        """Looks at all sockets since the last reply was due."""
        self.drops = 0
        self.stalls = 0


class Paths:
    """Sockets and addresses, laid out so that the loop only looks them up.

    `due_ns`, `senders`, `targets` and `cells` run in sending order; `expected` and `first_sockets` by row.
    """

    def __init__(self, clients: Sequence[Client], opened: Sequence[ClientSockets], plan: Coverage) -> None:
        targets = [(client.ip, ECHO_PORT) for client in clients]
        sockets = [probe for held in opened for probe in held.probes]
        rows = [(src, dst) for src in range(plan.clients) for dst in range(plan.clients) if src != dst]
        order = list(zip(plan.sources, plan.destinations, plan.ports, strict=True))
        self.sockets = {probe.fileno(): (probe, index) for index, probe in enumerate(sockets)}
        """File number to probe socket and its index."""
        self.due_ns = plan.due_ns
        self.senders = [sockets[src * PORTS + port].sendto for src, _, port in order]
        self.targets = [targets[dst] for _, dst, _ in order]
        self.cells = array("I", [row_of(plan.clients, src, dst) * PORTS + port for src, dst, port in order])
        self.expected = [targets[dst] for _, dst in rows]
        """Who answers the probes of a row."""
        self.first_sockets = array("I", [src * PORTS for src, _ in rows])
        """Index of the socket that sends a row's first port."""
