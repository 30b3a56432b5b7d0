"""Every call is metered, timed, cut to size and recorded, also when it fails."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from netopsbench.core.errors import InfraError, ToolError
from netopsbench.core.model import Model
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import tool
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import RECORDED_CHARS, Call, Meter
from netopsbench.tools.serving.process import read_calls


class Said(Model):
    text: str


def repeat(context: ToolContext, count: int = 1) -> Said:
    """Say x so many times; long enough to be cut."""
    return Said(text="x" * count)


def refuse(context: ToolContext) -> Said:
    """Refuse every call, as a device that can't be reached does."""
    raise ToolError("not today", "timeout")


def break_down(context: ToolContext) -> Said:
    """Fail as a store that is gone does."""
    raise InfraError("telemetry_failed", "the store at /runs/case-77/store.sock hung up")


def misread(context: ToolContext) -> Said:
    """Fail over output that nobody expected."""
    return Said(text=str({}["missing"]))


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


@pytest.fixture
def desk(context: ToolContext, calls: Path) -> Callable[..., Desk]:
    def made(budget: int = 10, result_chars: int = 1000) -> Desk:
        tools = [tool(each) for each in (repeat, refuse, break_down, misread)]
        return Desk(context, tools, Meter(calls, budget), result_chars)

    return made


def test_a_call_is_recorded_with_what_the_agent_got(desk: Callable[..., Desk], calls: Path) -> None:
    assert desk().call("repeat", {"count": 3}) == {"text": "xxx"}
    (entry,) = read_calls(calls)
    assert set(entry) == {"tool", "arguments", "started_ns", "elapsed_s", "is_error", "result"}
    assert (entry["tool"], entry["arguments"], entry["is_error"]) == ("repeat", {"count": 3}, False)
    assert entry["result"] == '{"text": "xxx"}'
    assert entry["elapsed_s"] >= 0


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "words"),
    [
        ("refuse", {}, "timeout", "not today"),
        ("break_down", {}, "failed", "failed on our side"),
        ("misread", {}, "failed", "failed on our side"),
        ("repeat", {"count": "many"}, "bad_arguments", "count"),
        ("dig", {}, "unknown_tool", "the tools are: repeat, refuse"),
    ],
)
def test_every_failure_is_told_and_recorded(
    name: str, arguments: dict[str, object], kind: str, words: str, desk: Callable[..., Desk], calls: Path
) -> None:
    with pytest.raises(ToolError, match=words) as refused:
        desk().call(name, arguments)
    assert refused.value.kind == kind
    (entry,) = read_calls(calls)
    assert entry["is_error"]
    assert words in entry["result"]


def test_why_it_failed_on_our_side_is_logged_and_not_told(
    desk: Callable[..., Desk], calls: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ToolError) as refused:
        desk().call("break_down", {})
    assert "case-77" not in str(refused.value) + calls.read_text()
    assert "/runs/case-77/store.sock" in caplog.text


def test_the_budget_counts_calls_that_fail_too(desk: Callable[..., Desk], calls: Path) -> None:
    counter = desk(budget=2)
    counter.call("repeat", {})
    with pytest.raises(ToolError):
        counter.call("refuse", {})
    assert counter.status() == {"calls": 2, "budget": 2, "is_exceeded": False, "unrecorded": 0}
    for _ in range(3):
        with pytest.raises(ToolError, match="budget of 2 tool calls") as refused:
            counter.call("repeat", {})
        assert refused.value.kind == "tool_calls_exceeded"
    assert counter.status()["is_exceeded"]
    assert len(read_calls(calls)) == 2


def test_the_budget_holds_when_calls_come_at_once(desk: Callable[..., Desk], calls: Path) -> None:
    counter, refusals = desk(budget=20), []

    def call() -> None:
        try:
            counter.call("repeat", {})
        except ToolError as refused:
            refusals.append(refused.kind)

    threads = [threading.Thread(target=call) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refusals) == 30
    assert len(read_calls(calls)) == 20


