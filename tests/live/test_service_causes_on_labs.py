"""Congestion, trees, VRRP, IS-IS, VXLAN, EVPN and LLDP on running labs: made, seen, found, undone without a trace."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import pytest

from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.service_software import DISCOVERY, fetch_service_software
from netopsbench.faults.contract import Step
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.holding import held
from netopsbench.rca.breaking.repertoire import MAKERS
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.solving.solver import solve

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
    ("metro_overlay", "host information collection function missing"),
)


@pytest.fixture(scope="module")
def network(engine: NativeEngine, request: pytest.FixtureRequest) -> Iterator[StandingNetwork]:
    try:
        fetch_service_software(DISCOVERY, print)
    except UnsupportedError as reason:
        pytest.skip(f"no LLDP for labs here: {reason}")
    with StandingNetwork(str(request.param), engine) as standing:
        yield standing


def _words(steps: Sequence[Step]) -> list[str]:
    return [str(word) for step in steps for word in (*step.argv, step.stdin)]


def _kind(broken: Broken) -> str:
    """What is done and not undone in the same words, each word after the one before it, without numbers."""
    done, undone = _words(broken.do), _words(broken.undo)
    changed = [at for at, (one, other) in enumerate(zip_longest(done, undone)) if at < len(done) and one != other]
    return re.sub(r"\d", "", "; ".join(" ".join(done[max(0, at - 1) : at + 1]) for at in changed))


def _each_kind(network: StandingNetwork, label: str) -> list[Broken]:
    """One root cause for each way of making the label, at the first place that is broken so."""
    made = [each for each in MAKERS[label](network.plan) if each.triple.cause == label]
    return list({_kind(each): each for each in reversed(made)}.values())


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("network", "label"), ON_LABS, indirect=["network"])
def test_it_is_seen_by_others_found_by_commands_and_gone_afterwards(network: StandingNetwork, label: str) -> None:
    for broken in _each_kind(network, label):
        with held(network.fabric, [broken]):
            assert {str(triple) for triple in solve(network.fabric).causes} == {str(broken.triple)}
        assert network.restored([broken])
        assert network.problems() == []
