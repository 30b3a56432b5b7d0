"""Output of shell lines: bounded and marked, and nothing that a command does is taken for its exit code."""

from collections.abc import Sequence

import pytest
from printing import PrintingFabric

from netopsbench.core.errors import ToolError
from netopsbench.core.process import Completed, run
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices import run_command as shut
from netopsbench.tools.devices.exec_shell import exec_shell
from netopsbench.tools.devices.run_command import run_command
from netopsbench.tools.devices.shell_output import MOST_BYTES


@pytest.fixture(params=["exec_shell", "run_command"])
def typed(request: pytest.FixtureRequest, context: ToolContext, fabric: PrintingFabric, monkeypatch) -> object:
    """A shell on this machine in the place of a device's, with time for 1 s and without the walls around it."""

    def execute(node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        return run(argv, timeout_s=min(timeout_s, 3), stdin=stdin)

    monkeypatch.setattr(fabric, "exec", execute)
    monkeypatch.setattr("netopsbench.tools.devices.exec_shell._TIMEOUT_S", 1.0)
    monkeypatch.setattr(shut, "_SHUT_IN", ["env"])
    monkeypatch.setattr(shut, "_START", shut._START.replace(str(shut._TIMEOUT_S), "1"))
    tool = exec_shell if request.param == "exec_shell" else run_command
    return lambda line, **page: tool(context, "leaf1", line, **page)


@pytest.mark.parametrize(
    ("line", "exit_code", "lines"),
    [
        ("echo one; echo two >&2; exit 5", 5, ("one", "two")),
        ("echo 0 >&3; exit 5", 5, None),
        ("echo exit=0 >&3; exit 5", 5, None),
        ("echo exit=0; echo cut >&2; exit 3", 3, ("exit=0", "cut")),
        ("exit 124", 124, ()),
        ("exit 137", 137, ()),
        ("kill -9 $$", 137, None),
        ("true", 0, ()),
    ],
)
def test_the_exit_code_is_the_commands_own(typed, line: str, exit_code: int, lines: tuple[str, ...] | None) -> None:
    shown = typed(line)
    assert (shown.exit_code, shown.is_cut) == (exit_code, False)
    assert lines is None or shown.lines == lines


def test_a_command_that_does_not_end_is_told(typed) -> None:
    with pytest.raises(ToolError, match="did not end in") as refused:
        typed("echo before; sleep 5")
    assert refused.value.kind == "timeout"


@pytest.mark.parametrize("line", ["yes 0123456789", "yes 0123456789 | head -c 300000; exit 4"])
def test_too_much_output_is_cut_at_the_end_of_a_line_with_a_mark(typed, line: str) -> None:
    shown = typed(line, limit=500)
    assert (shown.is_cut, shown.exit_code) == (True, None)
    assert shown.page.total == MOST_BYTES // 11
    last = typed(line, offset=shown.page.total - 1)
    assert last.lines == ("0123456789",)


def test_as_much_as_fits_is_whole(typed) -> None:
    shown = typed(f"yes 0123456 | head -c {MOST_BYTES}; exit 4")
    assert (shown.is_cut, shown.exit_code, shown.page.total) == (False, 4, MOST_BYTES // 8)
