"""The command line as Markdown, read off the commands themselves."""

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from netopsbench.cli.main import app

_INTRODUCTION = """\
# Commands

Every command with its arguments and options. Words go to standard error, machine-readable output to standard output.
Exit codes: 0 right, 1 ran but failed, 2 a mistake of yours, 130 interrupted.
"""

_TYPERS_OWN = ("install_completion", "show_completion")
"""Whose words change with the version of the library."""


def cli_page() -> str:
    """The whole page."""
    return "\n".join((_INTRODUCTION, *_sections("netopsbench", typer.main.get_command(app)))).rstrip() + "\n"


def _sections(name: str, command: Any) -> Iterator[str]:
    inner = getattr(command, "commands", None)
    if inner is None or name == "netopsbench":
        yield from _section(name, command)
    for word, each in sorted((inner or {}).items()):
        if not each.hidden:
            yield from _sections(f"{name} {word}", each)


def _section(name: str, command: Any) -> Iterator[str]:
    shown = [each for each in command.params if each.name not in _TYPERS_OWN and not getattr(each, "hidden", False)]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    options = [each for each in shown if each.param_type_name == "option"]
    yield from (f"## {name}", "", "```", f"{name} {' '.join(_usage(arguments, options))}".rstrip(), "```", "")
    yield from (inspect.cleandoc(command.help or "").replace("\f", ""), "")
    if shown:
        yield from ("| | | meaning |", "|---|---|---|")
        yield from (_row(each, is_option=each in options) for each in (*arguments, *options))
        yield ""


def _usage(arguments: list[Any], options: list[Any]) -> Iterator[str]:
    if options:
        yield "[OPTIONS]"
    for each in arguments:
        word = _word(each) + ("…" if each.nargs == -1 else "")
        yield word if each.required else f"[{word}]"


def _row(each: Any, *, is_option: bool) -> str:
    spelled = _spelled(each) if is_option else f"`{_word(each)}`"
    needed = "needed" if each.required else _default(each)
    meaning = " ".join((each.help or "").split()).replace("|", "\\|")
    return f"| {spelled} | {needed} | {meaning} |"


def _word(each: Any) -> str:
    return str(each.metavar or each.name).upper() if not each.metavar else str(each.metavar)


def _spelled(each: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*each.opts, *each.secondary_opts))
    return names if getattr(each, "is_flag", False) else f"{names} {_word(each)}"


def _default(each: Any) -> str:
    if getattr(each, "is_flag", False) or each.default in (None, ()) or callable(each.default):
        return "may be repeated" if each.multiple else ""
    return f"else `{each.default}`"
