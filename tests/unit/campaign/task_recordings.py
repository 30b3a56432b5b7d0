"""Root-cause and path tasks on the smallest fabric, recorded without a network, and the command line to replay them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from typer.testing import CliRunner

from netopsbench.campaign.rca_recorded import TaskReplay, keep_tasks
from netopsbench.campaign.rca_trial import rules_of
from netopsbench.campaign.recorded import RECORDING
from netopsbench.campaign.task_folder import Give, Left
from netopsbench.cli.main import app
from netopsbench.core.files import write_atomic
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple
from netopsbench.rca.model import CauseRef, Metadata, PathTask, RcaTask
from netopsbench.rca.network.design import Design
from netopsbench.rca.question import task_question
from netopsbench.rca.record import Drawing, TaskTrial
from netopsbench.rca.solving.evidence import Look
from netopsbench.records.answers import Budget
from netopsbench.replay.devices import packed_book
from netopsbench.replay.task_bundle import RecordedTask, TaskTape, write_task
from netopsbench.vendors.names import Vendor
from netopsbench.vendors.recorded import FactBook, FactRecord

BUDGET = Budget(wall_time_s=60, tool_calls=60)
FACTS = {"protocols": 1, "vendors": 1, "device_types": 1, "is_heterogeneous": False, "golden_length": 1}


def xs() -> FabricPlan:
    """The plan of the smallest fabric."""
    return plan_fabric(load_spec("xs"))


def tasks_of(plan: FabricPlan) -> list[RcaTask | PathTask]:
    """A port that is switched off, and a path; every switch is Cisco's."""
    vendors: dict[str, Vendor] = {node.name: "cisco" if node.is_switch else "linux" for node in plan.nodes}
    common = {"network": "xs", "seed": 1, "vendors": vendors, "source": "client1", "target": "client2"}
    look = Look(device="leaf1", need="interface_brief")
    metadata = Metadata.model_validate({"observability": "O1", **FACTS})
    cause = CauseRef(triple=Triple(node="leaf1", object="eth1", cause="shutdown"))
    paths = tuple(sorted(Design(plan).paths("client1", "client2"), key=str))
    return [
        RcaTask.model_validate({"id": "t1", **common, "golden": (look,), "metadata": metadata, "causes": (cause,)}),
        PathTask.model_validate({"id": "t2", **common, "golden": (look,), "metadata": metadata, "paths": paths}),
    ]


def ports_of(plan: FabricPlan) -> FactRecord:
    """What leaf1 told of its ports: the first is switched off."""
    node = next(each for each in plan.nodes if each.name == "leaf1")
    shown = [
        {
            "name": port.name,
            "is_admin_up": port.name != "eth1",
            "has_carrier": port.name != "eth1",
            "mtu_bytes": port.mtu,
            "mac": port.mac,
            "addresses": [str(port.address)],
        }
        for port in node.interfaces
    ]
    return FactRecord(device="leaf1", kind="Interfaces", asked="", told={"interfaces": shown})


def recorded(plan: FabricPlan, folder: Path) -> Path:
    """The folder of a run whose two tasks were recorded."""
    files = folder / "recording"
    files.mkdir(parents=True)
    tasks = tasks_of(plan)
    book = packed_book(FactBook(records=(ports_of(plan),)))
    for task in tasks:
        text = task_question(task, plan, BUDGET).text
        tape = TaskTape(task_id=task.id, text=text, plan=plan.digest, rules=rules_of(task), left_out=0)
        write_task(files / f"{task.id}.zip", RecordedTask(tape=tape, plan=plan, book=book))
    assert keep_tasks(files, tasks, Drawing(seed=1), BUDGET, folder) == folder / RECORDING
    assert not files.exists()
    return folder / RECORDING


def run(*words: str, command: tuple[str, ...] = ("rca", "run")) -> tuple[int, str]:
    """Exit code and words of a command."""
    done = CliRunner().invoke(app, [*command, *words])
    return done.exit_code, done.output + done.stderr


def written(plan: FabricPlan, folder: Path) -> Path:
    """The tasks as `benchmark prepare` writes them."""
    for task in tasks_of(plan):
        write_atomic(folder / task.kind / f"{task.id}.yaml", task.model_dump_json())
    return folder


def recording_from(replay: TaskReplay) -> Give:
    """Gives tasks as on networks, each recorded as its recording has it."""

    def give(left: Sequence[Left], budget: Budget) -> Iterator[TaskTrial]:
        for each in left:
            if each.recording is not None:
                write_task(each.recording / f"{each.task.id}.zip", replay.bundle.task(each.task.id))
            yield from replay.trials([each.task], each.agents, budget)

    return give
