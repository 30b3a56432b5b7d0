"""`sweeper`: asks every router the same questions and compares the answers with the design. No model, no chance."""

from collections.abc import Callable, Iterator

from netopsbench.agent.contract import Tools
from netopsbench.agent.design import designed
from netopsbench.agent.sweeper.discovery import silent
from netopsbench.agent.sweeper.policies import lacking_users, refused_users, untranslated_ports
from netopsbench.agent.sweeper.ports import (
    double_loopback,
    misconfigured_beyond,
    moved_ports,
    shut_beyond,
    wrong_arp,
    wrong_ports,
)
from netopsbench.agent.sweeper.routes import missing_routes, wrong_isis, wrong_ospf, wrong_sessions, wrong_statics
from netopsbench.agent.sweeper.services import full_ports, odd_tunnels, treeless, without_groups, wrong_evpn
from netopsbench.agent.sweeper.swept import Finding, Said, Swept
from netopsbench.records.answers import Answer, Question

_OF_A_DEVICE: tuple[Callable[[Swept, str], Iterator[Finding]], ...] = (
    wrong_ports,
    moved_ports,
    double_loopback,
    wrong_arp,
    wrong_statics,
    missing_routes,
    wrong_sessions,
    wrong_ospf,
    wrong_isis,
    refused_users,
    lacking_users,
    untranslated_ports,
    full_ports,
    without_groups,
    wrong_evpn,
)
"""What a device shows of itself."""
_OF_ALL: tuple[Callable[[Swept], Iterator[Said]], ...] = (
    shut_beyond,
    misconfigured_beyond,
    treeless,
    odd_tunnels,
    silent,
)
"""What only several devices show together, or one of another."""


class Sweeper:
    """Looks at everything, whatever the complaint."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        if question.task != "rca":
            return Answer(verdict="inconclusive", reasoning="This agent looks for root causes, and nothing else.")
        swept = Swept(tools, designed(tools))
        lines = sorted({";".join(said) for said in causes(swept)})
        return Answer(verdict="fault_detected", reasoning="<result>\n" + "\n".join(lines) + "\n</result>")


def causes(swept: Swept) -> Iterator[Said]:
    """Everything that is not as designed, interfaces by their names on the device."""
    found = [
        (device, thing, cause)
        for device in swept.network.routers
        for rule in _OF_A_DEVICE
        for thing, cause in rule(swept, device)
    ]
    for device, thing, cause in (*found, *(said for rule in _OF_ALL for said in rule(swept))):
        yield device, swept.names(device).of(thing), cause
