"""The rule-based agent: Pingmesh first, then the devices that it points at, then every fabric link."""

import time
from collections.abc import Callable

from netopsbench.agent.baseline.diagnosis import Diagnosis
from netopsbench.agent.baseline.network import CallsUsedUpError, Network
from netopsbench.agent.baseline.rules import RULES
from netopsbench.agent.contract import Tools
from netopsbench.records.answers import Answer, Finding, Location, Question


class Baseline:
    """Applies `RULES` in order; the first explanation is the answer."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        """`wait` lets so many seconds pass between two looks at the same thing."""
        self._wait = wait

    def answer(self, question: Question, tools: Tools) -> Answer:
        network = Network(tools, question.budget.tool_calls, self._wait)
        try:
            for rule in RULES:
                diagnosis = rule(network)
                if diagnosis:
                    return _fault(diagnosis, network)
        except CallsUsedUpError:
            network.failures.append("the budget of calls was used up before everything was looked at")
        return _nothing_found(network)


def _fault(diagnosis: Diagnosis, network: Network) -> Answer:
    location = Location(device=diagnosis.device, interface=diagnosis.interface)
    return Answer(
        verdict="fault_detected",
        findings=(Finding(fault_type=diagnosis.fault_type, location=location, evidence=diagnosis.evidence),),
        confidence=diagnosis.confidence,
        reasoning=f"{_mesh_in_words(network)} {diagnosis.reasoning[:1].upper()}{diagnosis.reasoning[1:]}.",
    )


def _nothing_found(network: Network) -> Answer:
    trouble = "".join(f" Not known: {failure}." for failure in network.failures[:5])
    return Answer(
        verdict="network_healthy",
        confidence=0.5 if trouble else 0.9,
        reasoning=f"{_mesh_in_words(network)} No device that answered shows a fault.{trouble}",
    )


def _mesh_in_words(network: Network) -> str:
    try:
        mesh = network.mesh
    except CallsUsedUpError:
        mesh = None
    if mesh is None:
        return "Pingmesh could not be read."
    counted = ", ".join(f"{count} {state}" for state, count in mesh.states.items())
    return f"Pingmesh paths: {counted or 'none'}."
