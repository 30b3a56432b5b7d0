"""What an agent is asked about a ticket: the ticket's own text, and nothing else of it."""

from collections.abc import Sequence
from typing import Literal

from pydantic import ValidationError

from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.tickets.answer import TicketAnswer, read_tolerantly
from netopsbench.tickets.model import Command, Ticket

FIX = "fix"
"""Key of an answer's metadata: commands that repair what was found."""
TURNS = 20
"""As published."""

_TEXT = """\
You are on call for a small network. Somebody wrote the ticket below. It may be right, it may blame the wrong device \
or the wrong cause, and it may report something that isn't so: the network may be healthy.

Find out with the tools you are given. {writing} can change devices; what you change stays changed, is recorded, and \
counts against you where nothing was broken.

Answer with one JSON object that fits answer_schema:
- verdict: "fault_detected" when something is broken, "network_healthy" when nothing is.
- findings: one for each device at fault, none when the network is healthy. location.device: spelled as {namer} \
spells it. fault_type: the cause in a few words.
- reasoning: the diagnosis in 150 to 300 words: what is broken and why, or what you found healthy.
- metadata.fix: a list of commands that repair it, each {{"on": device, "run": "line for /bin/sh"}}. They are carried \
out after your answer. Leave it out when nothing has to be repaired.

The budget limits your time, tools included, and the number of tool calls{turns}. Beyond it your answer is not accepted.

The ticket:
"""
_NAMED = {
    "own": ("exec_shell", "get_topology"),
    "published": ("exec_shell, exec_shell_dual, systemctl_ops and frr_exec", "get_reachability"),
}
"""Tools that write, and the one that names every device."""


def ticket_question(ticket: Ticket, budget: Budget, tools: Literal["own", "published"] = "own") -> Question:
    """The question; the same but for the ticket's text and the tools' names in every case."""
    writing, namer = _NAMED[tools]
    told = budget.as_told()
    turns = f", and you have {told.turns} turns" if told.turns is not None else ""
    return Question(
        task="ticket",
        text=_TEXT.format(turns=turns, writing=writing, namer=namer) + ticket.text,
        labels=(),
        budget=budget,
        answer_schema=Answer.model_json_schema(),
    )


def read_answer(answer: Answer, devices: Sequence[str]) -> TicketAnswer:
    """What an agent's answer says about a ticket; commands for devices that don't exist are left out.

    Markdown around names is no part of them. An answer without a verdict counts by the diagnosis block in its
    reasoning, if there is one.
    """
    verdicts = {"fault_detected": True, "network_healthy": False}
    named = dict.fromkeys(_bare(finding.location.device) for finding in answer.findings)
    causes = ". ".join(finding.fault_type for finding in answer.findings)
    told = TicketAnswer(
        is_anomaly=verdicts.get(answer.verdict),
        devices=tuple(named),
        text=f"{answer.reasoning}\n{causes}".strip(),
        fix=tuple(_commands(answer)),
    )
    block = read_tolerantly(answer.reasoning) if told.is_anomaly is None else None
    if block is not None:
        told = block.model_copy(update={"fix": told.fix or block.fix})
    return told.model_copy(update={"fix": tuple(command for command in told.fix if command.on in devices)})


def _bare(name: str) -> str:
    return name.strip().strip("`*_").strip()


def _commands(answer: Answer) -> list[Command]:
    found = answer.metadata.get(FIX)
    commands = []
    for each in found if isinstance(found, list) else []:
        try:
            command = Command.model_validate(each)
            commands.append(command.model_copy(update={"on": _bare(command.on)}))
        except ValidationError:
            # An agent's own words: what is no command can't be carried out, the others can.
            continue
    return commands
