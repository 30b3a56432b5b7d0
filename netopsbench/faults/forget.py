"""Makes nodes forget what their kernels learned of paths; standard library only.

Runs in the sandbox beside the nodes, whose first processes it is given: one process for all of them, where a command
in each would take seconds on a large fabric.
"""

import sys
from pathlib import Path

from netopsbench.fabric import netlink

_FLUSH = Path("/proc/sys/net/ipv4/route/flush")
"""Of the network namespace that the writer is in."""


def forget_paths(pid: int) -> None:
    """Empty the route cache of the node whose first process this is; OSError when the kernel refuses."""
    with netlink.inside(pid):
        _FLUSH.write_text("-1")


def main() -> None:
    """Go through the nodes named by their PIDs."""
    for pid in map(int, sys.argv[1:]):
        forget_paths(pid)


if __name__ == "__main__":
    main()
