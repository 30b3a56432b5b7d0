"""The command line in a process of its own, in which replayed trials take their time: to be killed.

`slow_tasks.py WORDS` says `begins` as each trial begins.
"""

import os
import sys
import time

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign import rca_recorded, replayed
from netopsbench.cli.main import app

TRIAL_S = 0.1


def slowed(trial):
    def slow(*given):
        # One write, as buffers die with the process.
        os.write(1, b"begins\n")
        time.sleep(TRIAL_S)
        return trial(*given)

    return slow


plan_module._code_digest = lambda: "same"
rca_recorded.TaskReplay._trial = slowed(rca_recorded.TaskReplay._trial)
replayed.Replay._trial = slowed(replayed.Replay._trial)
app(sys.argv[1:])
