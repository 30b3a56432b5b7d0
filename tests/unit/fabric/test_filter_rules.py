import socket
import struct

import pytest

from netopsbench.fabric import nftables


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value + b"\0" * (-len(value) % 4)


def expression(name: str, value: bytes = b"") -> bytes:
    return attribute(1, attribute(1, name.encode() + b"\0") + attribute(2, attribute(1, value)))


def rule(*expressions: bytes, chain: str = "forward") -> bytes:
    body = attribute(1, b"filter\0") + attribute(2, chain.encode() + b"\0") + attribute(3, struct.pack("=Q", 7))
    return bytes(4) + body + attribute(4, b"".join(expressions))


class FakeKernel:
    """Answers one dump."""

    def __init__(self, payloads: list[bytes], ending: int) -> None:
        header = struct.Struct("=IHHII")
        self._said = b"".join(header.pack(16 + len(raw), 0xA06, 2, 1, 0) + raw for raw in payloads)
        self._said += header.pack(20, ending, 2, 1, 0) + bytes(4)

    def __enter__(self) -> "FakeKernel":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def bind(self, address: tuple[int, int]) -> None:
        pass

    def send(self, raw: bytes) -> None:
        pass

    def recv(self, size: int) -> bytes:
        return self._said


@pytest.fixture
def read(monkeypatch):
    def rules(*payloads: bytes, ending: int = 3) -> list[str]:
        monkeypatch.setattr(socket, "socket", lambda *_: FakeKernel(list(payloads), ending))
        return nftables.filter_rules()

    return rules


DROP = expression("immediate", b"drop")


def test_rules_are_numbered_in_their_chain(read):
    found = read(rule(DROP), rule(DROP, chain="input"), rule(DROP))
    assert [line.rsplit(" ", 1)[0] for line in found] == ["filter forward 1", "filter input 1", "filter forward 2"]


def test_what_a_rule_counted_makes_no_difference_and_what_it_matches_does(read):
    (little,), (much,), (other,) = (
        read(rule(expression("cmp", prefix), expression("counter", count), DROP))
        for prefix, count in ((b"a", b"1"), (b"a", b"9"), (b"b", b"1"))
    )
    assert little == much != other


def test_a_rule_that_only_counts_is_left_out(read):
    assert read(rule(expression("cmp", b"a"), expression("counter", b"1"))) == []


def test_a_kernel_without_packet_filters_has_no_rules(read):
    assert read(ending=2) == []
