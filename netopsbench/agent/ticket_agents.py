"""Agents for tickets that need no key: what a score on tickets means is read against theirs."""

import random
import re

from netopsbench.agent.contract import Tools
from netopsbench.records.answers import Answer, Finding, Location, Question
from netopsbench.tools.results import TopologyNode

_MARK = "The ticket:"


class Believer:
    """Believes the ticket: the device that it mentions most is broken, and something always is."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        ticket = ticket_of(question)
        nodes = devices_of(tools)
        # Whoever writes tickets blames boxes in the middle rather than what stands on a desk.
        ranked = sorted(
            (not _mentions(each, ticket), each.role == "host", -_mentions(each, ticket), each.name) for each in nodes
        )
        device = ranked[0][3]
        return _blaming(device, f"As the ticket says: {' '.join(ticket.split())}")


class RandomDevice:
    """Blames a device by chance; the same seed blames the same one in the same lab."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def answer(self, question: Question, tools: Tools) -> Answer:
        nodes = devices_of(tools)
        return _blaming(random.Random(self._seed).choice(nodes).name, "Chosen by chance.")


def ticket_of(question: Question) -> str:
    """The ticket's own words in the question."""
    _, _, text = question.text.partition(_MARK)
    return text.strip() or question.text


def devices_of(tools: Tools) -> list[TopologyNode]:
    """Every device of the network."""
    return [TopologyNode.model_validate(node) for node in tools.call("get_topology", limit=1)["nodes"]]


def _mentions(node: TopologyNode, text: str) -> int:
    """How often a text mentions a device, by its name or its address."""
    names = [each for each in (node.name, node.address, node.loopback) if each]
    return sum(len(re.findall(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\d)", text, re.IGNORECASE)) for name in names)


def _blaming(device: str, reasoning: str) -> Answer:
    finding = Finding(fault_type="unknown", location=Location(device=device))
    return Answer(verdict="fault_detected", findings=(finding,), confidence=0.5, reasoning=reasoning)
