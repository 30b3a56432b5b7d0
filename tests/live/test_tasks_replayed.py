"""Fifty tasks live and replayed: the same commands are answered alike, and answers and scores are the same."""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from netopsbench.campaign.rca_recorded import TaskReplay, keep_tasks
from netopsbench.campaign.rca_trial import run_tasks
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.rca.generate import NETWORKS, generate
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.record import Drawing, TaskTrial
from netopsbench.rca.solving.solver import solved
from netopsbench.records.answers import Budget

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(14400)]

TASKS = 50
SEED = 20
BUDGET = Budget(wall_time_s=300, tool_calls=400)
# What goes on while one looks: ages, counters, round trips, how a session that is down tries to come up.
_MOVES = re.compile(
    r"\d+:\d\d:\d\d|\d+d\d+h\d+m|\d+w\d+d\d+h|[\d.]+ ?ms|\b\d+ (?:packets|bytes|input|output|errors|drops)\b|"
    r"packets \d+ bytes \d+|Advertisements [RT]x \(v[46]\) +\d+|\(\d+ match(?:es)?\)|(?:Error|Discard): \d+|"
    r"\b(?:REACHABLE|STALE|DELAY|PROBE|Idle|Active|Connect|OpenSent|OpenConfirm)\b"
)
_NUMBER = re.compile(r"\b\d+\b")
_NEIGHBOR = re.compile(r"(\d+\.\d+\.\d+\.\d+).*?((?:[0-9a-f]{2}:){5}[0-9a-f]{2}|[0-9a-f]{4}(?:[.-][0-9a-f]{4}){2})")

Tasks = Sequence[RcaTask | PathTask]


def sampled(count: int) -> list[RcaTask | PathTask]:
    """So many tasks of both families, the same on every machine, from every network that has some."""
    suite = generate({name: plan_fabric(load_spec(name)) for name in NETWORKS}, 1)
    by_network: dict[str, list[RcaTask | PathTask]] = defaultdict(list)
    for task in random.Random(SEED).sample([*suite.rca, *suite.paths], len(suite.rca) + len(suite.paths)):
        by_network[task.network].append(task)
    chosen: list[RcaTask | PathTask] = []
    while len(chosen) < count:
        chosen += [tasks.pop() for tasks in by_network.values() if tasks][: count - len(chosen)]
    return chosen


def live_trials(tasks: Tasks, engine: NativeEngine, files: Path) -> Iterator[TaskTrial]:
    """Each task with the reference agent of its family, recorded into `files`."""
    for name in dict.fromkeys(task.network for task in tasks):
        with StandingNetwork(name, engine) as network:
            for task in tasks:
                if task.network == name:
                    agent = "tracer" if task.kind == "path" else "sweeper"
                    yield from run_tasks([task], [agent], network, BUDGET, files)


def steady(command: str, text: str) -> str:
    """What a command prints, without what moves on by itself."""
    text = _MOVES.sub("#", text)
    if any(word in command for word in ("bgp", "queue", "qdisc", "qos")):
        # Messages, versions of tables and packets are counted in columns whose names stand far above.
        text = _NUMBER.sub("#", text)
    return re.sub(r"\s+", " ", text)


def are_alike(line: str, live: str, again: str) -> bool:
    """Whether two answers to a line say the same; learnt ARP entries may be forgotten in between, not changed."""
    if "arp" in line or "neigh" in line:
        before, after = dict(_NEIGHBOR.findall(live)), dict(_NEIGHBOR.findall(again))
        return all(before[address] == after[address] for address in before.keys() & after.keys())
    return steady(line, live) == steady(line, again)


def told(trial: TaskTrial) -> list[tuple[str, str, str]]:
    """Device, line and answer of every call of `execute`."""
    found = []
    for call in trial.calls:
        if call.tool == "execute":
            device, line = str(call.arguments["device"]), str(call.arguments["command"])
            reply = json.loads(call.result)
            found.append((device, line, str(reply.get("result") or reply)))
    return found


def differences(live: Sequence[TaskTrial], replay: TaskReplay) -> list[str]:
    """Everything in which a replay isn't like the trial that it replays."""
    by_id = {task.id: task for task in replay.tasks}
    found = []
    for trial in live:
        task = by_id[trial.task_id]
        (again,) = replay.trials([task], [trial.agent], BUDGET)
        for (device, line, live_text), (*same, again_text) in zip(told(trial), told(again), strict=False):
            if [device, line] != same or not are_alike(line, live_text, again_text):
                found.append(f"{task.id}: {device}: {live_text} is replayed as {same}: {again_text}")
        assert trial.score is not None
        assert again.score is not None
        if again.answer != trial.answer or len(told(again)) != len(told(trial)):
            found.append(f"{task.id}: another answer or other calls")
        for figure in ("strict", "tolerant", "evidence", "rounds"):
            if getattr(again.score, figure) != getattr(trial.score, figure):
                found.append(f"{task.id}: {figure} differs")
    return found


def unsolved(replay: TaskReplay) -> list[str]:
    """Root-cause tasks whose key the solver doesn't find in the recording."""
    found = []
    for task in replay.tasks:
        if task.kind == "rca":
            plan, book = replay.bundle.task(task.id).plan, replay.bundle.book(task.id)
            if solved(plan, book.device, frozenset(task.denied)).causes != task.gold:
                found.append(task.id)
    return found


def test_fifty_tasks_live_and_replayed(engine: NativeEngine, tmp_path: Path) -> None:
    tasks, files = sampled(TASKS), tmp_path / "recording"
    files.mkdir()
    live = list(live_trials(tasks, engine, files))
    assert [f"{trial.task_id}: {trial.error}" for trial in live if trial.end == "invalid"] == []
    recording = keep_tasks(files, tasks, Drawing(), BUDGET, tmp_path)
    assert recording is not None
    replay = TaskReplay(recording)
    assert {task.kind for task in replay.tasks} == {"rca", "path"}
    assert len(replay.tasks) == TASKS
    assert differences(live, replay) == []
    assert unsolved(replay) == []
