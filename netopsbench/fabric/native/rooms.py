"""Rooms for the nodes: one bubblewrap sandbox each, held back until its ports exist. Run by the keeper."""

import os
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from netopsbench.fabric.native.order import NodeOrder, Order

ROOMS = Path("/run/n")
"""Trees of /etc, in a tmpfs of the sandbox: nothing of a node is ever on the host's disk."""

_PASSWD = """\
root:x:0:0:root:/root:/bin/sh
frr:x:0:0:frr:/run/frr:/bin/sh
_lldpd:x:0:0:lldpd:/run/lldpd:/bin/false
nobody:x:65534:65534:nobody:/:/bin/false
"""
_GROUP = "root:x:0:\nfrr:x:0:\nfrrvty:x:0:frr\n_lldpd:x:0:\nnogroup:x:65534:\n"
_PAM = "auth sufficient pam_permit.so\naccount sufficient pam_permit.so\n"
_LAUNCH_DEADLINE_S = 60.0

_BOOT = """\
[ ! -e /etc/nftables.conf ] || nft -f /etc/nftables.conf || echo nft >> /run/failed
for script in /etc/init.d/*; do [ ! -e "$script" ] || "$script" start; done
while :; do sleep 86400 & wait; done
"""
"""First process of a node: loads the packet filters, starts daemons and services, then reaps whatever ends."""

_ROUTING = """\
#!/bin/sh
directory=@directory@
daemons="@daemons@"
# One arena, and a mapping of its own for what is large (each BGP peer has 0.7 MiB): a fifth less memory.
export MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072

is_running() { [ -e "/run/frr/$1.pid" ] && kill -0 "$(cat "/run/frr/$1.pid")" 2>/dev/null; }

case "$1" in
start)
    mkdir -p /run/frr /var/tmp/frr /var/log/frr
    for daemon in $daemons; do
        is_running "$daemon" ||
            "$directory/$daemon" -d -A 127.0.0.1 -P 0 -f "/etc/frr/$daemon.conf" || echo "$daemon" >> /run/failed
    done
    ;;
stop)
    for daemon in $daemons; do
        is_running "$daemon" && kill "$(cat "/run/frr/$daemon.pid")"
    done
    for daemon in $daemons; do
        while is_running "$daemon"; do sleep 0.05; done
        rm -f "/run/frr/$daemon.pid"
    done
    ;;
esac
"""
"""Starts and stops the routing of a switch, at boot and later, always in the same way."""


@dataclass
class Room:
    """A node's sandbox while it is being made."""

    pid: int
    """PID of the node's first process, in the sandbox's PID namespace."""
    gate: int
    """Descriptor that lets the node boot once something is written to it."""

    def open_gate(self) -> None:
        os.write(self.gate, b"1")
        os.close(self.gate)


def make_rooms(order: Order, first: int, last: int) -> list[Room]:
    """Start the sandboxes of nodes `first` to `last` (exclusive) side by side."""
    pending = [_launch(index, order["nodes"][index], order["daemons_dir"]) for index in range(first, last)]
    return [Room(_child_pid(info, process), gate) for process, info, gate in pending]


def _launch(index: int, node: NodeOrder, daemons_dir: str) -> tuple["subprocess.Popen[bytes]", int, int]:
    etc = ROOMS / str(index) / "etc"
    _furnish(etc, node, daemons_dir)
    info_read, info_write = os.pipe()
    gate_read, gate_write = os.pipe()
    argv = [
        "bwrap", "--unshare-net", "--unshare-pid", "--unshare-uts", "--unshare-ipc", "--hostname", node["name"],
        "--cap-add", "ALL", "--as-pid-1", "--die-with-parent", "--clearenv",
        "--setenv", "PATH", "/usr/sbin:/usr/bin",
        "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
        "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
        "--bind", str(etc), "/etc", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
        "--tmpfs", "/run", "--tmpfs", "/var", "--tmpfs", "/tmp", "--tmpfs", "/root",
        "--dir", "/var/tmp", "--dir", "/var/log", "--symlink", "/run", "/var/run",
        "--proc", "/proc", "--dev", "/dev", "--chdir", "/",
        "--info-fd", str(info_write), "--block-fd", str(gate_read),
        "/bin/sh", "-c", _BOOT,
    ]  # fmt: skip
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        pass_fds=(info_write, gate_read),
    )  # fmt: skip
    os.close(info_write)
    os.close(gate_read)
    return process, info_read, gate_write


def _furnish(etc: Path, node: NodeOrder, daemons_dir: str) -> None:
    (etc / "frr").mkdir(parents=True)
    (etc / "pam.d").mkdir()
    (etc / "alternatives").mkdir()
    own = {
        "passwd": _PASSWD,
        "group": _GROUP,
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        "hostname": f"{node['name']}\n",
        "hosts": f"127.0.0.1 localhost\n127.0.1.1 {node['name']}\n",
        "pam.d/frr": _PAM,
        "pam.d/other": _PAM,
        "frr/vtysh.conf": "no service integrated-vtysh-config\n",
    }
    for name, content in (own | node["files"]).items():
        path = etc / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        if content.startswith("#!"):
            path.chmod(0o755)
    if node["daemons"]:
        start = etc / "init.d" / "frr"
        start.parent.mkdir(exist_ok=True)
        start.write_text(_ROUTING.replace("@directory@", daemons_dir).replace("@daemons@", " ".join(node["daemons"])))
        start.chmod(0o755)


def _child_pid(info: int, process: "subprocess.Popen[bytes]") -> int:
    """Read bubblewrap's report, which arrives in several writes, up to its closing brace."""
    text = b""
    deadline = time.monotonic() + _LAUNCH_DEADLINE_S
    try:
        while b"}" not in text:
            ready, _, _ = select.select([info], [], [], max(0.0, deadline - time.monotonic()))
            piece = os.read(info, 4096) if ready else b""
            if not piece:
                raise RuntimeError(f"bubblewrap did not start a node (exit status {process.poll()})")
            text += piece
    finally:
        os.close(info)
    return int(text.split(b'"child-pid":')[1].split(b",")[0].split(b"\n")[0].strip(b" }"))
