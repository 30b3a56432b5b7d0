"""What a shell line on a device printed: no more than fits, cut at a line's end, its own exit code told from ours."""

from netopsbench.core.errors import ToolError
from netopsbench.core.process import TIMED_OUT, Completed
from netopsbench.tools.devices.live_results import Shown
from netopsbench.tools.paging import page_of

MOST_BYTES = 256 * 1024

# Standard error is ours alone, and so is its copy: whatever the command writes there would be read as its exit code.
KEPT_SHORT = f"""
    {{ head -c {MOST_BYTES}; [ "$(head -c 1 | wc -c)" = 0 ] || echo cut >&3; }}; }} 3>&2
"""
BOUNDED = f"""
{{ {{ "$@" 3>&-; echo "exit=$?" >&3; }} 2>&1 </dev/null | {KEPT_SHORT}
"""
"""Runs its arguments as a command; for `sh -c`."""
OVER = "over"
"""Said after `exit=`: alone it means that the command was ended."""


def shown(done: Completed, about: tuple[str, str], page: tuple[int, int], timeout_s: float) -> Shown:
    """A command's output; `about` is the device and the command, `page` offset and limit.

    Raises ToolError when the command was ended after its time.
    """
    marks = done.stderr.split()
    codes = [int(mark.removeprefix("exit=")) for mark in marks if mark.startswith("exit=")]
    is_cut = "cut" in marks
    if not codes and not is_cut and (done.returncode == TIMED_OUT or OVER in marks):
        raise ToolError(f"the command did not end in {timeout_s:g} s", "timeout")
    whole = done.stdout.rpartition("\n")[0] or done.stdout if is_cut else done.stdout
    lines, where = page_of(whole.splitlines(), *page)
    # Its end was ours when the rest of its output found nobody who reads it.
    exit_code = None if is_cut else codes[0] if codes else done.returncode
    return Shown(device=about[0], command=about[1], exit_code=exit_code, is_cut=is_cut, lines=lines, page=where)
