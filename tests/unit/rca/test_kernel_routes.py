"""Routes of devices, compared with those of another time."""

import json
from typing import Any

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.rca.network.kernel_routes import are_back, kernel_routes, steady_routes

PLAN = plan_fabric(FabricSpec(name="xs", topology=Clos(spines=2, leaves=2)))
BOTH = {
    "dst": "10.0.0.0/30",
    "nexthops": [{"gateway": "10.1.2.1", "dev": "eth2"}, {"gateway": "10.1.1.1", "dev": "eth1"}],
}
ONE = {"dst": "10.0.0.0/30", "gateway": "10.1.1.1", "dev": "eth1", "protocol": "bgp"}


class Devices:
    """Every device prints the next of these answers, the last one again and again."""

    def __init__(self, *answers: list[dict[str, Any]], code: int = 0) -> None:
        self.plan = PLAN
        self._code = code
        self._answers = {node.name: list(answers) for node in PLAN.nodes}

    def exec(self, node: str, argv: list[str], timeout_s: float = 10) -> Completed:
        left = self._answers[node]
        answer = left.pop(0) if len(left) > 1 else left[0]
        return Completed(argv=tuple(argv), returncode=self._code, stdout=json.dumps(answer), stderr="no netlink")


def test_the_order_of_next_hops_says_nothing_and_one_that_lacks_is_told():
    turned = {**BOTH, "nexthops": BOTH["nexthops"][::-1]}
    assert kernel_routes(Devices([BOTH])) == kernel_routes(Devices([turned]))
    assert kernel_routes(Devices([BOTH])) != kernel_routes(Devices([ONE]))


def test_routes_are_back_when_the_last_next_hop_is():
    wanted = kernel_routes(Devices([BOTH]))
    assert are_back(Devices([ONE], [BOTH]), wanted, deadline_s=5)
    assert not are_back(Devices([ONE]), wanted, deadline_s=0)


def test_routes_are_steady_when_two_looks_agree():
    assert steady_routes(Devices([], [ONE], [BOTH]), deadline_s=5) == kernel_routes(Devices([BOTH]))
    with pytest.raises(InfraError, match="went on changing"):
        steady_routes(Devices([], [ONE]), deadline_s=0)


def test_a_device_that_does_not_tell_is_named():
    with pytest.raises(InfraError, match="spine1 doesn't tell its routes: no netlink"):
        kernel_routes(Devices([], code=1))
