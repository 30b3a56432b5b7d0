"""The tickets of a run: read, chosen, and checked against their lab before anything is built."""

from collections.abc import Callable, Sequence
from pathlib import Path

from netopsbench.campaign.plan import short_hash
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.scoring.judge import JudgeSettings
from netopsbench.tickets.convert import as_ticket, renamed, what_imports_lack
from netopsbench.tickets.importing import Reading, import_scenarios, persona_of
from netopsbench.tickets.kathara import read_kathara
from netopsbench.tickets.kathara_native import native_lab
from netopsbench.tickets.load import load_tickets, shipped_folder
from netopsbench.tickets.model import PERSONAS, Ticket
from netopsbench.tickets.record import TicketPlan, TicketSource

Tell = Callable[[str], None]


def plan_tickets(source: TicketSource, tell: Tell) -> TicketPlan:
    """The tickets that are asked for, and their lab; `tell` hears what was lost in reading somebody else's.

    Raises SpecError for tickets, voices and devices that there aren't, and for files that can't be read.
    """
    plan = _shipped(source) if source.lab is None else _foreign(source, source.lab, tell)
    chosen = plan.model_copy(update={"tickets": tuple(chosen_tickets(plan.tickets, source))})
    check_devices(chosen.tickets, lab_of(chosen))
    return chosen


def lab_of(plan: TicketPlan) -> FabricPlan:
    """The plan of the lab that the tickets are about."""
    return plan_fabric(load_spec(plan.lab) if isinstance(plan.lab, str) else plan.lab)


def fingerprint_of(plan: TicketPlan, judge: JudgeSettings | None) -> dict[str, str]:
    """What agents are given, and who judges their words."""
    judged = {} if judge is None else {"judge": short_hash(judge.model_dump(mode="json", exclude={"price"}))}
    return {
        "tickets": short_hash([ticket.model_dump(mode="json") for ticket in plan.tickets]),
        "lab": lab_of(plan).digest[:12],
        **judged,
    }


def chosen_tickets(found: Sequence[Ticket], wanted: TicketSource) -> list[Ticket]:
    """Raises SpecError for ids and voices that there aren't."""
    unknown = sorted(set(wanted.ids) - {ticket.id for ticket in found})
    strange = sorted(set(wanted.personas) - set(PERSONAS))
    known = ", ".join(ticket.id for ticket in found if ticket.persona == "standard")
    problems = [Problem("tickets run", "--only", each, f"one of {known}") for each in unknown]
    problems += [Problem("tickets run", "--persona", each, f"one of {', '.join(PERSONAS)}") for each in strange]
    voices = wanted.personas or ("standard",)
    chosen = [ticket for ticket in found if (ticket.id in wanted.ids if wanted.ids else ticket.persona in voices)]
    if not chosen and not problems:
        problems.append(Problem("tickets run", "--persona", ", ".join(voices), "a voice that tickets here have"))
    if problems:
        raise SpecError(problems)
    return chosen


def check_devices(tickets: Sequence[Ticket], plan: FabricPlan) -> None:
    """Raises SpecError naming every device of a ticket that the lab doesn't have."""
    known = {node.name for node in plan.nodes}
    problems = [
        Problem(ticket.id, "device", name, f"the lab {plan.name} has: {', '.join(sorted(known))}")
        for ticket in tickets
        for name in sorted(ticket.devices - known)
    ]
    if problems:
        raise SpecError(problems)


def _shipped(source: TicketSource) -> TicketPlan:
    tickets = load_tickets(shipped_folder(source.scenarios))
    return TicketPlan(source=source, lab=source.scenarios, tickets=tuple(tickets))


def _foreign(source: TicketSource, folder: Path, tell: Tell) -> TicketPlan:
    """Published scenarios and their Kathará lab, as it is written."""
    kathara = read_kathara(folder)
    native = native_lab(kathara)
    reading: Reading = "compat" if source.is_compat else "strict"
    devices = [machine.name for machine in kathara.machines]
    imported = import_scenarios(Path(source.scenarios), reading, {kathara.name: devices})
    for each in (*native.notes, *imported.notes):
        tell(str(each))
    tickets = [renamed(as_ticket(each, persona_of(each)), native.names) for each in imported.scenarios]
    for line in what_imports_lack(tickets):
        tell(line)
    return TicketPlan(source=source, lab=native.spec, tickets=tuple(tickets))
