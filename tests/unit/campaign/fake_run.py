"""Runs or resumes a campaign with fake trials in a process of its own, to be killed.

`fake_run.py run|resume FOLDER FILE`

Says `phase NAME` for each phase of a trial, `scoring` and `done`; what was begun is appended to `FOLDER.ran`.
"""

import os
import sys
import time
from pathlib import Path

from fake_trials import Heard, NoEngine, trial_of

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign import run as run_module
from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.report.write import write_report

PHASE_S = 0.03


def say(words: str) -> None:
    # One write, since two threads speak.
    os.write(1, f"{words}\n".encode())


def slow_trial(order, entry, question, engine, folder, hear):
    with Path(f"{sys.argv[2]}.ran").open("a") as ran:
        ran.write(f"{order.trial_id}\n")
    for phase in ("deploy", "agent", "destroy"):
        hear(phase)
        say(f"phase {phase}")
        time.sleep(PHASE_S)
    return trial_of(order)


def main() -> None:
    verb, folder, campaign = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    plan_module._code_digest = lambda: "same"
    run_module.run_trial = slow_trial
    say("start")
    if verb == "run":
        plan = plan_run(RunRequest(source=campaign, agents=("nop", "always-healthy"), repeat=2))
        run_module.run(plan, NoEngine(), folder, Heard(), run_module.Terms(workers=2))
    else:
        run_module.resume(folder, NoEngine(), Heard(), run_module.Terms(workers=2))
    say("scoring")
    write_report(folder)
    say("done")


if __name__ == "__main__":
    main()
