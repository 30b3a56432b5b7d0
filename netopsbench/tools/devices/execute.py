"""A device's own command line, in the words of its vendor. Offered only where a campaign says so."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.core.process import TIMED_OUT, Completed
from netopsbench.records.telemetry import LogLine
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import COMMAND_TIMEOUT_S
from netopsbench.tools.device_text import DeviceText
from netopsbench.tools.packets.beside import ask_beside
from netopsbench.tools.telemetry.collectors import at_s, of_type, whole_time
from netopsbench.tools.telemetry.unmeasured import NOT_MEASURED
from netopsbench.vendors import facts as f
from netopsbench.vendors.live import LiveDevice
from netopsbench.vendors.names import Vendor

_PING_TIMEOUT_S = 30.0
_GONE = ("nsenter: ", "Error response from daemon: ")
"""What engines say, in the device's place, when the device isn't there any more."""
_TRACE = {"source_port": 0, "destination_port": 33434, "count": 3, "max_hops": 12, "wait_s": 0.5}
_TRACE_DEADLINE_S = 30.0


class Executed(Model):
    """What a device printed."""

    device_name: str
    vendor: Vendor
    command_executed: DeviceText
    result: DeviceText
    """The line behind the device's prompt, then what the command prints."""


def execute(
    context: ToolContext,
    device: Device,
    command: Annotated[
        str,
        Field(
            description="A line for the device's command line. It may be abbreviated as the vendor allows; `?` at its "
            "end lists what may come next; `| include`, `| exclude` or `| begin` with a pattern pick lines "
            "(`| grep` on Linux and SONiC).",
            examples=["?"],
        ),
    ],
) -> Executed:
    """Type a line on a device's own command line and get what it prints. It can look, ping and trace, nothing else.

    Devices are of several vendors: each understands its own vendor's commands and calls its interfaces in that
    vendor's way. `-` stands where such a device would print something that the system below doesn't have.
    """
    lines = context.command_lines
    if lines is None:
        raise ToolError("devices have no command line here", "unknown_tool")
    vendor = lines.vendor(device)
    source = live_device(context, device) if lines.book is None else lines.book.device(device)
    printed = lines.answer(device, command, source)
    return Executed(device_name=device, vendor=vendor, command_executed=command, result=printed)


def live_device(context: ToolContext, device: str) -> LiveDevice:
    """A device of the running network, as command lines ask it."""
    return LiveDevice(_Reached(context, device))


class _Reached:
    """One device of the context."""

    def __init__(self, context: ToolContext, device: str) -> None:
        self._context = context
        self._device = device

    def run(self, argv: Sequence[str]) -> Completed:
        timeout_s = _PING_TIMEOUT_S if argv[0] == "ping" else COMMAND_TIMEOUT_S
        done = self._context.fabric.exec(self._device, argv, timeout_s=timeout_s)
        if done.returncode == TIMED_OUT or (not done.is_ok and done.stderr.startswith(_GONE)):
            raise ToolError(f"{self._device} did not answer in {timeout_s:g} s", "timeout")
        return done

    def log(self) -> f.LogLines:
        try:
            found = self._context.store.query("log_line", whole_time(self._context), {"source": self._device})
        except ToolError as refused:
            if refused.kind != NOT_MEASURED:
                raise
            # Logs are kept with the measurements; without these a device is one whose logging is off.
            return f.LogLines(lines=(), is_kept=False)
        return f.LogLines(
            lines=tuple(
                f.LogLine(
                    at_s=at_s(self._context, line.t_ns),
                    severity=line.severity,
                    facility=line.facility,
                    program=line.program,
                    message=line.message,
                )
                for line in of_type(found, LogLine)
            )
        )

    def trace(self, target: str, source: str | None) -> f.Trace:
        pid = self._context.fabric.pid(self._device)
        request = {**_TRACE, "pid": pid, "address": target, "source": source or ""}
        reply = ask_beside(self._context, "netopsbench.tools.packets.hop_probe", request, _TRACE_DEADLINE_S)
        if "error" in reply:
            raise ToolError(f"{self._device} can't send from {source or 'there'}: {reply['error']}")
        hops = tuple(
            f.TraceHop(
                ttl=hop["ttl"],
                address=hop["address"],
                rtts_ms=tuple(hop["rtt_ms"]),
                sent=hop["packets_sent"],
                note=hop["note"],
            )
            for hop in reply["hops"]
        )
        return f.Trace(target=target, hops=hops, is_reached=bool(reply["is_reached"]))
