"""Commands on devices, and their JSON output with a type."""

import json
from collections.abc import Sequence
from typing import Any

from netopsbench.core.errors import ToolError
from netopsbench.tools.context import ToolContext

COMMAND_TIMEOUT_S = 8.0


def ask(context: ToolContext, device: str, argv: Sequence[str]) -> Any:
    """What a command on a device prints as JSON; None when it fails or prints none.

    Raises ToolError `timeout` when the device doesn't answer in `COMMAND_TIMEOUT_S`.
    """
    done = context.fabric.exec(device, argv, timeout_s=COMMAND_TIMEOUT_S)
    if done.returncode == 124:
        raise ToolError(f"{device} did not answer in {COMMAND_TIMEOUT_S:g} s", "timeout")
    if not done.is_ok:
        return None
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def ask_router(context: ToolContext, device: str, command: str) -> dict[str, Any] | None:
    """What a `show … json` command of the routing software prints; None when the software doesn't run."""
    answer = ask(context, device, ["vtysh", "-c", command])
    return answer if isinstance(answer, dict) else None
