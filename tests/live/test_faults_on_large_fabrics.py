"""Faults where there is more than one of everything: each kind and variant on eight leaves, and on three tiers."""

from collections.abc import Iterator

import faults_in_turn
import pytest

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.faults.witness import Witness

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(1200)]

STEPS = "inject effect_before effect_after undo restored"


@pytest.fixture(scope="module", params=["medium", "fat-tree-k8"])
def watched(engine: NativeEngine, request: pytest.FixtureRequest) -> Iterator[tuple[NativeFabric, Witness]]:
    with faults_in_turn.watched_fabric(engine, request.param) as both:
        yield both


def test_every_fault_is_witnessed_and_restored_on_every_role_of_switch(watched):
    fabric, witness = watched
    went = {
        fault.model_dump_json(): faults_in_turn.go_through(fabric, witness, fault)
        for fault in faults_in_turn.one_of_each(fabric.plan)
    }
    assert went == dict.fromkeys(went, STEPS)
    assert len(went) >= 16


SAMPLE = ("packet_loss", "bgp_neighbor_misconfig", "acl_misconfig", "device_down")
"""On a cable, in routing, in a packet filter, and a whole switch."""


@pytest.mark.parametrize("name", ["large", "fat-tree-k12"])
def test_a_fault_of_each_sort_is_witnessed_and_restored_on_the_largest(engine, name):
    with faults_in_turn.watched_fabric(engine, name) as (fabric, witness):
        chosen = [fault for fault in faults_in_turn.a_few(fabric.plan) if fault.kind in SAMPLE]
        went = {fault.kind: faults_in_turn.go_through(fabric, witness, fault) for fault in chosen}
    assert went == dict.fromkeys(SAMPLE, STEPS)
