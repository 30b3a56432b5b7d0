"""What a score on tickets is read against: agents that look at nothing but the design, on every ticket of the package.

What `checks-first` and the truth are worth takes running labs; see the live tests.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from netopsbench.agent.catalog import make_agent
from netopsbench.campaign.ticket_run import entry_of
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Budget
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tickets.load import load_tickets, shipped_folder, shipped_labs
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import TicketScore, score_ticket
from netopsbench.tickets.question import read_answer, ticket_question
from netopsbench.tickets.summary import Figures, figures
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.get_topology import get_topology

BUDGET = Budget(wall_time_s=60, tool_calls=50)
LABS = pytest.mark.parametrize("lab", shipped_labs())


class DesignAlone:
    """Tools of a network of which only the design is known."""

    def __init__(self, plan: FabricPlan) -> None:
        window = Window(since_ns=0, until_ns=1)
        self._context = ToolContext(plan=plan, fabric=None, store=MemoryStore(), baseline=window, current=window)  # type: ignore[arg-type]

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        assert tool == "get_topology"
        return get_topology(self._context, **arguments).model_dump(mode="json")


@cache
def _known(lab: str) -> tuple[FabricPlan, list[Ticket]]:
    return plan_fabric(load_spec(lab)), load_tickets(shipped_folder(lab))


def _scores(agent: str, lab: str, tickets: list[Ticket]) -> Iterator[TicketScore]:
    plan, _ = _known(lab)
    for ticket in tickets:
        entry = entry_of(agent, ticket)
        answer = make_agent(entry.agent, entry.options).answer(ticket_question(ticket, BUDGET), DesignAlone(plan))
        yield score_ticket(ticket, read_answer(answer, [node.name for node in plan.nodes]), agent)


def _figures(agent: str, lab: str, *, of: str | None = None, persona: str | None = "standard") -> Figures:
    chosen = [
        ticket for ticket in _known(lab)[1] if of in (None, ticket.ticket_class) and persona in (None, ticket.persona)
    ]
    return figures(list(_scores(agent, lab, chosen)))


@LABS
def test_the_truth_is_worth_everything_and_silence_nothing(lab: str) -> None:
    assert (_figures("oracle", lab).outcome, _figures("oracle", lab).exact) == (1.0, 1.0)
    assert (_figures("nop", lab).outcome, _figures("nop", lab).exact) == (0.0, 0.0)


@LABS
def test_who_believes_is_wrong_about_every_false_premise_in_every_voice(lab: str) -> None:
    found = _figures("believer", lab, of="false-premise", persona=None)
    assert (found.tickets, found.outcome, found.over_diagnosis) == (9 * 6, 0.0, 1.0)


@LABS
@pytest.mark.parametrize("agent", ["believer", "random-device"])
def test_who_does_not_look_scores_low(agent: str, lab: str) -> None:
    found = _figures(agent, lab)
    assert found.tickets == 25
    assert found.outcome is not None
    assert found.outcome <= 0.25
