"""The question that agents are asked: the same bytes for every case of a campaign."""

from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.labels import LABELS

_TEXT = """\
You look after a data-center fabric: switches that run eBGP over equal-cost paths, and clients behind them. A mesh of \
probes between all clients runs all the time; you can compare how it was earlier (baseline) with how it is now.

Right now the fabric either is healthy or has {faults}. Find out which with the tools you are given. They \
only read; nothing has to be repaired.

Answer with one JSON object that fits answer_schema:
- verdict: "fault_detected", "network_healthy" or "inconclusive". Say "network_healthy" only when you have looked and \
found nothing; "inconclusive" counts as no diagnosis.
- findings: with "fault_detected" {findings}
- fault_type: the name of one of the labels, whose definitions stand in labels.
- location.device: the device at fault, spelled as get_topology spells it. location.interface: the port at fault, \
when the label has an interface (has_interface), otherwise null. For a link between two switches either end will do; \
for a link to a client give the switch's port.
- evidence: what you saw that shows it. confidence: from 0 to 1. reasoning: how you came to it.

The budget limits your time, tools included, and the number of tool calls. Beyond it your answer is not accepted.
"""

_ONE = {
    "faults": "exactly one fault",
    "findings": "exactly one finding, otherwise none. More than one finding is a wrong answer.",
}
_SEVERAL = {
    "faults": "up to {most} faults at once",
    "findings": "one finding for each fault, otherwise none. Every wrong finding costs as much as a missing one.",
}


_SHELL = """\
One of the tools, run_command, is a shell on the devices. It can change nothing, and each command is a tool call.
"""


_COMMAND_LINES = """\
One of the tools, execute, types a line on a device's own command line. The devices are of several vendors; each \
understands its vendor's commands and calls its interfaces in that vendor's way. In the answer they have the names \
that get_topology gives them.
"""


def question_for(
    budget: Budget, most_faults: int = 1, *, has_shell: bool = False, has_command_lines: bool = False
) -> Question:
    """The question of a campaign whose cases have at most so many faults; it holds nothing of a case."""
    words = _ONE if most_faults == 1 else {key: text.format(most=most_faults) for key, text in _SEVERAL.items()}
    return Question(
        task="localize",
        text=_TEXT.format(**words) + (_SHELL if has_shell else "") + (_COMMAND_LINES if has_command_lines else ""),
        labels=LABELS,
        budget=budget,
        answer_schema=Answer.model_json_schema(),
    )
