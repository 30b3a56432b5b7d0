"""The real tools over a simulated fabric behind a real socket, for agents that are programs."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from simulated import Desked, SimulatedFabric, clos

from netopsbench.agent.run import Examination, examine
from netopsbench.core import sockets
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.labels import LABELS
from netopsbench.tools.serving.server import serve


@contextmanager
def simulated_server(cut: str = "", calls: int = 50) -> Iterator[Path]:
    """A fabric with two leaves, one of whose cables may be cut; the socket of its tools."""
    fabric = SimulatedFabric(clos(2, 2, 1), cut={cut} if cut else set())
    ending, hold = os.pipe()
    with TemporaryDirectory(prefix="") as neutral, TemporaryDirectory() as folder:
        desk = Desked(fabric, Path(folder) / "calls", calls).desk
        with sockets.listen(Path(neutral) / "tools") as listener, os.fdopen(ending) as lifeline:
            server = threading.Thread(target=serve, args=(desk, listener, lifeline), daemon=True)
            server.start()
            try:
                yield Path(neutral) / "tools"
            finally:
                os.close(hold)
                server.join()


def examined(agent: str, options: dict[str, Any], socket: Path, **limits: Any) -> Examination:
    """Put a question with the given budget to an agent, in its sandbox."""
    budget = Budget(**{"wall_time_s": 60, "tool_calls": 50, **limits})
    question = Question(text="What is wrong?", labels=LABELS, budget=budget, answer_schema=Answer.model_json_schema())
    return examine(agent, question, socket, options=options)
