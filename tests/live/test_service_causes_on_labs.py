"""Congestion, spanning tree, VRRP, IS-IS, VXLAN and EVPN on running labs: made, seen, found, undone without a trace."""

from collections.abc import Iterator

import pytest

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.rca.breaking import Broken
from netopsbench.rca.holding import held
from netopsbench.rca.repertoire import MAKERS
from netopsbench.rca.solver import solve
from netopsbench.rca.standing import StandingNetwork

pytestmark = [pytest.mark.live, pytest.mark.slow]

ON_LABS = (
    ("redundant_office", "traffic congestion occupying port bandwidth"),
    ("redundant_office", "global STP not enabled"),
    ("redundant_office", "port STP not enabled"),
    ("redundant_office", "global VRRP hot standby redundancy protocol not enabled"),
    ("metro_overlay", "ISIS configuration error"),
    ("metro_overlay", "VXLAN configuration error"),
    ("metro_overlay", "L2VPN configuration error"),
    ("metro_overlay", "VPN configuration missing"),
)


@pytest.fixture(scope="module")
def network(engine: NativeEngine, request: pytest.FixtureRequest) -> Iterator[StandingNetwork]:
    with StandingNetwork(str(request.param), engine) as standing:
        yield standing


def _each_kind(network: StandingNetwork, label: str) -> list[Broken]:
    """One root cause for each way of making the label at one place."""
    made = [each for each in MAKERS[label](network.plan) if each.triple.cause == label]
    return [each for each in made if each.triple == made[0].triple]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("network", "label"), ON_LABS, indirect=["network"])
def test_it_is_seen_by_others_found_by_commands_and_gone_afterwards(network: StandingNetwork, label: str) -> None:
    for broken in _each_kind(network, label):
        with held(network.fabric, [broken]):
            assert {str(triple) for triple in solve(network.fabric).causes} == {str(broken.triple)}
        assert network.restored([broken])
        assert network.problems() == []