def test_a_tool_that_never_returns_is_a_timeout(context: ToolContext, calls: Path) -> None:
    forever = threading.Event()

    def wait(context: ToolContext) -> Said:
        """Wait for something that never comes."""
        forever.wait()
        return Said(text="late")

    with pytest.raises(ToolError, match=r"wait did not answer in 0\.05 s") as refused:
        Desk(context, [tool(wait, timeout_s=0.05)], Meter(calls, 5), 1000).call("wait", {})
    forever.set()
    assert refused.value.kind == "timeout"
    assert read_calls(calls)[0]["is_error"]


def test_calls_that_are_under_way_at_the_end_are_written_down_as_unanswered(context: ToolContext, calls: Path) -> None:
    begun, opened, late = threading.Event(), threading.Event(), []

    def wait(context: ToolContext, text: str) -> Said:
        """Wait at a gate."""
        begun.set()
        opened.wait(10)
        return Said(text=text)

    counter = Desk(context, [tool(wait)], Meter(calls, 5), 1000)

    def call() -> None:
        try:
            counter.call("wait", {"text": "x"})
        except ToolError as refused:
            late.append(refused.kind)

    caller = threading.Thread(target=call)
    caller.start()
    assert begun.wait(10)
    counter.close()
    opened.set()
    caller.join()
    counter.close()
    (entry,) = read_calls(calls)
    assert (entry["tool"], entry["arguments"], entry["is_error"]) == ("wait", {"text": "x"}, True)
    assert json.loads(entry["result"])["kind"] == "unanswered"
    assert entry["elapsed_s"] > 0
    assert late == ["no_server"]
    assert counter.status()["calls"] == 1


def test_a_long_result_is_cut_with_its_size_and_a_way_to_read_on(desk: Callable[..., Desk]) -> None:
    shown = desk(result_chars=100).call("repeat", {"count": 5000})
    assert shown["is_cut"]
    assert shown["total_chars"] == len('{"text": ""}') + 5000
    assert (len(shown["head"]), len(shown["tail"])) == (50, 50)
    assert "limit" in shown["how_to_read_on"]


def test_the_record_of_a_long_result_is_cut_with_a_mark(desk: Callable[..., Desk], calls: Path) -> None:
    desk(result_chars=100_000).call("repeat", {"count": 50_000})
    kept = read_calls(calls)[0]["result"]
    assert len(kept) < RECORDED_CHARS + 100
    assert "[cut: 50012 characters in all]" in kept


def test_no_secret_is_written_down_but_the_agent_is_given_the_whole_result(context: ToolContext, calls: Path) -> None:
    secret = 'my "very" secret'
    meter = Meter(calls, 5, (secret,))

    def tell(context: ToolContext, text: str) -> Said:
        """Say it again, with more."""
        return Said(text=f"{text} password=hunter22")

    shown = Desk(context, [tool(tell)], meter, 1000).call("tell", {"text": f"{secret} token=abcdef"})
    assert shown["text"] == f"{secret} token=abcdef password=hunter22"
    (entry,) = read_calls(calls)
    assert entry["arguments"] == {"text": "[redacted] token=[redacted]"}
    assert json.loads(entry["result"]) == {"text": "[redacted] token=[redacted] password=[redacted]"}
    assert "very" not in calls.read_text()


def test_a_secret_across_the_cut_of_a_record_is_in_no_part_of_it(context: ToolContext, calls: Path) -> None:
    secret = "0123456789" * 4
    meter = Meter(calls, 5, (secret,))
    meter.record(Call("repeat", {}, 1, 0.1, False, "x" * (RECORDED_CHARS // 2 - 20) + secret + "y" * RECORDED_CHARS))
    assert "0123" not in calls.read_text()


def test_a_result_that_can_not_be_recorded_is_not_handed_out() -> None:
    meter = Meter(Path("/dev/full"), 5)
    with pytest.raises(ToolError, match="could not be recorded: No space left"):
        meter.record(Call("repeat", {}, 1, 0.1, False, "x" * 10_000))
    assert meter.status()["unrecorded"] == 1


def test_half_a_line_at_the_end_of_the_record_is_left_out(calls: Path, desk: Callable[..., Desk]) -> None:
    desk().call("repeat", {})
    with calls.open("a") as file:
        file.write('{"tool": "repe')
    assert len(read_calls(calls)) == 1
