"""Grades an answer to a task: the published figures by the strict reader, and by the tolerant one beside them."""

from collections.abc import Iterable, Mapping

from netopsbench.rca.answer import Reading, read_paths, read_triples
from netopsbench.rca.metrics import Action, PathFigures, RcaFigures, evidence_f1, path_figures, rca_figures
from netopsbench.rca.model import PathTask, RcaTask, Task
from netopsbench.rca.question import told_paths, told_triples
from netopsbench.rca.record import TaskScore
from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.parse import CommandMistakeError
from netopsbench.vendors.pipes import PipeMistakeError, split
from netopsbench.vendors.table import read


def grade(
    task: Task, text: str, commands: Iterable[tuple[str, str]], effort: tuple[int, float, int | None], agent: str
) -> TaskScore:
    """Grade a task's answer; `commands` are (device, line), `effort` rounds, seconds and tokens."""
    rounds, elapsed_s, tokens = effort
    taken = frozenset(action for device, line in commands if (action := action_of(task.vendors, device, line)))
    golden = frozenset((look.device, _spelled(look.need, look.about)) for look in task.golden)
    return TaskScore(
        task_id=task.id,
        agent=agent,
        kind=task.kind,
        strict=_figures(task, text, "strict"),
        tolerant=_figures(task, text, "tolerant"),
        evidence=evidence_f1(taken, golden),
        rounds=rounds,
        elapsed_s=elapsed_s,
        tokens=tokens,
    )


def action_of(vendors: Mapping[str, Vendor], device: str, line: str) -> Action | None:
    """A line as an action: what it asks for, and the address that it looks up; None when it is no command.

    Lines of different vendors, abbreviated or filtered, that ask for the same are the same action.
    """
    if device not in vendors:
        return None
    vendor = vendors[device]
    try:
        asked = read(vendor, split(line, vendor)[0])
    except (CommandMistakeError, PipeMistakeError):
        return None
    need: Need = asked.command.need
    about = asked.arguments.get("address", "") if need in ("route_lookup", "fib") else ""
    return device, _spelled(need, about)


def _spelled(need: Need, about: str) -> str:
    # The whole table shows what a look-up in it shows.
    return f"{need} {about}".rstrip() if need == "route_lookup" else need


def _figures(task: RcaTask | PathTask, text: str, reading: Reading) -> RcaFigures | PathFigures:
    if task.kind == "rca":
        return rca_figures(read_triples(text, reading), told_triples(task))
    return path_figures(read_paths(text, reading), told_paths(task))
