"""Where a user's own files live: downloaded software and the state of running fabrics."""

import os
import stat
import tempfile
from pathlib import Path

from netopsbench.core.errors import UnsupportedError


def home() -> Path:
    """The folder for everything that outlives a command.

    `$NETOPSBENCH_HOME`, else `$XDG_DATA_HOME/netopsbench`, else `~/.local/share/netopsbench`; for a user
    without a writable home a private folder under the system's temporary one.
    """
    named = os.environ.get("NETOPSBENCH_HOME")
    if named:
        return _made(Path(named))
    data = os.environ.get("XDG_DATA_HOME")
    candidates = [Path(data)] if data else []
    if "HOME" in os.environ:
        candidates.append(Path(os.environ["HOME"]) / ".local" / "share")
    for candidate in candidates:
        try:
            return _made(candidate / "netopsbench")
        except (OSError, UnsupportedError):
            continue
    return _made(Path(tempfile.gettempdir()) / f"netopsbench-{os.getuid()}")


def _made(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = path.stat()
    # Another user could have made the folder first under a shared /tmp.
    if status.st_uid != os.getuid() or not os.access(path, os.W_OK) or not stat.S_ISDIR(status.st_mode):
        raise UnsupportedError(f"{path} belongs to another user or is not writable; set NETOPSBENCH_HOME")
    return path.resolve()
