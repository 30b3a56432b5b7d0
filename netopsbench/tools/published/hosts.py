"""Published tools that look at a host, or work on it: each is a line for our shell on a device."""

import shlex
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.fabric.labs.service_shim import service_line
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices import exec_shell as shell
from netopsbench.tools.devices.live_results import Shown

Host = Annotated[str, Field(description="A device: a host or a router.", examples=["pc1"])]
Interface = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,15}$", description="Its interface.", examples=["eth0"])]
Line = Annotated[str, Field(max_length=4000, description="A line for /bin/sh.", examples=["ip -br addr"])]
_LINES = 500
_NET_CONFIG = "ip -s link; echo; ip addr; echo; ip route"
# An option that isn't here could change the interface.
_ETHTOOL_READS = ("", "-a", "-c", "-g", "-i", "-k", "-l", "-S", "-T", "--show-features", "--statistics", "--driver")


class ShownTwice(Model):
    """What two devices printed at the same time."""

    host1: Shown
    host2: Shown


def exec_shell(context: ToolContext, host_name: Host, command: Line) -> Shown:
    """Run a shell command on a host as its administrator. What it changes stays changed, and is recorded."""
    return shell.exec_shell(context, host_name, command, limit=_LINES)


def exec_shell_dual(context: ToolContext, host1: Host, cmd1: Line, host2: Host, cmd2: Line) -> ShownTwice:
    """Run a shell command on each of two hosts at the same time. What they change stays changed, and is recorded."""
    context.device(host1)
    context.device(host2)
    with ThreadPoolExecutor(max_workers=2) as pool:
        first = pool.submit(exec_shell, context, host1, cmd1)
        second = pool.submit(exec_shell, context, host2, cmd2)
        return ShownTwice(host1=first.result(), host2=second.result())


def systemctl_ops(
    context: ToolContext,
    host_name: Host,
    service_name: Annotated[str, Field(pattern=r"^[A-Za-z0-9@._-]{1,64}$", examples=["frr"])],
    operation: Literal["start", "stop", "restart", "status"],
) -> Shown:
    """Start, stop or restart a service of a host, or see whether it runs."""
    done = exec_shell(context, host_name, service_line(service_name, operation))
    return done.model_copy(update={"command": f"systemctl {operation} {service_name}"})


def get_host_net_config(context: ToolContext, host_name: Host) -> Shown:
    """The network configuration of a host: links with counters, addresses, routes."""
    return exec_shell(context, host_name, _NET_CONFIG)


def get_tc_statistics(context: ToolContext, host_name: Host, intf_name: Interface) -> Shown:
    """Traffic control of one interface of a host, with its statistics."""
    return exec_shell(context, host_name, f"tc -s qdisc show dev {shlex.quote(intf_name)}")


def netstat(
    context: ToolContext,
    host_name: Host,
    args: Annotated[str, Field(pattern=r"^-[a-zA-Z46]{1,12}$", description="Options in one word.")] = "-tuln",
) -> Shown:
    """Sockets of a host, listening ones by default."""
    return exec_shell(context, host_name, _or_else("netstat", f"netstat {args}", f"ss {args}"))


def ip_addr_statistics(context: ToolContext, host_name: Host) -> Shown:
    """Addresses of a host, with the counters of their interfaces."""
    return exec_shell(context, host_name, "ip -s addr")


def ethtool(
    context: ToolContext,
    host_name: Host,
    interface: Interface,
    args: Annotated[str, Field(max_length=20, description="One option that reads, or none.", examples=[""])] = "",
) -> Shown:
    """What the driver says of an interface; where hosts have no ethtool, what the kernel says of it."""
    if args not in _ETHTOOL_READS:
        readable = ", ".join(option for option in _ETHTOOL_READS if option)
        raise ToolError(
            f"ethtool takes one option that reads, or none, not {args!r}; known: {readable}", "bad_arguments"
        )
    port = shlex.quote(interface)
    line = _or_else("ethtool", f"ethtool {args} {port}".replace("  ", " "), f"ip -s -d link show dev {port}")
    return exec_shell(context, host_name, line)


def cat_file(
    context: ToolContext,
    host_name: Host,
    file_path: Annotated[str, Field(max_length=400, examples=["/etc/hosts"])],
) -> Shown:
    """The content of a file on a host."""
    return exec_shell(context, host_name, f"cat -- {shlex.quote(file_path)}")


def _or_else(program: str, line: str, other: str) -> str:
    return f"if command -v {program} >/dev/null; then {line}; else {other}; fi"
