"""Whatever an agent's program does, it is an outcome, and nothing of it is left."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from netopsbench.agent.run import Examination

ShutIn = Callable[..., Examination]
FINE = {"verdict": "network_healthy", "confidence": 0.5}


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def running(mark: str) -> list[str]:
    """Command lines of processes that hold `mark`, and are neither this test nor its helper."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue
        if mark.encode() in line and b"pytest" not in line:
            found.append(line.decode(errors="replace"))
    return found


def none_running(mark: str) -> bool:
    """Whether they are all gone within the time the kernel takes to collect them."""
    deadline = time.monotonic() + 5
    while running(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_an_answer_is_taken_from_standard_output(shut_in: ShutIn) -> None:
    code = f"import sys; print('thinking', file=sys.stderr); print({json.dumps(json.dumps(FINE))})"
    outcome = shut_in(python(code))
    assert outcome.failure is None, outcome.message
    assert outcome.answer is not None
    assert outcome.answer.verdict == "network_healthy"
    assert outcome.stderr == "thinking\n"


def test_the_question_is_on_standard_input(shut_in: ShutIn) -> None:
    code = f"import json, sys; assert json.load(sys.stdin)['text'] == 'What is wrong?'; print('{json.dumps(FINE)}')"
    assert shut_in(python(code)).failure is None


def test_a_device_that_does_not_exist_is_an_ordinary_answer(shut_in: ShutIn) -> None:
    wrong = {
        "verdict": "fault_detected",
        "findings": [{"fault_type": "gremlins", "location": {"device": "leaf99", "interface": "eth77"}}],
    }
    outcome = shut_in(python(f"print({json.dumps(json.dumps(wrong))})"))
    assert outcome.failure is None
    assert outcome.answer is not None
    assert str(outcome.answer.findings[0].location) == "leaf99:eth77"


def test_a_crash_is_told_with_its_last_words(shut_in: ShutIn) -> None:
    outcome = shut_in(python("raise RuntimeError('out of ideas')"))
    assert outcome.failure == "crashed"
    assert "out of ideas" in outcome.message


def test_an_answer_before_a_crash_does_not_count(shut_in: ShutIn) -> None:
    outcome = shut_in(python(f"print({json.dumps(json.dumps(FINE))}); raise SystemExit(3)"))
    assert (outcome.failure, outcome.answer) == ("crashed", None)
    assert "3" in outcome.message


def test_silence_is_no_answer(shut_in: ShutIn) -> None:
    assert shut_in(python("pass")).failure == "no_answer"


@pytest.mark.parametrize(
    "words",
    [
        "It is the cable.",
        '{"verdict": "maybe"}',
        "[]",
        "null",
        '{"verdict": "network_healthy", "confidence": NaN}',
        "\\0",
    ],
)
def test_garbage_is_malformed(words: str, shut_in: ShutIn) -> None:
    outcome = shut_in(python(f"print('{words}')"))
    assert outcome.failure == "malformed_answer"
    assert outcome.message


def test_a_flood_is_cut_off(shut_in: ShutIn) -> None:
    outcome = shut_in(python("while True: print('x' * 1_000_000)"), wall_time_s=60)
    assert outcome.failure == "malformed_answer"
    assert "bytes" in outcome.message


def test_a_flood_of_errors_does_no_harm(shut_in: ShutIn) -> None:
    code = f"import sys\nfor _ in range(100): sys.stderr.write('y' * 1_000_000)\nprint('{json.dumps(FINE)}')"
    outcome = shut_in(python(code), wall_time_s=60)
    assert outcome.failure is None
    assert 0 < len(outcome.stderr) <= 16_384


def test_a_long_answer_is_taken_whole(shut_in: ShutIn) -> None:
    code = f"import json; print(json.dumps({FINE!r} | {{'reasoning': 'z' * 100_000}}))"
    outcome = shut_in(python(code))
    assert outcome.answer is not None
    assert len(outcome.answer.reasoning) == 100_000


def test_a_hung_program_is_ended_with_all_its_children(shut_in: ShutIn) -> None:
    code = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execv(sys.executable, "
        "[sys.executable, '-c', 'import time; time.sleep(600) # hung-child-7391'])\n"
        "time.sleep(600) # hung-child-7391"
    )
    outcome = shut_in(python(code), wall_time_s=2)
    assert outcome.failure == "wall_time_exceeded"
    assert none_running("hung-child-7391")


def test_children_do_not_outlive_a_program_that_answered(shut_in: ShutIn) -> None:
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600) # stayed-on-5520'], "
        "stdin=subprocess.DEVNULL, start_new_session=True)\n"
        f"print('{json.dumps(FINE)}')"
    )
    outcome = shut_in(python(code))
    assert outcome.failure is None, outcome.message
    assert none_running("stayed-on-5520")


