"""In one real case: every kind of agent is counted alike, and none gets at anything but the tools."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from baseline_over_mcp import baseline_over_mcp
from case_runs import NULL_ROUTE
from held_case import HeldCase, held_case
from scripted_agents import CALLS, counted, scripted

from netopsbench.agent.baseline import Baseline
from netopsbench.agent.run import examine
from netopsbench.agent.spec import parse_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.records.answers import Answer
from netopsbench.records.trial import ToolCall
from netopsbench.tools.client import ToolClient
from netopsbench.tools.serving import read_calls

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def case(engine: NativeEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeldCase]:
    with held_case(engine, tmp_path_factory.mktemp("case"), NULL_ROUTE, budget_calls=1000) as held:
        yield held


def metered(case: HeldCase) -> list[ToolCall]:
    return [ToolCall.model_validate(call) for call in read_calls(case.folder / "calls.jsonl")]


def test_both_mcp_clients_and_claude_are_metered_alike(
    case: HeldCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}
    with scripted(tmp_path, monkeypatch) as agents:
        for name, spec in agents.items():
            before, choice = len(metered(case)), parse_spec(spec)
            outcome = examine(choice.agent, case.question, case.socket, options=choice.options)
            assert outcome.failure is None, (name, outcome.message, outcome.stderr)
            found[name] = counted(metered(case)[before:])
    assert found["python"] == found["typescript"] == found["claude"]
    assert found["python"].total() == len(CALLS)
    assert [call[0] for call, times in found["python"].items() if call[2]] == ["get_bgp_neighbors", "get_route_table"]


def graded(answer: Answer) -> tuple[str, list[tuple[str, str]]]:
    """What of an answer is graded."""
    return answer.verdict, [(finding.fault_type, str(finding.location)) for finding in answer.findings]


def test_the_baseline_answers_and_is_counted_the_same_in_process_over_mcp_and_shut_in(case: HeldCase) -> None:
    answers, counts = [], []
    for answer in (
        lambda: Baseline().answer(case.question, ToolClient(case.socket)),
        lambda: baseline_over_mcp(case.question, case.socket),
        lambda: examine("baseline", case.question, case.socket).answer,
    ):
        before = len(metered(case))
        given = answer()
        assert given is not None
        answers.append(graded(given))
        counts.append(counted(metered(case)[before:]))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][1][0][0] == "blackhole_route"
    assert counts[0] == counts[1] == counts[2]
