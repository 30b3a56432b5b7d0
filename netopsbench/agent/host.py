"""Runs one of our agents as a program: `python -m netopsbench.agent.host NAME [--options JSON]`.

The question comes as JSON on standard input, the answer goes as JSON to standard output, and the tools are behind the
socket that the environment names. Whatever the agent prints goes to standard error, so that the answer stays alone.
"""

import argparse
import contextlib
import json
import sys

from netopsbench.agent.catalog import make_agent
from netopsbench.agent.models.chat import StoppedError
from netopsbench.agent.models.journal import Event, journal_of_environment
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import NetopsbenchError
from netopsbench.records.answers import Question
from netopsbench.tools.client import ToolClient


def main() -> int:
    """Answer the one question; exit 1 with a line on standard error when that fails."""
    parser = argparse.ArgumentParser(prog="netopsbench.agent.host")
    parser.add_argument("name", help="name of the agent")
    parser.add_argument("--options", default="{}", help="the agent's options as JSON")
    given = parser.parse_args()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            agent = make_agent(given.name, json.loads(given.options))
            question = Question.model_validate_json(sys.stdin.read())
            answer = agent.answer(question, ToolClient())
    except StoppedError as stopped:
        stop = Event(t_ns=now_ns(), kind="stop", content=str(stopped), failure=stopped.failure)
        journal_of_environment().note(stop)
        print(f"{given.name}: {stopped}", file=sys.stderr)
        return 1
    except NetopsbenchError as failure:
        print(f"{given.name}: {failure}", file=sys.stderr)
        return 1
    print(answer.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
