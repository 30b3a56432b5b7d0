"""In one real case: every kind of agent is counted alike, and none gets at anything but the tools."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from baseline_over_mcp import baseline_over_mcp
from case_runs import NULL_ROUTE
from escapes import ATTEMPTS, MARK, outside, program
from held_case import HeldCase, held_case
from scripted_agents import CALLS, counted, scripted

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.agent.run import examine, examine_program
from netopsbench.agent.spec import parse_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.handle import Handle
from netopsbench.records.answers import Answer
from netopsbench.records.trial import ToolCall
from netopsbench.telemetry.store_client import DATABASE_NAME, READING_NAME, SOCKET_NAME
from netopsbench.tools.client import ToolClient
from netopsbench.tools.serving.process import read_calls

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


@pytest.fixture(scope="module")
def known(case: HeldCase) -> Iterator[dict[str, Any]]:
    """All that a well-informed agent could know of the case."""
    scenario = case.folder.parent / f"{MARK}.json"
    scenario.write_text(f'{{"faults": [{{"kind": "{MARK}"}}]}}')
    scenario.chmod(0o644)
    handle = case.fabric.handle
    assert isinstance(handle, Handle)
    with ExitStack() as open_while_trying:
        bystander = open_while_trying.enter_context(
            subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        )
        abstract = open_while_trying.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{MARK}-{os.getpid()}")
        abstract.listen()
        port = open_while_trying.enter_context(socket.create_server(("127.0.0.1", 0)))
        yield {
            "runner": os.getpid(),
            "bystander": bystander.pid,
            "server": server_pid(case.socket),
            "keeper": handle.keeper,
            "node": handle.nodes["leaf1"].outer,
            "wire": case.fabric.wire(case.fabric.plan.links[0].id).a_end,
            "folder": str(case.folder),
            "scenario": str(scenario),
            "socket": str(case.socket),
            "sockets": str(case.socket.parent),
            "store": str(case.folder / SOCKET_NAME),
            "reading": str(case.folder / READING_NAME),
            "database": str(case.folder / DATABASE_NAME),
            "abstract": f"{MARK}-{os.getpid()}",
            "port": port.getsockname()[1],
            "repository": str(Path(__file__).resolve().parents[2]),
        }
        bystander.kill()


def server_pid(tools: Path) -> int:
    """The process that listens there: its command line names its configuration."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        if f"{tools}.json".encode() in path.read_bytes().split(b"\0"):
            return int(path.parent.name)
    raise AssertionError("no tool server runs")


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that only the runner's own processes may know."""
    monkeypatch.setenv("PLANTED_CASE", MARK)


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root could get at all of these things outside")
def test_an_agent_gets_nothing_of(attempt: str, case: HeldCase, known: dict[str, Any]) -> None:
    """Each attempt works for a program outside, so that it could fail here."""
    assert outside(attempt, known), "the attempt gets nothing outside either, so it shows nothing"
    outcome = examine_program(program(attempt, known), case.question, case.socket)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    assert outcome.answer.metadata["got"] == "", outcome.answer.metadata["got"]


def test_after_all_attempts_the_case_is_as_it_was(case: HeldCase) -> None:
    """The held case itself checks at its end that its fault was there and could be undone."""
    assert case.fabric.is_running
    assert case.fabric.exec("leaf1", ["true"]).is_ok
