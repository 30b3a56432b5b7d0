"""Records what the command lines of a network's devices tell: all that is at hand, and what is usually looked up."""

import time
import zlib
from collections.abc import Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from netopsbench.core.errors import NetopsbenchError, ToolError
from netopsbench.core.model import Model
from netopsbench.fabric.plan import Node
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.execute import live_device
from netopsbench.vendors import facts as f
from netopsbench.vendors.command import View
from netopsbench.vendors.lines import CommandLines
from netopsbench.vendors.recorded import FactBook, ListeningDevice
from netopsbench.vendors.usual import (
    AT_HAND,
    Around,
    around,
    kinds_of,
    other_look_ups,
    plain_lines,
    probes,
    route_look_ups,
)

ASKING_S = 15.0
"""After so long no further look-up but of routes, and no further probe is begun."""
_AT_ONCE = 4
_PATIENCE = 3
"""How often a device is asked for what a recording can't do without."""
_LEVEL = 9

Typed = tuple[str, str]
"""A device and a line."""
_Ask = tuple[str, str | type[Model]]
"""A device, and a line or the facts to ask it for."""


def record_devices(
    context: ToolContext,
    lines: CommandLines,
    typed: Iterable[Typed],
    ends: Sequence[str] = (),
    asking_s: float = ASKING_S,
) -> tuple[FactBook, int]:
    """Everything that the devices tell, and how many usual questions there was no time for.

    `typed` are lines that an agent typed, `ends` the hosts whose addresses are probed first.
    """
    clerk = _Clerk(context, lines, asking_s)
    left_out = clerk.ask_all(list(typed), ends)
    return FactBook(records=tuple(record for device in clerk.devices.values() for record in device.records())), left_out


def packed_book(book: FactBook) -> bytes:
    """A book as bytes; the same book gives the same bytes."""
    return zlib.compress(book.model_dump_json().encode(), _LEVEL)


def read_book(packed: bytes) -> FactBook:
    """What `packed_book` kept. Raises ValueError for bytes that are none."""
    try:
        return FactBook.model_validate_json(zlib.decompress(packed))
    except zlib.error as broken:
        raise ValueError(str(broken)) from None


class _Clerk:
    """Asks devices until everything is asked or the time is over."""

    def __init__(self, context: ToolContext, lines: CommandLines, asking_s: float) -> None:
        self.devices = {
            node.name: ListeningDevice(node.name, live_device(context, node.name)) for node in context.plan.nodes
        }
        self._plan = context.plan
        self._vendors = lines.vendors
        self._deadline = time.monotonic() + asking_s

    def ask_all(self, typed: Sequence[Typed], ends: Sequence[str]) -> int:
        """Ask for everything; how many questions there was no time for, or no answer in time."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            # Without these a recording would be none, so they take the time they need.
            needed = [*self._at_hand(), *_commands(typed, self.devices)]
            unanswered = sum(not is_told for is_told in pool.map(self._ask_patiently, needed))
            return unanswered + sum(not is_asked for is_asked in pool.map(self._ask_in_time, self._rest(ends)))

    def _at_hand(self) -> Iterator[_Ask]:
        for node in self._plan.nodes:
            # Learnt entries are forgotten soon after nobody needs them, so these come before everything else.
            yield node.name, f.Neighbors
        for node in self._plan.nodes:
            vendor = self._vendors[node.name]
            # A host runs no routing software that could tell more than its own programs print.
            kinds = AT_HAND if node.is_switch else kinds_of(vendor)
            yield from ((node.name, kind) for kind in kinds if kind is not f.Neighbors)
            lines = (*plain_lines(vendor), *route_look_ups(vendor, around(self._plan, node)))
            yield from ((node.name, line) for line in lines)

    def _rest(self, ends: Sequence[str]) -> Iterator[_Ask]:
        for node in self._plan.nodes:
            yield from ((node.name, line) for line in other_look_ups(self._vendors[node.name], self._around(node)))
        hosts = [node for node in self._plan.nodes if not node.is_switch and node.interfaces]
        first = [host for host in hosts if host.name in ends]
        for targets in (first, [host for host in hosts if host.name not in ends]):
            addresses = tuple(str(host.interfaces[0].address.ip) for host in targets)
            for node in sorted(self._plan.nodes, key=lambda each: each.name not in ends):
                yield from ((node.name, line) for line in probes(self._vendors[node.name], addresses))

    def _around(self, node: Node) -> Around:
        """What is around a device, the names that it told among it."""
        told = self.devices[node.name].told(f.Policies)
        if told is None:
            return around(self._plan, node)
        names = (*(each.name for each in told.policies), *(each.name for each in told.lists))
        return replace(around(self._plan, node), names=tuple(dict.fromkeys(names)))

    def _ask_in_time(self, ask: _Ask) -> bool:
        return time.monotonic() <= self._deadline and self._ask(ask)

    def _ask_patiently(self, ask: _Ask) -> bool:
        return any(self._ask(ask) for _ in range(_PATIENCE))

    def _ask(self, ask: _Ask) -> bool:
        """Ask one thing; False when the device didn't answer in time."""
        name, wanted = ask
        vendor = self._vendors[name]
        try:
            if isinstance(wanted, str):
                self.devices[name].type_line(vendor, wanted)
            else:
                self.devices[name].look(wanted, View(name, vendor, vendors=self._vendors))
        except ToolError as refused:
            return refused.kind != "timeout"
        except (NetopsbenchError, OSError, LookupError, ValueError, TypeError, AttributeError):
            # What fails on our side, an agent isn't told either.
            return True
        return True


def _commands(typed: Sequence[Typed], known: Container[str]) -> Iterator[_Ask]:
    """The commands of lines, without what filters them."""
    for device, line in dict.fromkeys(typed):
        if device in known:
            yield device, line.partition("|")[0]
