"""Between published scenarios and tickets of this package."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from netopsbench.core.errors import Problem, SpecError
from netopsbench.tickets.axes import Identifies, NotIdentifies, parse_axis, write_axis
from netopsbench.tickets.conditions import parse_condition
from netopsbench.tickets.importing import LAYERS, class_of
from netopsbench.tickets.model import Check, Command, InjectedFault, Persona, Ticket
from netopsbench.tickets.published import Injection, PublishedCheck, Scenario

Placed = TypeVar("Placed", Command, Check)
"""Something that happens on a device."""
_HEALTHY_NOTE = "Nothing is injected. What the ticket reports isn't so."


def as_ticket(scenario: Scenario, persona: Persona) -> Ticket:
    """A published scenario as a ticket: without claims, and without commands that fix it, which it doesn't have.

    Checks with a condition that nobody knows are left out: as published they hold whatever is printed.
    Raises SpecError when it has no axis that is understood, or is a false premise that injects something.
    """
    axes = tuple(axis for axis in map(parse_axis, scenario.axes) if axis is not None)
    kind = class_of(scenario.id)
    injection = scenario.injection
    if not axes or (injection.command is None) != (kind == "false-premise"):
        wanted = "axes that are known, and an injection unless the id says false-premise"
        raise SpecError([Problem(scenario.id, "", "", wanted)])
    named = [axis.device for axis in axes if isinstance(axis, Identifies)]
    culprits = tuple(dict.fromkeys(named)) or (injection.device,)
    blamed = dict.fromkeys(axis.device for axis in axes if isinstance(axis, NotIdentifies))
    fault = None
    if injection.command is not None:
        fault = InjectedFault(
            family=scenario.family,
            devices=culprits,
            cause=injection.action,
            inject=(Command(on=injection.device, run=injection.command),),
            effect=tuple(
                Check(on=each.on, run=each.run, expect=each.expect)
                for each in scenario.checks
                if parse_condition(each.expect).kind != "unknown"
            ),
        )
    return Ticket(
        id=scenario.id,
        lab=scenario.topology,
        ticket_class=kind,
        persona=persona,
        parent=None if persona == "standard" else scenario.variant_of,
        text=scenario.prompt,
        fault=fault,
        blamed=tuple(device for device in blamed if device not in culprits),
        axes=axes,
    )


def what_imports_lack(tickets: Sequence[Ticket]) -> list[str]:
    """What can't be done with imported tickets, in words."""
    told = [
        "imported tickets have no claims and no commands that fix them: `tickets prove` can't take them, and `oracle` "
        "gets no figure for a fix; fixes of agents are judged by the scenario's own checks"
    ]
    unchecked = [ticket.id for ticket in tickets if ticket.fault and not ticket.fault.effect]
    if unchecked:
        told.append(f"no check tells whether their fault is gone, so fixes get no figure: {', '.join(unchecked)}")
    return told


def renamed(ticket: Ticket, names: Mapping[str, str]) -> Ticket:
    """The ticket with devices called as they are in the lab that runs; its text stays as it was written."""

    def here(device: str) -> str:
        return names.get(device, device)

    def moved(each: Placed) -> Placed:
        return each.model_copy(update={"on": here(each.on)})

    fault = ticket.fault and ticket.fault.model_copy(
        update={
            "devices": tuple(map(here, ticket.fault.devices)),
            "inject": tuple(map(moved, ticket.fault.inject)),
            "effect": tuple(map(moved, ticket.fault.effect)),
            "fix": tuple(map(moved, ticket.fault.fix)),
            "fixed": tuple(map(moved, ticket.fault.fixed)),
        }
    )
    axes = tuple(
        axis.model_copy(update={"device": here(axis.device)}) if isinstance(axis, Identifies | NotIdentifies) else axis
        for axis in ticket.axes
    )
    return ticket.model_copy(update={"fault": fault, "blamed": tuple(map(here, ticket.blamed)), "axes": axes})


def as_scenario(ticket: Ticket) -> Scenario:
    """A ticket in the published format. Raises SpecError when its fault is made on more than one device."""
    fault = ticket.fault
    devices = sorted({command.on for command in fault.inject}) if fault else []
    if len(devices) > 1:
        wanted = "the published format injects on one device"
        raise SpecError([Problem(ticket.id, "fault.inject", ", ".join(devices), wanted)])
    injection = Injection(device="none", action="none", note=_HEALTHY_NOTE)
    if fault:
        lines = "\n".join(command.run for command in fault.inject)
        injection = Injection(device=devices[0], action=fault.cause, command=lines)
    claims = [f"{claim.says} - {'true' if claim.is_true else 'false'} ({claim.check})" for claim in ticket.claims]
    return Scenario(
        id=published_id(ticket),
        topology=ticket.lab,
        family=fault.family if fault else "negative-control (false premise)",
        style=ticket.persona,
        variant_of=ticket.parent,
        flip_of=f"{ticket.parent}-novice" if ticket.persona == "novice-confident" else None,
        prompt=ticket.text.strip(),
        injection=injection,
        checks=tuple(PublishedCheck(on=each.on, run=each.run, expect=each.expect) for each in fault.effect)
        if fault
        else (),
        ground_truth="\n".join([fault.cause if fault else "The network is healthy.", "", "Claims:", *claims]),
        fix="\n".join(f"{command.on}: {command.run}" for command in fault.fix) if fault else "",
        axes=tuple(write_axis(axis) for axis in ticket.axes),
        label="nika_label: none\nnika_category: NOVEL\nin_taxonomy: false\nnote: exported by netopsbench",
    )


def published_path(ticket: Ticket) -> str:
    """Where a ticket's file lies in a published folder."""
    is_base = ticket.persona == "standard" and ticket.ticket_class == "correct-fault"
    folders: dict[Persona, str] = {persona: folder for folder, persona in LAYERS.items() if persona != "standard"}
    layer = "base" if is_base else folders.get(ticket.persona, "cex")
    return f"{ticket.lab}_Q/{layer}/{published_id(ticket)}.txt"


def published_id(ticket: Ticket) -> str:
    """The ticket's id, which spells its class in the published way."""
    if class_of(ticket.id) == ticket.ticket_class:
        return ticket.id
    ending = {"wrong-device": "-misdirected", "wrong-cause": "-misdescribed", "false-premise": "-false-premise"}
    return ticket.id + ending.get(ticket.ticket_class, "")
