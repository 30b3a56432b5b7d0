"""What a root cause leaves behind when it is undone: nothing in the kernels, and no session that is about to end."""

import json
import re
from collections.abc import Sequence
from typing import cast

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.observe import Eyes, LinkView, NodeState, RouteView
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.contract import Step
from netopsbench.rca.breaking.repertoire import breakages
from netopsbench.rca.network.as_built import kernels, left_behind
from netopsbench.rca.network.heard import received, wait_heard

MAC = "MAC address configuration error"


@pytest.fixture(scope="module")
def xs() -> FabricPlan:
    return plan_fabric(load_spec("xs"))


class Ports:
    """The hardware addresses of all ports and their permanent neighbours; with the one a port forgets the other."""

    def __init__(self, plan: FabricPlan) -> None:
        ports = [(node.name, port) for node in plan.nodes for port in node.interfaces]
        far = {f"{name}:{port.name}": port for name, port in ports}
        self.macs = {(name, port.name): port.mac for name, port in ports}
        self.neighbors = {
            (name, port.name): (str(far[str(port.peer)].address.ip), far[str(port.peer)].mac) for name, port in ports
        }

    def run(self, steps: Sequence[Step]) -> None:
        for step in steps:
            line = " ".join(map(str, step.argv))
            if set_to := re.fullmatch(r"ip link set dev (\S+) address (\S+)", line):
                self.macs[step.where, set_to[1]] = set_to[2]
                self.neighbors.pop((step.where, set_to[1]), None)
            elif entry := re.fullmatch(r"ip neigh replace (\S+) lladdr (\S+) dev (\S+) nud permanent", line):
                self.neighbors[step.where, entry[3]] = (entry[1], entry[2])
            else:
                pytest.fail(f"no command that is known here: {line}")


def test_a_port_with_a_wrong_hardware_address_knows_its_neighbor_still_and_afterwards(xs: FabricPlan) -> None:
    healthy = Ports(xs)
    for cause in breakages(xs)[MAC]:
        ports = Ports(xs)
        ports.run(cause.do)
        assert ports.macs != healthy.macs
        assert ports.neighbors == healthy.neighbors
        ports.run(cause.undo)
        assert (ports.macs, ports.neighbors) == (healthy.macs, healthy.neighbors)


class Sessions:
    """Routers that print the next of these answers each, the last one again and again."""

    def __init__(self, plan: FabricPlan, *answers: dict[str, tuple[str, int]], code: int = 0) -> None:
        self.plan = plan
        self._code = code
        self._answers = {node.name: list(answers) for node in plan.nodes}

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        left = self._answers[node]
        answer = left.pop(0) if len(left) > 1 else left[0]
        told = {
            address: {"bgpState": state, "messageStats": {"totalRecv": count}}
            for address, (state, count) in answer.items()
        }
        shown = json.dumps({"vrfName": "default", **told})
        return Completed(argv=tuple(argv), returncode=self._code, stdout=shown, stderr="bgpd is not running")


def on(network: Sessions) -> Fabric:
    return cast(Fabric, network)


UP = {"10.1.1.1": ("Established", 7), "10.1.2.1": ("Active", 3)}
HEARD = {"10.1.1.1": ("Established", 8), "10.1.2.1": ("Active", 3)}
ENDED = {"10.1.1.1": ("Idle", 7), "10.1.2.1": ("Active", 3)}


def test_every_router_is_asked_what_it_heard_over_sessions_that_are_established(xs: FabricPlan) -> None:
    speakers = [node.name for node in xs.nodes if node.is_switch]
    assert received(on(Sessions(xs, UP))) == {(name, "10.1.1.1"): 7 for name in speakers}


@pytest.mark.parametrize("then", [HEARD, ENDED])
def test_a_session_lives_when_something_came_over_it_and_is_waited_for_elsewhere_when_it_ended(
    xs: FabricPlan, then: dict[str, tuple[str, int]]
) -> None:
    wait_heard(on(Sessions(xs, UP, UP, then)), deadline_s=5)


def test_a_session_that_only_looks_established_is_told(xs: FabricPlan) -> None:
    with pytest.raises(InfraError, match=r"heard nothing of its neighbor 10\.1\.1\.1") as told:
        wait_heard(on(Sessions(xs, UP)), deadline_s=0)
    assert told.value.reason == "not_restored"


def test_a_router_that_does_not_tell_its_sessions_is_named(xs: FabricPlan) -> None:
    with pytest.raises(InfraError, match="doesn't tell its sessions: bgpd is not running"):
        received(on(Sessions(xs, UP, code=1)))


class Looks:
    """All nodes hold the next of these states, the last one again and again."""

    def __init__(self, *states: NodeState) -> None:
        self._states = list(states)

    def state(self, nodes: Sequence[str]) -> dict[str, NodeState]:
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return dict.fromkeys(nodes, state)


HEALTHY = NodeState(
    links={"eth1": LinkView(is_admin_up=True, has_carrier=True, mtu=9000)},
    addresses=("eth1 10.1.1.2/30",),
    neighbors=("eth1 10.1.1.1 02:00:00:00:00:01",),
    routes={"10.0.0.0/30": RouteView(type="unicast", next_hops=(("10.1.1.1", "eth1"),))},
)
FORGETFUL = HEALTHY.model_copy(update={"neighbors": ()})
REROUTED = HEALTHY.model_copy(update={"routes": {}})


def looking(*states: NodeState) -> Eyes:
    return cast(Eyes, Looks(*states))


def test_what_a_kernel_no_longer_holds_is_named_once_the_time_is_over(xs: FabricPlan) -> None:
    built = kernels(looking(HEALTHY), xs)
    assert left_behind(built, looking(FORGETFUL, HEALTHY), xs, deadline_s=5) == ()
    left = left_behind(built, looking(FORGETFUL), xs, deadline_s=0)
    assert left[0] == f"{xs.nodes[0].name}: neighbor eth1 10.1.1.1 02:00:00:00:00:01 was set, is absent"


def test_a_lab_may_choose_other_routes_and_a_fabric_not(xs: FabricPlan) -> None:
    lab = plan_fabric(load_spec("simple_bgp"))
    for plan, is_free in ((xs, False), (lab, True)):
        left = left_behind(kernels(looking(HEALTHY), plan), looking(REROUTED), plan, deadline_s=0)
        assert (left == ()) == is_free
