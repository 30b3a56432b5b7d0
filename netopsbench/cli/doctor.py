"""`netopsbench doctor`: can this machine run it, how large, what is missing and how to get it."""

import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.native.machine import Check, examine
from netopsbench.fabric.native.service_software import BUNDLES, fetch_service_software
from netopsbench.fabric.native.software import fetch_software, find_software


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Download the routing software; needs no root.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say whether this machine can run fabrics, how large, and how to get what is missing."""
    words = Console(stderr=True, highlight=False)
    say = partial(words.print, markup=False, soft_wrap=True)
    try:
        software = fetch_software(say) if fix else find_software()
    except UnsupportedError as error:
        say(str(error))
        software = None
    if fix and software is not None:
        for bundle in BUNDLES:
            try:
                fetch_service_software(bundle, say)
            except UnsupportedError as error:
                say(str(error))
    checks = examine(software)
    is_able = all(check.is_ok for check in checks if check.is_required)
    if json_:
        print(json.dumps({"is_able": is_able, "checks": [check.model_dump() for check in checks]}, indent=2))
    else:
        # One line per check for programs that read it; a terminal wraps at its own width.
        Console(highlight=False, width=None if sys.stdout.isatty() else 240).print(findings(checks))
        words.print(summary(checks), soft_wrap=True)
    raise typer.Exit(0 if is_able else 1)


def findings(checks: Sequence[Check]) -> Table:
    """One row per check."""
    table = Table("", "check", "found", "needed, and how to get it", box=None, pad_edge=False)
    for check in checks:
        mark = "[green]ok[/]" if check.is_ok else "[red]MISSING[/]" if check.is_required else "[yellow]limits[/]"
        needed = f"{check.needed}; {check.remedy}" if check.remedy else check.needed
        table.add_row(mark, *(text.replace("[", r"\[") for text in (check.name, check.found, needed)))
    return table


def summary(checks: Sequence[Check]) -> str:
    """The verdict in one sentence."""
    missing = [check.name for check in checks if check.is_required and not check.is_ok]
    if missing:
        return f"This machine can't run fabrics yet; missing: {', '.join(missing)}."
    scales = [check for check in checks if check.is_ok and check.name.startswith("scale ")]
    names = ", ".join(check.name.removeprefix("scale ") for check in scales)
    return f"This machine can run fabrics of these scales: {names}."
