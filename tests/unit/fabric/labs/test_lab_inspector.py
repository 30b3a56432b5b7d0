import struct
from pathlib import Path

from netopsbench.fabric.labs.inspector import dns_answer, dns_question, echo_reply, echo_request, is_bound

SOCKETS = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
   1: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0 0
   2: 0A00000A:0043 0A000001:0044 01 00000000:00000000 00:00000000 00000000     0        0 1 2 0 0
"""


def from_wire(icmp: bytes, header_words: int = 5) -> bytes:
    return bytes((0x40 | header_words,)) + bytes(header_words * 4 - 1) + icmp


def ones_complement_sum(raw: bytes) -> int:
    total = sum(struct.unpack(f"!{len(raw) // 2}H", raw))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def test_echo_requests_have_a_right_checksum() -> None:
    for identity, number in ((1, 0), (0xFFFF, 0xFFFF), (4711, 900)):
        assert ones_complement_sum(echo_request(identity, number)) == 0xFFFF


def test_a_reply_names_the_request_behind_options_too() -> None:
    reply = struct.pack("!BBHHH", 0, 0, 0, 4711, 12)
    assert echo_reply(from_wire(reply), 4711) == 12
    assert echo_reply(from_wire(reply, header_words=6), 4711) == 12


def test_requests_and_replies_to_others_are_no_answer() -> None:
    assert echo_reply(from_wire(echo_request(4711, 12)), 4711) is None
    assert echo_reply(from_wire(struct.pack("!BBHHH", 0, 0, 0, 4712, 12)), 4711) is None


def test_a_question_spells_the_name_in_labels() -> None:
    assert dns_question("web1.local")[12:] == b"\x04web1\x05local\x00" + struct.pack("!2H", 1, 1)


def test_an_answer_ends_with_the_address() -> None:
    record = b"\xc0\x0c" + struct.pack("!2HIH", 1, 1, 5, 4) + bytes((10, 3, 0, 81))
    reply = struct.pack("!6H", 1, 0x8580, 1, 1, 0, 0) + dns_question("web1.local")[12:] + record
    assert dns_answer(reply) == "10.3.0.81"


def test_an_unknown_name_and_a_refusal_have_no_address() -> None:
    question = dns_question("ghost.local")[12:]
    assert dns_answer(struct.pack("!6H", 1, 0x8583, 1, 0, 0, 0) + question) == ""
    assert dns_answer(struct.pack("!6H", 1, 0x8185, 1, 0, 0, 0) + question) == ""


def test_a_reply_cut_short_has_no_address() -> None:
    assert dns_answer(b"\0\1") == ""


def test_a_port_counts_as_served_when_nobody_is_connected_to_its_socket(tmp_path: Path) -> None:
    table = tmp_path / "udp"
    table.write_text(SOCKETS)
    assert is_bound(table, 53)
    assert not is_bound(table, 67)
    assert not is_bound(tmp_path / "gone", 53)
