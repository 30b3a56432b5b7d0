"""How many recorded cases a scripted agent gets through: `python tests/bench/bench_replay.py [RECORDING]`."""

import sys
import tempfile
import time
from pathlib import Path

from netopsbench.agent.contract import Tools
from netopsbench.campaign.replayed_agent import examined_here
from netopsbench.core.files import find_data
from netopsbench.records.answers import Answer, Question
from netopsbench.replay.bundle import Bundle
from netopsbench.replay.playing import desk_of
from netopsbench.scenario.question import question_for
from netopsbench.tools.serving.meter import Meter

CASES = 300
ASKED = (
    ("get_topology", {}),
    ("get_bgp_neighbors", {"device": "leaf1"}),
    ("get_device_interfaces", {"device": "leaf1"}),
    ("get_route_table", {"device": "leaf2"}),
    ("get_device_acl", {"device": "leaf1"}),
    ("ping_test", {"device": "client1", "target": "client2"}),
)
MESH = ("get_pingmesh_summary", {"only_changed": True})


class Scripted:
    """Asks the same things in every case."""

    def __init__(self, asked: tuple[tuple[str, dict[str, object]], ...]) -> None:
        self._asked = asked

    def answer(self, question: Question, tools: Tools) -> Answer:
        for name, arguments in self._asked:
            tools.call(name, **arguments)
        return Answer(verdict="network_healthy")


def cases_per_s(bundle: Bundle, question: Question, agent: Scripted, folder: Path) -> float:
    """Cases read, checked, unpacked, asked and answered in a second of one processor."""
    # A second of the clock would tell how busy the machine is with other things.
    started = time.process_time()
    for number in range(CASES):
        case = bundle.case(bundle.about.cases[number % len(bundle.about.cases)])
        meter = Meter(folder / f"{number}.jsonl", question.budget.tool_calls)
        outcome = examined_here(agent, question, desk_of(case, meter))
        meter.close()
        if outcome.answer is None:
            raise SystemExit(f"{case.tape.case_id}: {outcome.message}")
    return CASES / (time.process_time() - started)


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else find_data("recordings", "smoke", ".zip")
    bundle = Bundle(path)
    question = question_for(bundle.about.budget, bundle.about.most_faults)
    for words, asked in (("without Pingmesh", ASKED), ("with Pingmesh", (*ASKED, MESH))):
        with tempfile.TemporaryDirectory() as folder:
            found = cases_per_s(bundle, question, Scripted(asked), Path(folder))
        print(f"{len(asked)} calls a case, {words}: {found:.0f} cases per second of one processor (at least 100)")


if __name__ == "__main__":
    main()
