"""Whatever an agent sends or says, its trial is scored, kept, read back and reported: it gets no other try by it."""

import json
import sys
import urllib.request
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from agent_service import service
from fake_trials import Heard, NoEngine, planned
from test_recorded_run import recording

from netopsbench.agent.contract import Tools
from netopsbench.agent.programs import sandbox
from netopsbench.campaign import replayed_agent
from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.recorded import RECORDING
from netopsbench.campaign.replayed import Replay, ReplayRequest
from netopsbench.campaign.run import Terms, run
from netopsbench.campaign.verbs import Silent
from netopsbench.core.errors import ToolError, UnsupportedError
from netopsbench.records.answers import Answer, Question
from netopsbench.records.trial import Trial
from netopsbench.replay.bundle import Bundle
from netopsbench.report.write import write_report


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"x": [value]}
    return value


CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("get_topology", {"x": nested(17)}),
    ("get_topology", {"x": nested(110)}),
    ("get_topology", {"x": nested(127)}),
    ("get_topology", {"x": "\ud800"}),
    ("get_topology", {"\udfff": "x"}),
    ("get_\ud800", {}),
    ("get_topology", {"limit": float("nan")}),
    ("get_topology", {"limit": float("inf")}),
    ("get_topology", {"limit": 10**400}),
)
METADATA = {"deep": nested(90), "half": "ok", "number": float("nan"), "long": 10**400, "usage": {"cost_usd": -1}}

PROGRAM = """
import json, os, socket, sys
json.load(sys.stdin)
peer = socket.socket(socket.AF_UNIX)
peer.connect(os.environ["NETOPSBENCH_TOOLS"])
replies = peer.makefile()
for line in open(sys.argv[1]):
    peer.sendall(line.encode())
    replies.readline()
sys.stdout.write(open(sys.argv[2]).read())
"""


class Hostile:
    """Calls whatever can't be written down, and answers so."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        for name, arguments in CALLS:
            with pytest.raises(ToolError) as refused:
                tools.call(name, **arguments)
            assert refused.value.kind == "bad_request"
        return Answer(verdict="network_healthy", reasoning="well", metadata=METADATA)


def telling(secret: str, asked: Mapping[str, Any]) -> bytes:
    """What an agent behind HTTP answers that puts a secret wherever it can."""
    tools = asked["tools"]
    for name in ("get_topology", secret):
        call = json.dumps({"tool": name, "arguments": {"device": secret, secret: json.dumps([secret])}})
        headers = {"Authorization": f"Bearer {tools['token']}"}
        urllib.request.urlopen(urllib.request.Request(tools["url"], call.encode(), headers), timeout=30)
    return json.dumps({"verdict": "network_healthy", "reasoning": secret, "metadata": {secret: [secret]}}).encode()


@pytest.fixture
def shut_in() -> None:
    try:
        sandbox.ensure_usable()
    except UnsupportedError as reason:
        pytest.skip(f"programs can't be shut in here: {reason}")


@pytest.fixture
def recorded(tmp_path: Path, trials: Any) -> Path:
    trials(recording)
    run(planned(tmp_path, record=True), NoEngine(), tmp_path / "run", Heard(), Terms(workers=2))
    return tmp_path / "run" / RECORDING


def replayed(recorded: Path, folder: Path, agent: str) -> list[Trial]:
    """The trials of two cases as they are read back, after the report was written."""
    cases = Bundle(recorded).about.cases[:2]
    Replay(ReplayRequest(recording=recorded, agents=(agent,), cases=cases)).carry_out(folder, Silent())
    write_report(folder)
    place = RunFolder(folder)
    trials = [place.trial(planned.trial_id) for planned in place.info().planned]
    assert trials
    kept = [trial for trial in trials if trial is not None]
    assert len(kept) == len(trials)
    assert all(trial.end == "scored" for trial in kept)
    assert len(list((folder / "trajectories").glob("*.jsonl"))) == len(trials)
    return kept


def test_hostile_calls_and_answers_are_kept_and_reported(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replayed_agent, "make_agent", lambda *_: Hostile())
    for trial in replayed(recorded, tmp_path / "again", "nop"):
        assert trial.answer is not None
        assert trial.answer.metadata["half"] == "ok"
        assert [call.is_error for call in trial.calls] == [True] * len(CALLS)
        assert all("bad_request" in call.result for call in trial.calls)


@pytest.mark.usefixtures("shut_in")
@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (json.dumps({"verdict": "network_healthy", "metadata": METADATA}), None),
        ('{"verdict": "network_healthy", "reasoning": "\\ud800"}', "malformed_answer"),
        ('{"verdict": "network_healthy", "metadata": ' + json.dumps(nested(150)) + "}", "malformed_answer"),
    ],
)
def test_hostile_lines_of_a_program_in_its_sandbox_are_kept_and_reported(
    said: str, failure: str | None, recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "hostile.py").write_text(PROGRAM)
    requests = [{"id": nested(3), "tool": tool, "arguments": arguments} for tool, arguments in CALLS]
    lines = [*map(json.dumps, requests), "[" * 60_000, '{"tool": "get_topology", "arguments": {"limit": 1}}']
    (tmp_path / "lines").write_text("\n".join(lines) + "\n")
    (tmp_path / "said").write_text(said)
    words = [str(tmp_path / name) for name in ("hostile.py", "lines", "said")]
    for trial in replayed(recorded, tmp_path / "again", f"command:{sys.executable} {' '.join(words)}"):
        assert (trial.error.reason if trial.error else None) == failure, trial.error
        assert [call.is_error for call in trial.calls] == [True] * len(CALLS) + [False]


@pytest.mark.usefixtures("shut_in")
def test_the_key_of_an_agent_is_in_no_file_whatever_the_agent_does_with_it(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = 'plain "quokka\\ it'
    monkeypatch.setenv("MINE", secret)
    with service(partial(telling, secret)) as url:
        (trial, *_) = replayed(recorded, tmp_path / "again", f"http:url={url},key_env=MINE")
    assert trial.error is None
    assert [call.tool for call in trial.calls] == ["get_topology", "[redacted]"]
    kept = "".join(path.read_text() for path in (tmp_path / "again").rglob("*") if path.is_file())
    assert "[redacted]" in kept
    assert "quokka" not in kept
