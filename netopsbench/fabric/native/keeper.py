"""The keeper: first process of a fabric's sandbox, standard library only.

It reads an `Order` from stdin, builds it, reports progress as JSON lines on stdout, and then stays: it watches the
links, reaps orphans, and ends (and with it the whole sandbox) when its lifeline closes. A line `stay` on stdin cuts
the lifeline: the fabric then lives until it is ended by name.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
from typing import cast

from netopsbench.fabric import netlink, syslog
from netopsbench.fabric.native import cables, rooms
from netopsbench.fabric.native.order import BRIDGE, Order, wire_names
from netopsbench.fabric.native.watcher import Watcher

_LIFELINE = 0
_NODES_AT_ONCE = 24
_CABLES_AT_ONCE = 100


def say(**event: object) -> None:
    """One JSON line to whoever ordered the fabric; nobody may be listening any more."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(event).encode() + b"\n")


def furnish_sandbox(layers: list[str]) -> None:
    """Lay the private software over /usr and cover /run, in this mount namespace alone."""
    if layers:
        lower = ":".join(f"{layer}/usr" for layer in layers)
        _mount("overlay", "/usr", "overlay", f"lowerdir={lower}:/usr")
    _mount("tmpfs", "/run", "tmpfs", "mode=755")
    rooms.ROOMS.mkdir()
    # A file system of their own: the numbers of a node's files must not tell what else was written in the sandbox.
    _mount("tmpfs", str(rooms.ROOMS), "tmpfs", "mode=755")


def _mount(source: str, target: str, kind: str, options: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), kind.encode(), 0, options.encode()):
        code = ctypes.get_errno()
        raise OSError(code, f"mounting {kind} on {target}: {os.strerror(code)}")


def build(order: Order) -> list[int]:
    """Bring the fabric up; returns the PID of each node's first process, in the order of the nodes."""
    nodes, links = order["nodes"], order["links"]
    cables.prepare_wire_namespace()
    made: list[rooms.Room] = []
    for first in range(0, len(nodes), _NODES_AT_ONCE):
        made += rooms.make_rooms(order, first, min(first + _NODES_AT_ONCE, len(nodes)))
        say(event="progress", phase="nodes", done=len(made), total=len(nodes))
    pids = [room.pid for room in made]
    # Whoever ordered the fabric looks for these processes now, while the machine has little else to do.
    say(event="nodes", pids=pids)
    for pid, node in zip(pids, nodes, strict=True):
        with netlink.inside(pid):
            cables.prepare_node(node, order["hash_seed"])
    cables.lay_bridges(order.get("bridges", 0))
    for first in range(0, len(links), _CABLES_AT_ONCE):
        last = min(first + _CABLES_AT_ONCE, len(links))
        cables.lay_cables(order, pids, first, last)
        say(event="progress", phase="links", done=last, total=len(links))
    syslog.start_reader({node["name"]: pid for node, pid in zip(nodes, pids, strict=True)})
    for pid, node in zip(pids, nodes, strict=True):
        with netlink.inside(pid):
            cables.configure_node(node)
    # All at once: routers that start early would see their hold timers run out while the last ones are still missing.
    for done, room in enumerate(made, start=1):
        room.open_gate()
        say(event="progress", phase="start", done=done, total=len(nodes))
    return pids


class _Ports:
    """Finds the two node ports of a cable from either wire end, to give them their neighbours back."""

    def __init__(self, order: Order, pids: list[int]) -> None:
        self._order = order
        self._pids = pids
        self._link_of = {wire: number for number in range(len(order["links"])) for wire in wire_names(number)}

    def restore_neighbors(self, wire: str) -> None:
        for index, port_name in self._order["links"][self._link_of[wire]]["ends"]:
            if index <= BRIDGE:
                continue
            port = next(port for port in self._order["nodes"][index]["ports"] if port["name"] == port_name)
            if port.get("is_learning"):
                continue
            # The node may have been ended by a fault.
            with contextlib.suppress(OSError), netlink.inside(self._pids[index]):
                cables.restore_neighbor(port_name, port["peer_address"], port["peer_mac"])


def keep(order: Order, pids: list[int]) -> None:
    """Watch links and reap orphans until the lifeline closes."""
    far_end = {}
    for number in range(len(order["links"])):
        a_end, b_end = wire_names(number)
        far_end[a_end], far_end[b_end] = b_end, a_end
    watcher = Watcher(far_end, _Ports(order, pids).restore_neighbors)
    say(event="up")
    heard = [_LIFELINE, watcher.fileno()]
    while True:
        ready, _, _ = select.select(heard, [], [])
        if watcher.fileno() in ready:
            watcher.handle()
        if _LIFELINE in ready:
            text = os.read(_LIFELINE, 64)
            if not text:
                return
            if b"stay" in text:
                heard.remove(_LIFELINE)
                _let_go()


def _let_go() -> None:
    """Give up the pipes to the process that ordered the fabric."""
    say(event="staying")
    void = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(void, descriptor)
    os.close(void)


def _reap(*_: object) -> None:
    # Exit statuses of sandboxes still being made belong to subprocess; by now none is waited for.
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _read_order() -> Order:
    """The order is one line: its length in bytes, a newline, then JSON."""
    length = b""
    while not length.endswith(b"\n"):
        length += os.read(_LIFELINE, 1) or b"\n"
    wanted, pieces = int(length), []
    while wanted:
        piece = os.read(_LIFELINE, min(wanted, 1 << 20))
        if not piece:
            raise EOFError("the order ended early")
        pieces.append(piece)
        wanted -= len(piece)
    return cast(Order, json.loads(b"".join(pieces)))


def main() -> None:
    """Build the ordered fabric and keep it; a failure is reported as one line, and the sandbox ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        order = _read_order()
        furnish_sandbox([layer for layer in (*order.get("more_software", ()), order["software"]) if layer])
        # Hundreds of routers that start side by side would interrupt each other all the time.
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        pids = build(order)
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except (OSError, RuntimeError, ValueError, EOFError, subprocess.SubprocessError) as failure:
        say(event="failed", message=f"{type(failure).__name__}: {failure}")
        sys.exit(1)
    signal.signal(signal.SIGCHLD, _reap)
    _reap()
    keep(order, pids)


if __name__ == "__main__":
    main()
