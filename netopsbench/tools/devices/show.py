"""Read-only commands of the routing software."""

import re
from typing import Annotated

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Switch
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import COMMAND_TIMEOUT_S
from netopsbench.tools.devices.live_results import Shown
from netopsbench.tools.paging import Limit, Offset, page_of

_TOPICS = ("bgp", "interface", "ip", "ipv6", "nexthop-group", "route-map", "running-config", "version", "zebra")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*")
_LONGEST = 200

Command = Annotated[
    str,
    Field(
        description=f"`show` and what to show, as vtysh takes it. The second word is one of: {', '.join(_TOPICS)}.",
        examples=["show bgp ipv4 unicast summary"],
    ),
]


def show(context: ToolContext, device: Switch, command: Command, offset: Offset = 0, limit: Limit = 200) -> Shown:
    """Run a `show` command of the routing software (vtysh) on a switch, and get the lines it prints.

    Commands can't be abbreviated, chained or piped. Append `json` where the software supports it.
    """
    context.switch(device)
    words = readable(command)
    done = context.fabric.exec(device, ["vtysh", "-c", " ".join(words)], timeout_s=COMMAND_TIMEOUT_S)
    if done.returncode == 124:
        raise ToolError(f"{device} did not answer in {COMMAND_TIMEOUT_S:g} s", "timeout")
    # vtysh tells of a command it doesn't know on standard output, and of a daemon that is gone on standard error.
    lines = (done.stdout + done.stderr).splitlines()
    chosen, page = page_of(lines, offset, limit)
    return Shown(device=device, command=" ".join(words), exit_code=done.returncode, lines=chosen, page=page)


def readable(command: str) -> list[str]:
    """The words of a command that can only read. Raises ToolError `bad_arguments` for any other."""
    words = command.split(" ")
    words = [word for word in words if word]
    for word in words:
        if not _WORD.fullmatch(word):
            raise ToolError(f"{word[:80]!r} can't be part of a command: only plain words, one command", "bad_arguments")
    if len(command) > _LONGEST:
        raise ToolError(f"a command has at most {_LONGEST} characters, this one {len(command)}", "bad_arguments")
    if len(words) < 2 or words[0] != "show" or words[1] not in _TOPICS:
        wanted = f"a command begins with `show` and one of: {', '.join(_TOPICS)}"
        raise ToolError(f"{command!r} is not allowed; {wanted}", "bad_arguments")
    return words
