"""Agents that don't look: what a score means is read against theirs."""

import random

from netopsbench.agent.contract import Tools
from netopsbench.records.answers import Answer, Finding, Location, Question
from netopsbench.tools.results import Topology, TopologyLink


class Nop:
    """Says nothing."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        return Answer(verdict="inconclusive", reasoning="This agent never answers.")


class AlwaysHealthy:
    """Finds every network healthy."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        return Answer(verdict="network_healthy", confidence=1.0, reasoning="This agent always says so.")


class Constant:
    """Gives one answer to every question."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def answer(self, question: Question, tools: Tools) -> Answer:
        return self._answer


class Random:
    """Picks a verdict, a port and a label by chance; the same seed picks the same on the same fabric."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def answer(self, question: Question, tools: Tools) -> Answer:
        chance = random.Random(self._seed)
        links = _links(tools)
        if question.task in ("rca", "path"):
            return _result(question, links, chance)
        if not links or chance.random() < 0.5:
            return Answer(verdict="network_healthy", confidence=0.5, reasoning="Chosen by chance.")
        link = chance.choice(links)
        end = chance.choice((link.a, link.b) if link.kind == "fabric" else (link.a,))
        label = chance.choice(question.labels).name if question.labels else "unknown"
        location = Location(device=end.device, interface=end.interface)
        return Answer(
            verdict="fault_detected",
            findings=(Finding(fault_type=label, location=location),),
            confidence=0.5,
            reasoning="Chosen by chance.",
        )


def _result(question: Question, links: list[TopologyLink], chance: random.Random) -> Answer:
    """A line in the form that the question asks for: a port with one of its causes, or a cable as a path."""
    link = chance.choice(links)
    line = f"{link.a.device}_{link.a.interface}->{link.b.device}"
    if question.task == "rca":
        offered = [each.removeprefix("  - ") for each in question.text.splitlines() if each.startswith("  - ")]
        causes = [each.partition(":")[0] for each in offered]
        line = f"{link.a.device};{link.a.interface};{chance.choice(causes or ['unknown'])}"
    return Answer(verdict="fault_detected", reasoning=f"<result>\n{line}\n</result>")


def _links(tools: Tools) -> list[TopologyLink]:
    links: list[TopologyLink] = []
    offset: int | None = 0
    while offset is not None:
        part = Topology.model_validate(tools.call("get_topology", offset=offset, limit=500))
        links.extend(part.links)
        offset = part.page.next_offset
    return links
