"""What an agent is asked: the published prompt's form, with nothing of a task's key or metadata."""

from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking.repertoire import MAKERS
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.model import Task
from netopsbench.rca.naming import named
from netopsbench.records.answers import Answer, Budget, Question

_METHOD = """\
You look after a network of several vendors' devices. get_topology shows it as it was designed: devices, cables, \
addresses, AS numbers. execute(device, command) types a line on a device's own command line; `?` at the end of a line \
lists what may come next. You may look, ping and trace; nothing can be changed.

How to work: follow the traffic of the task hop by hop, compare what devices show with the design, and go on until \
everything that is wrong is explained. Some commands may be denied; look for other evidence then.
Evidence: state only what a device showed you. Never guess a device, an interface or a cause.
Safety: read only. Ask one thing at a time, and no more than you need.
Before you answer, check silently: is every line in the form below, every interface by the full name that its device \
gives it, with no blank beside a separator, nothing missing and nothing too many?
"""
_RCA = """\
Task {id}: users at {source} ({source_address}) report trouble on the way to {target} ({target_address}), and there \
may be more that is wrong in the network. Find all root causes: one or several.

Answer with a line for each root cause, node;object;cause
- node: the device, as get_topology spells it.
- object: the interface by its full name on the device, {example}, not as tables shorten it; of a static route or \
loop the destination with its length, 10.0.0.0/24; of a prefix list its name; of spanning tree that is missing on a \
whole device its bridge; of VXLAN the tunnel interface; of VRRP `vrrp`; of LLDP that is missing on a whole device \
`lldp`; of what BGP tells of VPNs `evpn`. Errors of a routing protocol are at the interface towards the neighbor, \
loopback conflicts at the loopback interface.
- cause: what stands before the colon in one of these lines
{labels}
"""
_PATH = """\
Task {id}: restore the way that packets from {source} ({source_address}) to {target} ({target_address}) take through \
the network{all_paths}.

Answer with a line for each path, A_eth1->B_GigabitEthernet0/0/3->C: every device with the interface by which packets \
leave it, by its full name on the device, not as tables shorten it, and the last device alone. Begin with {source} \
(its interface is {first}), end with {target}.
"""
_FORM = """
Put the answer, and nothing else, between <result> and </result> in the field `reasoning` of the answer, whose \
verdict is "fault_detected"; the order of lines doesn't matter. One wrong line makes the whole answer wrong.

The budget limits your time, tools included, and the number of tool calls. Beyond it your answer is not accepted.
"""


def task_question(task: Task, plan: FabricPlan, budget: Budget) -> Question:
    """The question of a task on its network."""
    port_of = {node.name: node.interfaces[0] for node in plan.nodes if not node.is_switch}
    known = {
        "id": task.id,
        "source": task.source,
        "target": task.target,
        "source_address": port_of[task.source].address.ip,
        "target_address": port_of[task.target].address.ip,
    }
    if task.kind == "rca":
        labels = [f"  - {cause.label}: {cause.means}" for cause in CAUSES if cause.label in MAKERS]
        text = _RCA.format(**known, labels="\n".join(labels), example="GigabitEthernet0/0/1")
    else:
        every = ". Several paths of equal cost are in use: restore all" if len(task.paths) > 1 else ""
        first = named(task.vendors[task.source], port_of[task.source].name)
        text = _PATH.format(**known, all_paths=every, first=first)
    return Question(
        task=task.kind,
        text=_METHOD + "\n" + text + _FORM,
        labels=(),
        budget=budget,
        answer_schema=Answer.model_json_schema(),
    )
