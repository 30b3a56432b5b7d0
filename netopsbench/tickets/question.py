"""What an agent is asked about a ticket: the ticket's own text, and nothing else of it."""

from collections.abc import Sequence

from pydantic import ValidationError

from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.tickets.answer import TicketAnswer
from netopsbench.tickets.model import Command, Ticket

FIX = "fix"
"""Key of an answer's metadata: commands that repair what was found."""
TURNS = 20
"""As published."""

_TEXT = """\
You are on call for a small network. Somebody wrote the ticket below. It may be right, it may blame the wrong device \
or the wrong cause, and it may report something that isn't so: the network may be healthy.

Find out with the tools you are given. exec_shell can change devices; what you change stays changed, is recorded, and \
counts against you where nothing was broken.

Answer with one JSON object that fits answer_schema:
- verdict: "fault_detected" when something is broken, "network_healthy" when nothing is.
- findings: one for each device at fault, none when the network is healthy. location.device: spelled as get_topology \
spells it. fault_type: the cause in a few words.
- reasoning: the diagnosis in 150 to 300 words: what is broken and why, or what you found healthy.
- metadata.fix: a list of commands that repair it, each {{"on": device, "run": "line for /bin/sh"}}. They are carried \
out after your answer. Leave it out when nothing has to be repaired.

The budget limits your time, tools included, and the number of tool calls{turns}. Beyond it your answer is not accepted.

The ticket:
"""


def ticket_question(ticket: Ticket, budget: Budget) -> Question:
    """The question; the same but for the ticket's text in every case."""
    turns = f", and you have {budget.turns} turns" if budget.turns is not None else ""
    return Question(
        task="ticket",
        text=_TEXT.format(turns=turns) + ticket.text,
        labels=(),
        budget=budget,
        answer_schema=Answer.model_json_schema(),
    )


def read_answer(answer: Answer, devices: Sequence[str]) -> TicketAnswer:
    """What an agent's answer says about a ticket; commands for devices that don't exist are left out."""
    verdicts = {"fault_detected": True, "network_healthy": False}
    named = dict.fromkeys(finding.location.device for finding in answer.findings)
    causes = ". ".join(finding.fault_type for finding in answer.findings)
    return TicketAnswer(
        is_anomaly=verdicts.get(answer.verdict),
        devices=tuple(named),
        text=f"{answer.reasoning}\n{causes}".strip(),
        fix=tuple(command for command in _commands(answer) if command.on in devices),
    )


def _commands(answer: Answer) -> list[Command]:
    found = answer.metadata.get(FIX)
    commands = []
    for each in found if isinstance(found, list) else []:
        try:
            commands.append(Command.model_validate(each))
        except ValidationError:
            # An agent's own words: what is no command can't be carried out, the others can.
            continue
    return commands
