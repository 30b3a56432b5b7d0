"""An agent that reads everything in reach meets nothing of the case: not by name, path, process or tool."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nosy import leaks_of, nosy_program

from netopsbench.agent.run import Examination

ShutIn = Callable[..., Examination]

CASE_ID = "case-5f3a9c17e2d4"
TARGET = "leaf7-eth3-target"
TRUTH = '{"faults": [{"fault_type": "blackhole_route-91ab"}]}'
VARIABLE = "PLANTED_VALUE_c41d"
ARGUMENT = "planted-argument-88e0"
SECRETS = [CASE_ID, TARGET, "blackhole_route-91ab", VARIABLE, ARGUMENT]


@pytest.fixture
def planted() -> Iterator[str]:
    """Secrets all over the machine, readable by everybody: files, paths, an environment, a command line."""
    repository = Path(__file__).resolve().parents[2]
    folders = [Path("/tmp") / f"run-{CASE_ID}", Path("/var/tmp") / f"run-{CASE_ID}"]
    if os.access(repository, os.W_OK):
        folders += [repository / f"runs-{CASE_ID}", repository / "scenarios" / f"generated-{CASE_ID}"]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{TARGET}.json").write_text(TRUTH)
    bystander = subprocess.Popen(
        [sys.executable, "-c", "input()", ARGUMENT, CASE_ID],
        stdin=subprocess.PIPE,
        env={**os.environ, "CASE": VARIABLE},
    )
    yield ARGUMENT
    bystander.kill()
    bystander.wait()
    for folder in folders:
        (folder / f"{TARGET}.json").unlink()
        folder.rmdir()


@pytest.mark.usefixtures("planted")
def test_a_nosy_agent_meets_no_secret(shut_in: ShutIn) -> None:
    outcome = shut_in(nosy_program(SECRETS, ["link_down", "blackhole_route"]), wall_time_s=60, tool_calls=50)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    assert leaks_of(outcome.answer.model_dump()) == []
    assert outcome.answer.metadata["tools"] > 3


def test_the_cases_and_their_truth_are_not_even_importable(shut_in: ShutIn) -> None:
    code = (
        "import importlib\n"
        "found = []\n"
        "for room in ('scenario', 'scoring', 'faults', 'campaign', 'report', 'fabric', 'telemetry', '_data'):\n"
        "    try:\n        importlib.import_module('netopsbench.' + room); found.append(room)\n"
        "    except ImportError: pass\n"
        "assert not found, found\n"
        'print(\'{"verdict": "inconclusive"}\')'
    )
    outcome = shut_in([sys.executable, "-c", code])
    assert outcome.failure is None, outcome.message


def test_the_same_agent_outside_of_the_sandbox_meets_them(planted: str) -> None:
    """Proves that the test above can fail."""
    done = subprocess.run(
        [sys.executable, "-c", _only_processes(), planted[::-1]], capture_output=True, text=True, check=True, timeout=60
    )
    assert any(ARGUMENT in secret for _, secret in json.loads(done.stdout))


def _only_processes() -> str:
    """A part of the agent, told its secret backwards so that it doesn't meet it in its own command line."""
    source = (Path(__file__).parent / "nosy.py").read_text(encoding="utf-8")
    source = source[: source.index('if __name__ == "__main__"')]
    return f"{source}\nnose = Nose([sys.argv[1][::-1]], [])\nsmell_processes(nose)\nprint(json.dumps(nose.leaks))\n"


def test_processes_outside_can_be_neither_seen_nor_signalled(shut_in: ShutIn) -> None:
    code = (
        "import os\n"
        "seen = [name for name in os.listdir('/proc') if name.isdigit()]\n"
        "assert len(seen) < 8, seen\n"
        "for pid in range(100, 5000):\n"
        "    try: os.kill(pid, 0)\n"
        "    except ProcessLookupError: continue\n"
        "    raise SystemExit(f'there is a process {pid}')\n"
        'print(\'{"verdict": "inconclusive"}\')'
    )
    outcome = shut_in([sys.executable, "-c", code])
    assert outcome.failure is None, outcome.message


def test_the_program_has_no_power_over_its_sandbox(shut_in: ShutIn) -> None:
    code = (
        "import ctypes, os\n"
        "status = open('/proc/self/status').read()\n"
        "powers = [line for line in status.splitlines() if line.startswith(('CapEff', 'CapPrm', 'CapAmb'))]\n"
        "assert all(int(line.split()[1], 16) == 0 for line in powers), powers\n"
        "assert 'NoNewPrivs:\\t1' in status\n"
        "assert os.getuid() != 0\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "assert libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == -1\n"
        "assert libc.umount2(b'/proc', 2) == -1\n"
        'print(\'{"verdict": "inconclusive"}\')'
    )
    outcome = shut_in([sys.executable, "-c", code])
    assert outcome.failure is None, outcome.message
