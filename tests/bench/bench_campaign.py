"""How fast campaigns run and records are scored.

`python tests/bench/bench_campaign.py run [WORKERS]` runs xs cases on this machine and prints cases per hour;
`python tests/bench/bench_campaign.py score [TRIALS]` scores and reports so many recorded trials in a process of its own
and prints seconds and MiB.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.verbs import run_campaign
from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.records.trial import ToolCall, Trial
from netopsbench.records.truth import FaultTruth, Truth
from netopsbench.scoring.run import score_run

REPEATS = 2
CASES_OF = 8
"""Recorded trials per case."""
CALLS = 12
RESULT = json.dumps({"device": "leaf1", "interfaces": [{"name": f"eth{n}", "is_up": True} for n in range(12)]})


def bench_run(workers: int | None) -> None:
    request = RunRequest(source="quickstart", agents=("baseline",), repeat=REPEATS)
    trials = len(plan_run(request).info.planned)
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        run = run_campaign(request, Path(scratch) / "run", workers=workers)
        elapsed_s = time.monotonic() - started
        scored = score_run(run)
    sitting = scored.records.info.sittings[-1]
    right = sum(score.strict == 1 for score in scored.scores)
    print(
        f"{trials} trials, {sitting.workers} workers, {elapsed_s:.0f} s: {3600 * trials / elapsed_s:.0f} an hour; "
        f"{len(scored.scores)} scored, {right} of them right; load {os.getloadavg()[0]:.1f}"
    )


def bench_score(trials: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _record(folder, trials)
        started = time.monotonic()
        command = (sys.executable, "-m", "netopsbench.cli.main", "benchmark", "report", scratch)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        elapsed_s = time.monotonic() - started
    memory_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{trials:,} trials scored and reported in {elapsed_s:.1f} s, {memory_mib:.0f} MiB")


def _record(folder: Path, trials: int) -> None:
    chance = random.Random(1)
    (folder / "trials").mkdir()
    planned = []
    for number in range(trials):
        case, agent = number // CASES_OF, ("baseline", "other")[number % 2]
        trial = _trial(f"t{number:06d}", f"c{case:06d}", agent, number % CASES_OF // 2 + 1, chance)
        (folder / "trials" / f"{trial.trial_id}.json").write_text(trial.model_dump_json(indent=1))
        planned.append(PlannedTrial(trial_id=trial.trial_id, case_id=trial.case_id, agent=agent, repeat=trial.repeat))
    info = RunInfo(
        run_id="bench",
        campaign="bench",
        fabrics=("xs",),
        agents=("baseline", "other"),
        seed_kind="practice",
        started_ns=0,
        planned=tuple(planned),
    )
    (folder / "run.json").write_text(info.model_dump_json())


def _trial(trial_id: str, case_id: str, agent: str, repeat: int, chance: random.Random) -> Trial:
    place = Location(device=f"leaf{int(case_id[1:]) % 64 + 1}", interface=f"eth{int(case_id[1:]) % 4 + 1}")
    said = place if chance.random() < 0.7 else Location(device="leaf1", interface="eth1")
    call = ToolCall(
        tool="get_device_interfaces",
        arguments={"device": "leaf1"},
        started_ns=0,
        elapsed_s=0.03,
        is_error=False,
        result=RESULT,
    )
    return Trial(
        trial_id=trial_id,
        case_id=case_id,
        agent=agent,
        repeat=repeat,
        fabric="large",
        scale="large",
        difficulty="easy",
        seed=1,
        started_ns=0,
        end="scored",
        was_question_asked=True,
        truth=Truth(faults=(FaultTruth(fault_type="link_down", accepted=(place,)),)),
        answer=Answer(
            verdict="fault_detected",
            findings=(Finding(fault_type="link_down", location=said, evidence=("it is down",)),),
            confidence=chance.random(),
            reasoning="Both ends of the link are down. " * 20,
        ),
        calls=(call,) * CALLS,
        agent_time_s=1.0,
    )


if __name__ == "__main__":
    amount = int(sys.argv[2]) if len(sys.argv) > 2 else None
    if sys.argv[1] == "run":
        bench_run(amount)
    else:
        bench_score(amount or 10_000)