def test_a_fork_bomb_is_bounded(shut_in: ShutIn) -> None:
    code = (
        "import os, sys, time\n"
        "made = 0\n"
        "try:\n    while made < 5000:\n        if os.fork() == 0:\n            time.sleep(60)\n"
        "            os._exit(0)\n        made += 1\n"
        "except OSError as full:\n"
        f"    print('{json.dumps(FINE)}'); sys.stderr.write(str(made))\n"
        "sys.stdout.flush(); sys.stderr.flush(); os._exit(0)"
    )
    outcome = shut_in(python(code), limits={"processes": 40})
    assert outcome.failure is None, outcome.message
    assert 10 <= int(outcome.stderr) <= 40


def test_memory_is_bounded(shut_in: ShutIn) -> None:
    outcome = shut_in(python("hoard = bytearray(900 << 20)"), limits={"memory_mib": 200})
    assert outcome.failure == "crashed"
    assert "MemoryError" in outcome.message


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_files_are_bounded(folder: str, shut_in: ShutIn) -> None:
    code = f"""
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for number in range(20):
    with open('{folder}/' + str(number), 'wb') as file:
        for _ in range(10):
            file.write(bytes(1 << 20))
"""
    outcome = shut_in(python(code), limits={"file_mib": 16})
    assert outcome.failure == "crashed"
    assert "OSError" in outcome.message


@pytest.mark.parametrize("place", ["/", "/usr", "/dev", "/run", "/etc"])
def test_nothing_else_can_be_written(place: str, shut_in: ShutIn) -> None:
    outcome = shut_in(python(f"open('{place}/left-behind', 'w')"))
    assert outcome.failure == "crashed"
    assert "left-behind" in outcome.message


def test_more_calls_than_allowed_end_the_examination(shut_in: ShutIn) -> None:
    code = (
        "from netopsbench.tools.client import ToolClient\n"
        "from netopsbench.core.errors import ToolError\n"
        "import time\n"
        "tools = ToolClient()\n"
        "for _ in range(3): tools.call('get_topology')\n"
        "try:\n    tools.call('get_topology')\n"
        "except ToolError as refused:\n    assert refused.kind == 'tool_calls_exceeded', refused.kind\n"
        "time.sleep(60)"
    )
    outcome = shut_in(python(code), tool_calls=3, wall_time_s=50)
    assert outcome.failure == "tool_calls_exceeded", outcome
    assert "3" in outcome.message


def test_one_call_too_many_counts_even_when_an_answer_follows(shut_in: ShutIn) -> None:
    code = (
        "from netopsbench.tools.client import ToolClient\n"
        "tools = ToolClient()\n"
        "for _ in range(2):\n    try: tools.call('get_topology')\n    except Exception: pass\n"
        f"print('{json.dumps(FINE)}')"
    )
    outcome = shut_in(python(code), tool_calls=1)
    assert (outcome.failure, outcome.answer) == ("tool_calls_exceeded", None)


def test_there_is_no_network(shut_in: ShutIn) -> None:
    code = (
        "import socket\n"
        "probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "try:\n    probe.connect(('192.0.2.1', 9))\n"
        f"except OSError: print('{json.dumps(FINE)}')"
    )
    assert shut_in(python(code)).failure is None
