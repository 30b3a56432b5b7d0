"""A few seconds of packets, summed up."""

import json
import sys
from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.process import run
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.live_results import CapturedFlow, CaptureSummary
from netopsbench.tools.packets.beside import ask_beside
from netopsbench.tools.paging import Limit, page_of

_MOST_FRAMES = 5000
_SLACK_S = 5.0
_DIGEST_S = 12.0


def capture_summary(
    context: ToolContext,
    device: Device,
    interface: Annotated[str, Field(description="A port of the device.", examples=["eth1"])],
    seconds: Annotated[float, Field(ge=0.1, le=5, description="How long to listen, s.")] = 2.0,
    offset: Annotated[int, Field(ge=0, description="First flow of this capture to return, from 0.")] = 0,
    limit: Limit = 50,
) -> CaptureSummary:
    """Listen on a port of a device for a few seconds and sum up by flow what was sent and received.

    Packets that are lost on the cable are seen where they are sent and not where they should arrive. Each call listens
    anew, so a capture has no further pages: a higher `limit` shows more of it.
    """
    node = context.device(device)
    names = [port.name for port in node.interfaces]
    if interface not in names:
        known = ", ".join(names)
        raise ToolError(f"{device} has no port {interface[:80]!r}; its ports are: {known}", "bad_arguments")
    if find_spec("scapy") is None:
        wanted = "captures need scapy, which is missing beside the benchmark: pip install 'netopsbench[capture]'"
        raise ToolError(wanted, "unsupported")
    request = {
        "pid": context.fabric.pid(node.name),
        "interface": interface,
        "seconds": seconds,
        "most": _MOST_FRAMES,
    }
    caught = ask_beside(context, "netopsbench.tools.packets.frame_catcher", request, seconds + _SLACK_S)
    if "error" in caught:
        raise ToolError(f"{device} can't listen on {interface}: {caught['error']}")
    flows = [CapturedFlow.model_validate(flow) for flow in _digested(caught["frames"])]
    chosen, page = page_of(flows, offset, limit)
    return CaptureSummary(
        device=device,
        interface=interface,
        method=f"all packets of {seconds:g} s, both directions, as the device's kernel sent and received them",
        packets_seen=caught["seen"],
        packets_decoded=len(caught["frames"]),
        flows=chosen,
        # Whoever read on would read on in another capture.
        page=page.model_copy(update={"next_offset": None}),
    )


def _digested(frames: list[Any]) -> list[Any]:
    argv = [sys.executable, "-P", "-m", "netopsbench.tools.packets.packet_digest"]
    done = run(argv, timeout_s=_DIGEST_S, stdin=json.dumps(frames))
    if not done.is_ok:
        raise ToolError("the packets could not be decoded")
    flows: list[Any] = json.loads(done.stdout)
    return flows
