"""What the prober is told on its standard input; standard library only."""

import json
from dataclasses import dataclass
from pathlib import Path

from netopsbench.telemetry.probe_sockets import Client

SHORTEST_STALL_NS = 250_000_000


@dataclass(frozen=True)
class Configuration:
    """What to probe, and how fast."""

    clients: tuple[Client, ...]
    store: Path
    """The socket of the store's owner."""
    epoch_ns: int
    """From the start of an epoch to the start of the next."""
    cycle_ns: int
    timeout_ns: int
    """How long a reply may take."""
    port_batches: tuple[int, ...]
    destinations: int
    """Destinations per cycle; 0 for all."""
    df_bytes: int
    """Payload of a don't-fragment probe."""
    df_in_cycles: bool
    """Whether every cycle sends one to each of its destinations; else they have a part of the epoch to themselves."""
    df_batches: tuple[int, ...]
    """Source ports that send one, epoch by epoch in rotation, when they don't go out in cycles."""
    df_ns: int
    """Over which they are spread then."""
    obey_path_mtu: bool
    """Whether a host that learned of a shorter path MTU refuses to send don't-fragment probes there."""

    @property
    def stall_ns(self) -> int:
        """A process kept from running for longer makes replies look late or lost."""
        return max(self.timeout_ns // 2, SHORTEST_STALL_NS)


def read_configuration(line: str) -> Configuration:
    """The configuration out of its line of JSON. Raises KeyError, TypeError or ValueError for another line."""
    said = json.loads(line)
    return Configuration(
        clients=tuple(Client(**client) for client in said["clients"]),
        store=Path(said["store"]),
        epoch_ns=round(said["epoch_s"] * 1e9),
        cycle_ns=round(said["cycle_s"] * 1e9),
        timeout_ns=round(said["timeout_s"] * 1e9),
        port_batches=tuple(said["port_batches"]),
        destinations=int(said["destinations"]),
        df_bytes=int(said["df_bytes"]),
        df_in_cycles=said["timing"] == "paper",
        df_batches=tuple(said["df_batches"]),
        df_ns=round(said["df_s"] * 1e9),
        obey_path_mtu=said["timing"] == "paper",
    )
