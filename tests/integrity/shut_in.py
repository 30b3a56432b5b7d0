"""Puts a question to a program in the sandbox and prints the outcome; run as root and as an ordinary user.

`python shut_in.py WORDS` where WORDS is a JSON object: `program`, `wall_time_s`, `tool_calls`, `limits`, `secrets`.
"""

import json
import os
import socket
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from netopsbench.agent.programs.sandbox import Limits
from netopsbench.agent.run import examine_program
from netopsbench.core import sockets
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Timers
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.labels import LABELS
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import tool
from netopsbench.tools.devices.get_topology import get_topology
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.server import serve


def main() -> None:
    asked: dict[str, Any] = json.loads(sys.argv[1])
    fetch_software(lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        socket_path = Path(folder) / "s"
        lifeline, _held = os.pipe()
        listener = sockets.listen(socket_path)
        threading.Thread(target=_serve, args=(listener, Path(folder), lifeline, asked), daemon=True).start()
        question = Question(
            text="What is wrong?",
            labels=LABELS,
            budget=Budget(wall_time_s=asked.get("wall_time_s", 20), tool_calls=asked.get("tool_calls", 5)),
            answer_schema=Answer.model_json_schema(),
        )
        limits = Limits(**asked.get("limits", {}))
        outcome = examine_program(asked["program"], question, socket_path, limits=limits)
    print(outcome.model_dump_json())


def _serve(listener: socket.socket, folder: Path, lifeline: int, asked: dict[str, Any]) -> None:
    plan = FabricPlan(name="x", digest="", nodes=(), links=(), mtu=9100, timers=Timers(), seed=1)
    window = Window(since_ns=0, until_ns=1)
    context = ToolContext(plan, None, MemoryStore(), window, window)  # type: ignore[arg-type]
    meter = Meter(folder / "calls", asked.get("tool_calls", 5))
    with os.fdopen(lifeline) as stream:
        serve(Desk(context, (tool(get_topology),), meter, 10_000), listener, stream)


if __name__ == "__main__":
    main()
