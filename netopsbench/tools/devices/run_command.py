"""A shell on a device in which nothing can be changed. Offered only where a campaign says so."""

from typing import Annotated

from pydantic import Field

from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.live_results import Shown
from netopsbench.tools.devices.shell_output import KEPT_SHORT, OVER, shown
from netopsbench.tools.paging import Limit, Offset

_TIMEOUT_S = 10.0
_SLACK_S = 4.0
_MEMORY_BYTES = 512 << 20
_PROCESSES = 64
_STRANGER = 65534

_EMPTY = ("/run", "/var", "/root", "/etc", "/proc")
_NEEDED = ("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/hostname", "/etc/alternatives")
_SHUT_IN = [
    "bwrap",
    *("--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--uid", str(_STRANGER), "--gid", str(_STRANGER)),
    *("--ro-bind", "/", "/"),
    # The routing software listens on sockets below /run, and takes orders there from anybody with its user id; the
    # times of files in /etc tell when something was configured, which is nobody's business.
    *(word for folder in _EMPTY for word in ("--tmpfs", folder)),
    *(word for file in _NEEDED for word in ("--ro-bind-try", file, file)),
    *("--dev", "/dev", "--ro-bind", "/proc/sys", "/proc/sys", "--tmpfs", "/tmp"),
    *(word for folder in _EMPTY for word in ("--remount-ro", folder)),
    *("--chdir", "/tmp", "--clearenv", "--setenv", "PATH", "/usr/sbin:/usr/bin", "--setenv", "LANG", "C.UTF-8"),
]
_LIMITS = ["prlimit", f"--data={_MEMORY_BYTES}", f"--nproc={_PROCESSES}", "--fsize=16777216", "--core=0", "--"]

# A node of root's has all user ids, an ordinary user's only its own: there the sandbox must do without another.
_START = (
    """
become=
! setpriv --reuid=@uid@ --regid=@uid@ --clear-groups -- true 2>/dev/null ||
    become="setpriv --reuid=@uid@ --regid=@uid@ --clear-groups --"
{ { timeout --signal=KILL @seconds@ sh -c '"$@" 3>&-; echo "exit=$?" >&3' sh $become "$@"
    echo @over@ >&3; } 2>&1 </dev/null |""".replace("@uid@", str(_STRANGER))
    # Whatever waits for the answer gives up later than this.
    .replace("@seconds@", str(_TIMEOUT_S))
    .replace("@over@", OVER)
    + KEPT_SHORT
)


def run_command(
    context: ToolContext,
    device: Device,
    command: Annotated[
        str, Field(max_length=4000, description="A line for /bin/sh.", examples=["ip -s link show dev eth1"])
    ],
    offset: Offset = 0,
    limit: Limit = 200,
) -> Shown:
    """Run a shell command on a device, as a user who may look and change nothing.

    It has no rights over the network, no access to the routing software and sees no other process. Use the `show`
    tool for the routing software.
    """
    context.device(device)
    argv = ["sh", "-c", _START, "sh", *_SHUT_IN, *_LIMITS, "/bin/sh", "-c", command]
    done = context.fabric.exec(device, argv, timeout_s=_TIMEOUT_S + _SLACK_S)
    return shown(done, (device, command), (offset, limit), _TIMEOUT_S)
