"""A tool server in a thread of this process, for a desk that lives here."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from netopsbench.core import sockets
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.server import serve


@contextmanager
def served(desk: Desk, socket: Path) -> Iterator[Path]:
    """Answer at `socket` for the block."""
    ending, hold = os.pipe()
    with sockets.listen(socket) as listener, os.fdopen(ending) as lifeline:
        server = threading.Thread(target=serve, args=(desk, listener, lifeline), daemon=True)
        server.start()
        try:
            yield socket
        finally:
            os.close(hold)
            server.join()
