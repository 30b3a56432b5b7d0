"""First process of a user-mode kernel that has netem: lays one cable, impairs it, and says what it measured.

Its only argument is the folder of the kernel's modules; PATH and LD_LIBRARY_PATH come from whoever wrote the script
that runs it. Each step prints one line of JSON, and the last word on the console is DONE. When it ends, so does the
kernel.
"""

import ctypes
import errno
import io
import json
import os
import platform
import signal
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

from netopsbench.fabric import netlink
from netopsbench.fabric.native import cables
from netopsbench.fabric.native.order import LinkOrder, NodeOrder, Order, wire_names
from netopsbench.faults import wire_end
from netopsbench.faults.wire_probe import measure

MODULES = ("veth", "sch_ingress", "cls_u32", "act_mirred", "sch_netem")
DONE = "measured everything"
PROBES = 1_000
WAIT_S = 1.0
_FINIT_MODULE = {"x86_64": 313, "aarch64": 273}
_CLONE_NEWNET = 1 << 30
_ADDRESSES = ("192.0.2.1", "192.0.2.2")
_MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")
_libc = ctypes.CDLL(None, use_errno=True)


def mount(kind: str, target: str) -> None:
    if _libc.mount(kind.encode(), target.encode(), kind.encode(), 0, None):
        raise OSError(ctypes.get_errno(), f"mounting {kind} on {target}")


def load(folder: Path, name: str) -> None:
    """Load a module, which must stand on no other."""
    with (next(folder.rglob(f"{name}.ko"))).open("rb") as module:
        done = _libc.syscall(_FINIT_MODULE[platform.machine()], module.fileno(), b"", 0)
    if done and ctypes.get_errno() != errno.EEXIST:
        raise OSError(ctypes.get_errno(), f"loading {name}")


def node() -> int:
    """A process that keeps a network namespace of its own."""
    ready, say = os.pipe()
    pid = os.fork()
    if not pid:
        _libc.unshare(_CLONE_NEWNET)
        os.write(say, b"1")
        while True:
            signal.pause()
    os.read(ready, 1)
    return pid


def lay_cable() -> list[int]:
    """Two nodes and the cable between them; returns the PIDs that keep the nodes."""
    nodes: list[NodeOrder] = [
        {
            "name": f"node{number}",
            "is_switch": False,
            "loopback": None,
            "gateway": None,
            "daemons": [],
            "files": {},
            "hash_fields": 0,
            "ports": [
                {
                    "name": "eth1",
                    "mac": _MACS[number],
                    "mtu": 1500,
                    "address": _ADDRESSES[number],
                    "prefix_length": 30,
                    "peer_address": _ADDRESSES[1 - number],
                    "peer_mac": _MACS[1 - number],
                }
            ],
        }
        for number in (0, 1)
    ]
    links: list[LinkOrder] = [{"id": "cable", "mtu": 1500, "ends": [(0, "eth1"), (1, "eth1")]}]
    order: Order = {"software": None, "daemons_dir": "", "hash_seed": 0, "nodes": nodes, "links": links}
    pids = [node(), node()]
    cables.lay_cables(order, pids, 0, 1)
    for pid, each in zip(pids, nodes, strict=True):
        with netlink.inside(pid):
            cables.configure_node(each)
    return pids


def say(step: str, pids: list[int]) -> None:
    """Probe both directions, and read back what the kernel counted."""
    near, far = wire_names(0)
    ends = [
        {"src_pid": pids[n], "src": _ADDRESSES[n], "dst_pid": pids[1 - n], "dst": _ADDRESSES[1 - n]} for n in (0, 1)
    ]
    there, back = (measure([{**end, "probes": PROBES}], WAIT_S)[0] for end in ends)
    shown, complaint = io.StringIO(), ""
    with redirect_stdout(shown):
        try:
            wire_end.main(["show", near, far])
        except wire_end.CommandError as overrun:
            complaint = str(overrun)
    qdiscs = subprocess.run(["tc", "qdisc", "show", "dev", far], capture_output=True, text=True, check=True).stdout
    report = {"step": step, "there": there, "back": back, "shown": shown.getvalue(), "complaint": complaint}
    print(json.dumps({**report, "qdiscs": qdiscs}), flush=True)


def main(modules: Path) -> None:
    """Impair one direction in every way, alone and together, and mend it."""
    for kind, target in (("proc", "/proc"), ("tmpfs", "/run"), ("tmpfs", "/tmp")):
        mount(kind, target)
    for name in MODULES:
        load(modules, name)
    near, far = wire_names(0)
    pids = lay_cable()
    say("laid", pids)
    for kind, value in (("loss_pct", "30"), ("corruption_pct", "25"), ("delay_ms", "120")):
        wire_end.main(["set", near, far, kind, value])
        say(kind, pids)
        wire_end.main(["set", near, far, kind, "0"])
    wire_end.main(["set", near, far, "delay_ms", "120"])
    wire_end.main(["set", near, far, "loss_pct", "30"])
    say("both", pids)
    wire_end.main(["set", near, far, "loss_pct", "0"])
    subprocess.run(["tc", "qdisc", "change", "dev", far, "root", "netem", "limit", "9", "delay", "120ms"], check=True)
    say("too small", pids)
    wire_end.main(["set", near, far, "delay_ms", "0"])
    say("mended", pids)
    print(DONE, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
