"""A limit on turns that the agent doesn't hear of, and that holds all the same."""

import json

import pytest
from fake_provider import Turn, provider
from model_agents import LOOK, Asked
from sim_server import examined, simulated_server

from netopsbench.agent.models.chat import StoppedError
from netopsbench.agent.programs import sandbox
from netopsbench.core.errors import UnsupportedError
from netopsbench.records.answers import Budget

KINDS = pytest.mark.parametrize("kind", ["anthropic", "openai"])
SHOW = (
    "python3 -c \"import json,sys; q = json.load(sys.stdin); print(json.dumps({'verdict': 'inconclusive', "
    "'metadata': q['budget']}))\""
)


@KINDS
@pytest.mark.parametrize("tells_turns", [True, False])
def test_a_model_hears_of_its_turns_only_where_it_is_to(
    kind: str, tells_turns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anthropic", reason="the extra `claude` is not installed")
    budget = {"turns": 3, "tells_turns": tells_turns}
    with provider([Turn(calls=(LOOK,))], kind=kind) as at, pytest.raises(StoppedError) as stopped:
        Asked().ask(kind, at, monkeypatch, budget=budget)
    assert stopped.value.failure == "turns_exceeded"
    assert len(at.requests) == 3
    said = json.dumps([request["messages"] for request in at.requests])
    assert ("3 turns" in said, "2 turns" in said, "turns" in said) == (tells_turns, tells_turns, tells_turns)


def test_a_program_is_not_handed_a_limit_that_it_must_not_hear_of() -> None:
    try:
        sandbox.ensure_usable()
    except UnsupportedError as reason:
        pytest.skip(f"programs can't be shut in here: {reason}")
    with simulated_server() as socket:
        outcome = examined("command", {"command": SHOW}, socket, turns=7, tells_turns=False)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    told = Budget.model_validate(outcome.answer.metadata)
    assert (told.turns, told.tells_turns) == (None, True)
