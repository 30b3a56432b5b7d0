"""Harmless events on a real fabric: each does something, and none of them leaves anything broken."""

import json
import random
from collections.abc import Iterator

import faults_in_turn
import pytest

from netopsbench.fabric import queries
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.faults import benign, places
from netopsbench.faults.benign import MAKERS, BenignEvent
from netopsbench.faults.benign_play import play
from netopsbench.faults.contract import kept
from netopsbench.faults.snapshot import take
from netopsbench.faults.witness import Witness

pytestmark = pytest.mark.live

FRR_EDITS = (
    benign.port_described,
    benign.neighbor_described,
    benign.prefix_listed,
    benign.route_map_extended,
)


@pytest.fixture(scope="module")
def watched(engine: NativeEngine) -> Iterator[tuple[NativeFabric, Witness]]:
    with faults_in_turn.watched_fabric(engine) as both:
        yield both


def made(maker: benign.Maker, fabric: NativeFabric, name: str, seed: int) -> BenignEvent:
    event = maker(fabric.plan, queries.node(fabric.plan, name), random.Random(seed))
    assert event is not None
    return event


def settings(fabric: NativeFabric, switch: str, *argv: str) -> set[str]:
    """Lines that set something, without the frame around them."""
    frame = ("!", "Building", "Current", "end", "exit", "line vty", "frr ", "no service integrated")
    text = fabric.exec(switch, argv).stdout
    return {line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(frame)}


def drops(fabric: NativeFabric, switch: str) -> int:
    """How often a switch has lost a session."""
    shown = fabric.exec(switch, ["vtysh", "-c", "show bgp neighbors json"]).stdout
    return sum(peer["connectionsDropped"] for name, peer in json.loads(shown).items() if "." in name)


def running(fabric: NativeFabric, switch: str) -> set[str]:
    return settings(fabric, switch, "vtysh", "-c", "show running-config")


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("switch", ["leaf1", "spine2"])
def test_every_event_is_over_with_the_fabric_as_before(watched, maker, switch):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    (receipt,) = play(fabric, [made(maker, fabric, switch, seed=4)], witness, before)
    assert receipt.is_as_expected, receipt.seen
    one, other = (places.at_client(client) for client in queries.clients(fabric.plan))
    assert witness.paths_unseen([kept(one, other), kept(other, one)]) == ()


@pytest.mark.parametrize("maker", FRR_EDITS)
def test_an_edit_is_in_the_running_configuration_and_in_both_saved_ones(watched, maker):
    fabric, witness = watched
    before, was = take(witness.eyes, fabric.plan), running(fabric, "leaf2")
    play(fabric, [made(maker, fabric, "leaf2", seed=11)], witness, before)
    shown = running(fabric, "leaf2")
    assert shown != was
    for suffix in ("", ".sav"):
        files = f"cat /etc/frr/*d.conf{suffix} /etc/frr/zebra.conf{suffix}"
        assert settings(fabric, "leaf2", "sh", "-c", files) == shown


@pytest.mark.parametrize("maker", [benign.session_cleared, benign.port_bounced])
def test_an_interruption_counts_as_a_lost_session_on_both_ends(watched, maker):
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    event = made(maker, fabric, "leaf1", seed=2)
    peer = queries.owner_of(fabric.plan, event.loses[0].neighbor)
    assert peer is not None
    ends = ("leaf1", peer.name)
    were = [drops(fabric, end) for end in ends]
    play(fabric, [event], witness, before)
    assert all(drops(fabric, end) > was for end, was in zip(ends, were, strict=True))
