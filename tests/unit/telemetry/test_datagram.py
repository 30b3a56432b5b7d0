"""What a probe carries: every byte of it tells whether it arrived as it was sent."""

import pytest

from netopsbench.telemetry.datagram import (
    COMPLEMENT,
    HELD_OFFSET,
    NONCE_OFFSET,
    PAIR,
    SMALL,
    filling,
    new_probe,
    read,
    set_held,
)

NONCE, HELD_NS = 0x0123456789ABCDEF, 1_234_567


def reply(damaged_on_the_way_there: int | None, damaged_on_the_way_back: int | None, length: int) -> bytearray:
    """A probe that was echoed, with a bit of the given bytes changed."""
    datagram = new_probe(length)
    PAIR.pack_into(datagram, NONCE_OFFSET, NONCE, NONCE ^ COMPLEMENT)
    if damaged_on_the_way_there is not None:
        datagram[damaged_on_the_way_there] ^= 0x10
    set_held(datagram, HELD_NS)
    if damaged_on_the_way_back is not None:
        datagram[damaged_on_the_way_back] ^= 0x10
    return datagram


@pytest.mark.parametrize("length", [SMALL, 9072])
def test_a_whole_reply_gives_its_nonce_and_the_time_it_lay_at_the_echo(length: int) -> None:
    assert read(reply(None, None, length), filling(length)) == (NONCE, HELD_NS)


@pytest.mark.parametrize("byte", range(SMALL))
def test_damage_to_any_byte_is_noticed_on_both_ways(byte: int) -> None:
    assert read(reply(byte, None, SMALL), filling(SMALL)) is None
    assert read(reply(None, byte, SMALL), filling(SMALL)) is None


@pytest.mark.parametrize("byte", [SMALL, 5000, 9071])
def test_damage_deep_in_a_large_probe_is_noticed(byte: int) -> None:
    assert read(reply(None, byte, 9072), filling(9072)) is None


def test_a_probe_that_was_never_echoed_is_no_reply() -> None:
    assert read(new_probe(SMALL), filling(SMALL)) is None
    assert new_probe(SMALL)[HELD_OFFSET : HELD_OFFSET + PAIR.size] == bytes(PAIR.size)
