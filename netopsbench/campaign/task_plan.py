"""The root-cause and path tasks of a run: those of a folder or of a recording that are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from netopsbench.campaign.plan import short_hash
from netopsbench.campaign.rca_recorded import TaskReplay
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.rca.files import drawing_of, load_tasks
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.record import TaskPlan, TaskSource
from netopsbench.records.run import Replayed

_NAMED = 20
"""So many of the names that could have been meant are told."""
_REPLAYED = "tasks-replayed"

Tasks = Sequence[RcaTask | PathTask]


@dataclass(frozen=True)
class Asked:
    """What is given to agents, and where it is from."""

    plan: TaskPlan
    fingerprint: dict[str, str]
    replay: TaskReplay | None = None
    """None on running networks."""

    @property
    def name(self) -> str:
        """What a run of them is called."""
        folder = self.plan.source.folder
        return folder.resolve().name if folder is not None else _REPLAYED

    @property
    def replayed(self) -> Replayed | None:
        """The recording that answers, if one does."""
        if self.replay is None:
            return None
        bundle = self.replay.bundle
        return Replayed(
            recording=bundle.path.name,
            sha256=bundle.sha256,
            recorded_ns=bundle.about.recorded_ns,
            netopsbench=bundle.about.netopsbench,
        )


def asked_for(source: TaskSource, *, is_recorded: bool = False, id_option: str = "--only") -> Asked:
    """The tasks that somebody asks for; `id_option` is what the command calls the option for ids.

    Raises SpecError for every name that there isn't, and for a folder or a recording that can't be used.
    """
    if source.recording is not None:
        replay = TaskReplay(source.recording)
        tasks = chosen_tasks(replay.tasks, source, id_option)
        plan = TaskPlan(source=source, drawn=replay.drawn, tasks=tuple(tasks))
        return Asked(plan, {"tasks": _digest(tasks), "recording": replay.bundle.sha256[:12]}, replay)
    if source.folder is None:
        wanted = "name a folder of tasks, or a recording with --replay"
        raise SpecError([Problem("rca run", "FOLDER", "", wanted)])
    tasks = chosen_tasks(load_tasks(source.folder), source, id_option)
    networks = sorted({task.network for task in tasks})
    digests = {f"network {name}": plan_fabric(load_spec(name)).digest[:12] for name in networks}
    drawn = drawing_of(source.folder)
    plan = TaskPlan(source=source, drawn=drawn, is_recorded=is_recorded, tasks=tuple(tasks))
    return Asked(plan, {"tasks": _digest(tasks), **digests})


def chosen_tasks(tasks: Tasks, source: TaskSource, id_option: str = "--only") -> list[RcaTask | PathTask]:
    """Those of the tasks that are asked for. Raises SpecError for every name that there isn't, and for none at all."""
    of_kind = [task for task in tasks if source.kind in (None, task.kind)]
    networks = sorted({task.network for task in of_kind or tasks})
    problems = []
    for option, wanted, known in (
        (id_option, source.ids, [task.id for task in tasks]),
        ("--kind", (source.kind,) if source.kind else (), sorted({task.kind for task in tasks})),
        ("--network", source.networks, networks),
    ):
        shown = f"one of {', '.join(known[:_NAMED])}{' …' if len(known) > _NAMED else ''}"
        of = f"of --kind {source.kind}, " if option == "--network" and of_kind and source.kind else ""
        problems += [Problem(option, "", each, f"{of}{shown}") for each in wanted if each not in known]
    chosen = [
        task
        for task in tasks
        if (not source.ids or task.id in source.ids)
        and source.kind in (None, task.kind)
        and (not source.networks or task.network in source.networks)
    ]
    if not chosen and not problems:
        # Every name is known, so those that are named by their ids are of another kind, or elsewhere.
        named = [f"{task.id} is of --kind {task.kind} on {task.network}" for task in tasks if task.id in source.ids]
        problems.append(Problem(id_option, "", "", f"no task is all that was asked for: {', '.join(named[:_NAMED])}"))
    if problems:
        raise SpecError(problems)
    return chosen[: source.limit]


def counted(tasks: Tasks) -> dict[str, dict[str, int]]:
    """How many tasks of each kind there are, by network."""
    return {
        name: {kind: sum((task.network, task.kind) == (name, kind) for task in tasks) for kind in ("rca", "path")}
        for name in sorted({task.network for task in tasks})
    }


def _digest(tasks: Tasks) -> str:
    return short_hash([task.model_dump(mode="json") for task in tasks])
