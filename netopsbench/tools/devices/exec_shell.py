"""A shell on a device that may change it. Offered for tickets, where repairing is part of the work."""

from typing import Annotated

from pydantic import Field

from netopsbench.fabric.labs.service_shim import shell_line
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.live_results import Shown
from netopsbench.tools.devices.shell_output import BOUNDED, shown
from netopsbench.tools.paging import Limit, Offset

_TIMEOUT_S = 20.0


def exec_shell(
    context: ToolContext,
    device: Device,
    command: Annotated[str, Field(max_length=4000, description="A line for /bin/sh.", examples=["ip -br addr"])],
    offset: Offset = 0,
    limit: Limit = 200,
) -> Shown:
    """Run a shell command on a device as its administrator. It can read and change everything there.

    `vtysh -c` reaches the routing software. What a command changes stays changed, and is recorded.
    """
    context.device(device)
    argv = ["sh", "-c", BOUNDED, "sh", *shell_line(command)]
    done = context.fabric.exec(device, argv, timeout_s=_TIMEOUT_S)
    return shown(done, (device, command), (offset, limit), _TIMEOUT_S)
