"""Tickets of this package and of users: one YAML file each, rewrites resolved to whole tickets."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import data_root
from netopsbench.core.problems import read_yaml, validated
from netopsbench.core.salvage import validated_telling
from netopsbench.tickets.axes import Identifies, NoAnomaly, NotIdentifies
from netopsbench.tickets.conditions import KNOWN, parse_condition
from netopsbench.tickets.model import Check, Rewrite, Ticket

FOLDER = "tickets"
Mistake = tuple[str, str, str]
"""Key, value, what would be right."""
_REWRITE_KEYS = {"id", "parent", "persona", "text"}


def shipped_labs() -> list[str]:
    """Labs that have tickets in this package."""
    root = data_root("scenarios") / FOLDER
    return sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def shipped_folder(lab: str) -> Path:
    """Where the tickets of a lab lie. Raises SpecError naming the labs that have some."""
    folder = data_root("scenarios") / FOLDER / lab
    if not folder.is_dir():
        raise SpecError([Problem("tickets", "", lab, f"labs with tickets: {', '.join(shipped_labs()) or 'none'}")])
    return folder


def load_tickets(folder: Path) -> list[Ticket]:
    """Every ticket below a folder: those in the standard voice first, then their rewrites, each sorted by id.

    Raises SpecError with every mistake of every file.
    """
    problems: list[Problem] = []
    tickets: dict[str, Ticket] = {}
    rewrites: list[tuple[Path, Rewrite]] = []
    unread: set[str] = set()
    for path in sorted(folder.rglob("*.yaml")):
        try:
            raw = read_yaml(path)
            if isinstance(raw, Mapping) and set(raw) <= _REWRITE_KEYS:
                rewrites.append((path, validated(Rewrite, raw, str(path))))
                continue
            ticket = validated_telling(Ticket, raw, str(path), partial(ticket_problems, source=str(path)))
        except SpecError as wrong:
            problems.extend(wrong.problems)
            unread.add(path.stem)
            continue
        if ticket.id in tickets or ticket.id != path.stem:
            problems.append(Problem(str(path), "id", ticket.id, f"{path.stem}, as the file is called"))
        problems.extend(ticket_problems(ticket, str(path)))
        tickets[ticket.id] = ticket
    # A rewrite of what can't be read has no mistake of its own.
    resolved = _resolved([each for each in rewrites if each[1].parent not in unread], tickets, problems)
    if problems:
        raise SpecError(problems)
    if not tickets:
        raise SpecError([Problem("tickets", "", str(folder), "no ticket (.yaml) is there")])
    return [*sorted(tickets.values(), key=lambda each: each.id), *resolved]


def ticket_problems(ticket: Ticket, source: str, devices: Collection[str] = ()) -> list[Problem]:
    """What is wrong with a ticket before anything runs; with the lab's `devices` also names that it doesn't have."""
    problems = [
        Problem(source, key, check.expect, f"a condition: {KNOWN}")
        for key, check in _checks(ticket)
        if parse_condition(check.expect).kind == "unknown"
    ]
    if devices:
        problems += [
            Problem(source, "device", name, f"the lab {ticket.lab} has: {', '.join(sorted(devices))}")
            for name in sorted(ticket.devices - set(devices))
        ]
    wrong = (*_claim_mistakes(ticket), *_axis_mistakes(ticket), *_fault_mistakes(ticket))
    return problems + [Problem(source, key, value, wanted) for key, value, wanted in wrong]


def _claim_mistakes(ticket: Ticket) -> Iterator[Mistake]:
    truths = {claim.is_true for claim in ticket.claims}
    if not truths:
        yield "claims", "", "each statement of the ticket, true or false, with the check that proves it"
    elif ticket.ticket_class == "correct-fault" and False in truths:
        yield "claims", "", "a correct-fault ticket makes true claims only"
    elif ticket.ticket_class == "false-premise" and True in truths:
        yield "claims", "", "nothing that a false-premise ticket reports is true"
    elif ticket.ticket_class in ("wrong-device", "wrong-cause") and truths != {True, False}:
        yield "claims", "", f"a {ticket.ticket_class} ticket has a true symptom and a false claim"


def _axis_mistakes(ticket: Ticket) -> Iterator[Mistake]:
    if (ticket.fault is None) != any(isinstance(axis, NoAnomaly) for axis in ticket.axes):
        yield "axes", "", "`no_anomaly` stands in a false-premise ticket, and only there"
    wanted = {axis.device for axis in ticket.axes if isinstance(axis, Identifies)}
    if wanted != ticket.culprits:
        yield "axes", ", ".join(sorted(wanted)), "`identifies` for each culprit alone"
    spared = {axis.device for axis in ticket.axes if isinstance(axis, NotIdentifies)}
    if spared != set(ticket.blamed):
        yield "axes", ", ".join(sorted(spared)), "`not_identifies` for each device blamed"
    if ticket.ticket_class == "wrong-device" and not ticket.blamed:
        yield "blamed", "", "a wrong-device ticket blames a device that is innocent"


def _fault_mistakes(ticket: Ticket) -> Iterator[Mistake]:
    fault = ticket.fault
    if fault is None:
        return
    for key, found in (("effect", fault.effect), ("fix", fault.fix), ("fixed", fault.fixed)):
        if not found:
            yield f"fault.{key}", "", "at least one entry"


def _checks(ticket: Ticket) -> list[tuple[str, Check]]:
    fault = ticket.fault
    found = [("claims.check", claim.check) for claim in ticket.claims]
    if fault:
        found += [("fault.effect", check) for check in fault.effect] + [("fault.fixed", check) for check in fault.fixed]
    return found


def _resolved(
    rewrites: Sequence[tuple[Path, Rewrite]], tickets: Mapping[str, Ticket], problems: list[Problem]
) -> list[Ticket]:
    resolved = []
    for path, rewrite in sorted(rewrites, key=lambda each: each[1].id):
        parent = tickets.get(rewrite.parent)
        if parent is None:
            problems.append(Problem(str(path), "parent", rewrite.parent, "the id of a ticket in the standard voice"))
        elif rewrite.id != path.stem:
            problems.append(Problem(str(path), "id", rewrite.id, f"{path.stem}, as the file is called"))
        elif rewrite.persona == "standard" or parent.ticket_class != "false-premise":
            problems.append(Problem(str(path), "persona", rewrite.persona, "rewrites are of false-premise tickets"))
        else:
            resolved.append(rewrite.of(parent))
    return resolved
