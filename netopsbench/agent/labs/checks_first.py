"""An agent without a model that looks at every device before it believes a word of the ticket."""

from collections.abc import Callable, Iterator
from typing import Any

from netopsbench.agent.contract import Tools
from netopsbench.agent.labs.checks import CHECKS, Trouble
from netopsbench.agent.labs.facts import LabFacts
from netopsbench.records.answers import Answer, Finding, Location, Question

Check = Callable[[LabFacts], Iterator[Trouble]]


class ChecksFirst:
    """Compares every device with the design, and reports what differs and how to repair it."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        facts = LabFacts(tools)
        troubles = [trouble for check in CHECKS for trouble in check(facts)]
        if not troubles:
            said = f"All {len(facts.nodes)} devices are healthy: links, addresses, routing, filters and services work."
            return Answer(verdict="network_healthy", confidence=0.9, reasoning=said)
        fix: list[dict[str, Any]] = [{"on": each.device, "run": line} for each in troubles for line in each.fix]
        return Answer(
            verdict="fault_detected",
            findings=tuple(Finding(fault_type=each.cause, location=Location(device=each.device)) for each in troubles),
            confidence=0.9,
            reasoning=". ".join(f"{each.device}: {each.cause}" for each in troubles),
            metadata={"fix": fix},
        )
