"""One request to a small program beside the nodes."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from netopsbench.core.errors import ToolError
from netopsbench.tools.context import ToolContext


def ask_beside(context: ToolContext, module: str, request: Mapping[str, Any], deadline_s: float) -> Any:
    """What a module of ours, started beside the nodes, replies to a request; both are one line of JSON.

    Raises ToolError `timeout` at the deadline, `failed` when no reply came.
    """
    process = context.fabric.spawn([sys.executable, "-m", module])
    try:
        reply, _ = process.communicate(json.dumps(request).encode() + b"\n", timeout=deadline_s)
    except subprocess.TimeoutExpired as late:
        raise ToolError(f"the probes did not end in {deadline_s:g} s", "timeout") from late
    finally:
        process.kill()
        process.wait()
    if not reply:
        raise ToolError("the probes could not be sent")
    return json.loads(reply)
