import contextlib
import os
import socket

import pytest

from netopsbench.faults import witness_probe
from netopsbench.faults.witness_probe import Sweep

HERE, THERE = "127.0.0.1", "127.0.0.2"
FIRST_PORT = 20_000 + os.getpid() % 1000 * 10
LISTEN_PORT = FIRST_PORT + 9
"""Of this process's own, so that two test runs on one machine don't meet."""
NOWHERE = "198.51.100.1"
"""Kept for documentation: no machine has it."""


@pytest.fixture(autouse=True)
def _one_namespace(monkeypatch):
    monkeypatch.setattr(witness_probe.netlink, "inside", lambda pid: contextlib.nullcontext())
    monkeypatch.setattr(witness_probe, "_LISTEN_PORT", LISTEN_PORT)
    monkeypatch.setattr(witness_probe, "_FIRST_PORT", FIRST_PORT)


def path(src: str, dst: str, ports: int = 4, size: int | None = None) -> dict[str, object]:
    return {"src_pid": 1, "src": src, "dst_pid": 1, "dst": dst, "ports": ports, "size": size}


def counted(*paths: dict[str, object], wait_s: float = 0.05) -> list[tuple[int, int, int]]:
    sweep = Sweep(list(paths))
    try:
        sweep.run(wait_s)
        return [(each.sent, len(each.arrived), len(each.returned)) for each in sweep.paths]
    finally:
        sweep.close()


def test_every_port_goes_out_and_comes_back():
    assert counted(path(HERE, THERE), wait_s=5) == [(4, 4, 4)]


def test_paths_that_share_their_ends_are_told_apart():
    both = counted(path(HERE, THERE), path(HERE, NOWHERE), path(THERE, HERE), path(HERE, THERE), wait_s=0.3)
    assert [arrived for _, arrived, _ in both] == [4, 0, 4, 4]
    assert [returned for _, _, returned in both] == [4, 0, 4, 4]


def test_a_node_without_the_address_sends_nothing_and_nothing_is_waited_for():
    assert counted(path(NOWHERE, THERE), wait_s=60) == [(0, 0, 0)]


def test_packets_of_strangers_are_not_counted():
    sweep = Sweep([path(HERE, THERE, ports=2)])
    with contextlib.closing(sweep), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for payload in (b"hello", b"\0" * witness_probe._PROBE.size, b"x" * 63):
            stranger.sendto(payload, (THERE, LISTEN_PORT))
            stranger.sendto(payload, (HERE, FIRST_PORT))
        sweep.run(5)
        assert (sweep.paths[0].arrived, sweep.paths[0].returned) == ({0, 1}, {0, 1})


def test_a_port_that_somebody_holds_is_not_sent_from():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        holder.bind((HERE, FIRST_PORT + 1))
        assert counted(path(HERE, THERE), wait_s=5) == [(3, 3, 3)]


def test_a_sweep_leaves_no_socket_behind():
    counted(path(HERE, THERE), wait_s=5)
    for number in range(4):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as again:
            again.bind((HERE, FIRST_PORT + number))


def test_large_probes_come_back_whole_and_beside_small_ones():
    assert counted(path(HERE, THERE, size=9072), path(HERE, THERE), wait_s=5) == [(4, 4, 4)] * 2


def test_each_path_has_as_many_ports_as_it_asks_for():
    assert counted(path(HERE, THERE, ports=2), path(HERE, THERE, ports=6), wait_s=5) == [(2, 2, 2), (6, 6, 6)]


def test_probes_that_no_datagram_holds_are_lost_at_their_source():
    assert counted(path(HERE, THERE, size=70_000), wait_s=5) == [(0, 0, 0)]
