"""Facts kept while a network runs, from which its command lines answer when it is gone.

Facts are kept by device, not texts by command: whatever asks for the same is answered, abbreviated or not, filtered or
not, and in the words of any vendor where no program's own text is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.vendors import facts as f
from netopsbench.vendors.command import Facts, Look, View
from netopsbench.vendors.names import NEEDS, Vendor
from netopsbench.vendors.table import commands_for, golden, read
from netopsbench.vendors.usual import BY_ARGUMENTS, BY_WORDS

NOT_RECORDED = "not_recorded"
_USUAL = (("count", str(f.USUAL_COUNT)), ("size", str(f.USUAL_SIZE_BYTES)))
NO_PERMISSION = "No permission to perform the operation"


class FactRecord(Model):
    """What one device told once."""

    device: str
    kind: str
    """Name of the facts' model."""
    asked: str
    """The command in full, or its arguments, where the facts depend on them; otherwise empty."""
    told: dict[str, JsonValue]


class FactBook(Model):
    """What the devices of a network told."""

    records: tuple[FactRecord, ...]

    def device(self, name: str) -> "RecordedDevice":
        """One device, to be asked again."""
        return RecordedDevice({(each.kind, each.asked): each.told for each in self.records if each.device == name})


class RecordedDevice:
    """Tells what is kept, and refuses everything else."""

    def __init__(self, kept: Mapping[tuple[str, str], Mapping[str, JsonValue]]) -> None:
        self._kept = kept

    def look(self, want: type[Facts], view: View) -> Facts:
        """Raises ToolError `not_recorded`."""
        told = self._kept.get((want.__name__, _asked(want, view)))
        if told is None:
            raise ToolError(NO_PERMISSION, NOT_RECORDED)
        return want.model_validate(told)


class ListeningDevice:
    """Passes questions on and keeps the answers; of two to the same question the last."""

    def __init__(self, device: str, source: Look) -> None:
        self._device = device
        self._source = source
        self._kept: dict[tuple[str, str], FactRecord] = {}

    def look(self, want: type[Facts], view: View) -> Facts:
        facts = self._source.look(want, view)
        asked = _asked(want, view)
        told = cast(dict[str, JsonValue], facts.model_dump(mode="json"))
        record = FactRecord(device=self._device, kind=want.__name__, asked=asked, told=told)
        self._kept[(want.__name__, asked)] = record
        return facts

    def type_line(self, vendor: Vendor, line: str) -> None:
        """Type a line.

        Raises CommandMistakeError for one that is no command, ToolError when the device doesn't tell.
        """
        asked = read(vendor, line)
        asked.command.answer(self, View(self._device, vendor, asked.words, asked.arguments))

    def told(self, want: type[Facts]) -> Facts | None:
        """What was told already of facts that depend on nothing but the device."""
        record = self._kept.get((want.__name__, ""))
        return None if record is None else want.model_validate(record.told)

    def records(self) -> Iterator[FactRecord]:
        """Everything that was told, by kind and question."""
        return (self._kept[key] for key in sorted(self._kept))


def _asked(want: type[Model], view: View) -> str:
    if want in BY_WORDS:
        return " ".join(view.words)
    if want not in BY_ARGUMENTS:
        return ""
    # What says the usual asks for the same as what says nothing.
    arguments = [f"{name}={value}" for name, value in sorted(view.arguments.items()) if (name, value) not in _USUAL]
    return " ".join([*arguments, *(["unfragmented"] if view.forbids_fragments else [])])


def record_device(device: str, vendor: Vendor, source: Look, lines: Iterable[str]) -> tuple[FactRecord, ...]:
    """Type every line on a device and keep what it tells; what it can't tell is left out.

    Raises CommandMistakeError for a line that is no command.
    """
    listening = ListeningDevice(device, source)
    for line in lines:
        try:
            listening.type_line(vendor, line)
        except ToolError:
            # The device doesn't tell now; a recording can't either.
            continue
    return tuple(listening.records())


def usual_lines(vendor: Vendor, targets: Iterable[str]) -> Iterator[str]:
    """The vendor's plain command for every need, and look-up, ping and traceroute for each target address."""
    addresses = list(targets)
    for need in NEEDS:
        if need in ("route_lookup", "ping", "traceroute"):
            yield from (golden(vendor, need, {"address": address}) for address in addresses)
        elif commands_for(vendor, need):
            yield golden(vendor, need)
