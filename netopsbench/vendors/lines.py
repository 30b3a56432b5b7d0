"""The command lines of a network's devices: which vendor each is, what is denied, and how many run at once."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.vendors.command import Look, View
from netopsbench.vendors.complaints import choices, complaint
from netopsbench.vendors.names import VENDORS, Need, Vendor, prompt
from netopsbench.vendors.parse import LONGEST_LINE, CommandMistakeError
from netopsbench.vendors.pipes import Pipe, PipeMistakeError, split
from netopsbench.vendors.recorded import NO_PERMISSION, FactBook
from netopsbench.vendors.table import Asked, help_at, needs_of, read

DENIED, BAD_SYNTAX, BUSY = "denied", "bad_syntax", "busy"
"""Kinds of errors, beside `unknown_device` and `not_recorded`."""
_SWITCHES: tuple[Vendor, ...] = tuple(vendor for vendor in VENDORS if vendor != "linux")


class Denial(Model):
    """Something that may not be asked."""

    need: Need
    device: str | None = None
    """None for all devices."""


class CommandLineRules(Model):
    """What is decided for one question."""

    seed: int = 0
    """Decides which vendor each device is."""
    vendors: dict[str, Vendor] = Field(default_factory=dict)
    """Devices whose vendor isn't left to the seed."""
    denied: tuple[Denial, ...] = ()
    at_once: int = Field(default=8, ge=1)
    """Commands that may run at the same time."""


def vendors_by_seed(plan: FabricPlan, seed: int) -> dict[str, Vendor]:
    """Device to vendor: clients and hosts run Linux, of the others each vendor gets about as many."""
    switches = [node.name for node in plan.nodes if node.is_switch]
    chance = random.Random(f"vendors {seed}")
    dealt: list[Vendor] = []
    while len(dealt) < len(switches):
        dealt += chance.sample(_SWITCHES, len(_SWITCHES))
    found: dict[str, Vendor] = {node.name: "linux" for node in plan.nodes}
    return found | dict(zip(switches, dealt, strict=False))


class CommandLines:
    """The command lines of one network under the rules of one question. Threads may share one."""

    def __init__(self, plan: FabricPlan, rules: CommandLineRules, book: FactBook | None = None) -> None:
        """With a `book` devices answer from it, and from nothing else."""
        self.book = book
        self.vendors: Mapping[str, Vendor] = vendors_by_seed(plan, rules.seed) | rules.vendors
        self._denied = rules.denied
        self._at_once = rules.at_once
        self._places = BoundedSemaphore(rules.at_once)

    def answer(self, device: str, line: str, source: Look) -> str:
        """What a device prints for a line, the line itself first.

        Raises ToolError of the kinds `unknown_device`, `denied`, `bad_syntax` and `busy`, in this order, and whatever
        the source raises.
        """
        vendor = self.vendor(device)
        if line.strip().endswith("?"):
            return f"{prompt(vendor, device)}{line}\n{self._help(device, vendor, line)}"
        asked, pipes = self._read(device, vendor, line)
        with self._place():
            view = View(device, vendor, asked.words, asked.arguments, self.vendors)
            shown = _through(pipes, asked.command.answer(source, view).splitlines())
        return "\n".join([prompt(vendor, device) + line, *shown])

    def vendor(self, device: str) -> Vendor:
        """Raises ToolError `unknown_device`."""
        if device not in self.vendors:
            known = ", ".join(self.vendors)
            raise ToolError(f"there is no device {device[:80]!r}; the devices are: {known}", "unknown_device")
        return self.vendors[device]

    def _read(self, device: str, vendor: Vendor, line: str) -> tuple[Asked, Sequence[Pipe]]:
        try:
            if len(line) > LONGEST_LINE or "\n" in line:
                raise CommandMistakeError("too_many", (), 0, min(LONGEST_LINE, len(line.partition("\n")[0])))
            command, pipes = split(line, vendor)
            asked = read(vendor, command)
        except CommandMistakeError as found:
            self._admit(device, needs_of(found))
            mistake = found
        except PipeMistakeError as found:
            mistake = self._behind_pipe(device, vendor, line, found.column)
        else:
            self._admit(device, frozenset({asked.command.need}))
            return asked, pipes
        shown = line.partition("\n")[0][:LONGEST_LINE]
        raise ToolError(complaint(vendor, device, shown, mistake), BAD_SYNTAX)

    def _behind_pipe(self, device: str, vendor: Vendor, line: str, column: int) -> CommandMistakeError:
        """The mistake in a filter, unless the command itself is denied or wrong already."""
        command = line.partition("|")[0]
        try:
            self._admit(device, frozenset({read(vendor, command).command.need}))
        except CommandMistakeError as earlier:
            self._admit(device, needs_of(earlier))
            return earlier
        return CommandMistakeError("unrecognized", (), 0, column)

    def _admit(self, device: str, needs: frozenset[Need]) -> None:
        """Raises ToolError `denied` when everything that a line may ask for is denied."""
        denied = {each.need for each in self._denied if each.device in (None, device)}
        if needs and needs <= denied:
            raise ToolError(NO_PERMISSION, DENIED)

    def _help(self, device: str, vendor: Vendor, line: str) -> str:
        try:
            return choices(vendor, help_at(vendor, line))
        except CommandMistakeError as mistake:
            raise ToolError(complaint(vendor, device, line[:LONGEST_LINE], mistake), BAD_SYNTAX) from None

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise ToolError(f"{self._at_once} commands are running already; try again when one has ended", BUSY)
        try:
            yield
        finally:
            self._places.release()


def _through(pipes: Sequence[Pipe], lines: list[str]) -> list[str]:
    for pipe in pipes:
        lines = pipe.passed(lines)
    return lines
