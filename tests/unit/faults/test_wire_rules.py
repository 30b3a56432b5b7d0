"""What the kernel is told about an impaired end, and what is read out of its listings."""

import json

import pytest

from netopsbench.faults.wire_rules import CLEAN, Impairment, is_clean, netem, netem_drops, nft, nft_counts


def impairment(loss_pct: float = 0, corruption_pct: float = 0, delay_ms: float = 0) -> Impairment:
    return Impairment(loss_pct=loss_pct, corruption_pct=corruption_pct, delay_ms=delay_ms)


def rules(text: str) -> list[str]:
    start = "add rule netdev w0a "
    return [line.removeprefix(start) for line in text.splitlines() if line.startswith(start)]


def counted(verdict: dict[str, object], packets: int) -> dict[str, object]:
    return {"rule": {"expr": [{"counter": {"packets": packets, "bytes": 0}}, verdict]}}


def test_nothing_impaired_is_clean():
    assert is_clean(CLEAN)
    assert not is_clean(impairment(loss_pct=1))


def test_a_share_is_drawn_in_thousandths_of_a_percent():
    assert rules(nft("w0a", "w0b", impairment(loss_pct=0.5)))[0] == "in numgen random mod 100000 < 500 counter drop"


def test_loss_comes_before_damage_and_both_before_the_way_out():
    verdicts = [
        rule.split()[-1] for rule in rules(nft("w0a", "rw0a", impairment(30, 25, 120))) if rule.startswith("in ")
    ]
    assert verdicts == ["drop", "damage", '"rw0a"']


def test_rules_are_replaced_in_one_transaction_that_never_removes_the_chain():
    text = nft("w0a", "w0b", impairment(30))
    assert "delete" not in text
    assert text.index("add chain netdev w0a in") < text.index("flush table netdev w0a") < text.index("add rule")


def test_damage_always_hits_a_packet_that_is_long_enough_and_never_a_udp_length():
    damage = [rule for rule in rules(nft("w0a", "w0b", impairment(corruption_pct=25))) if rule.startswith("damage")]
    assert "numgen" not in damage[-1]
    shares = [int(rule.split(" mod ")[1].split()[0]) for rule in damage[:-1]]
    assert shares == list(range(len(damage), 1, -1))
    assert not any("@th,32,8" in rule or "@th,40,8" in rule for rule in damage)
    assert all(rule.endswith("return") for rule in damage)


@pytest.mark.parametrize(("delay_ms", "limit"), [(0, "1000"), (5, "1000"), (120, "6000"), (2_000, "100000")])
def test_netem_holds_twice_what_comes_within_the_delay(delay_ms, limit):
    words = netem("w0b", impairment(delay_ms=delay_ms))
    assert words[words.index("limit") + 1] == limit


def test_netem_is_told_everything_at_once():
    assert " ".join(netem("w0b", impairment(30, 25, 120))).endswith("delay 120ms loss 30% corrupt 25%")


def test_drops_of_a_qdisc():
    assert netem_drops(json.dumps([{"kind": "netem", "drops": 7}, {"kind": "clsact"}])) == 7


@pytest.mark.parametrize("listing", ["", "[]", '[{"kind": "noqueue"}]'])
def test_no_netem_has_no_drops(listing):
    assert netem_drops(listing) is None


def test_counts_of_rules_by_what_they_do():
    listing = json.dumps({
        "nftables": [
            {"metainfo": {}},
            counted({"drop": None}, 3),
            counted({"jump": {"target": "damage"}}, 4),
            counted({"fwd": {"dev": "w0b"}}, 5),
            {"rule": {"expr": [{"return": None}]}},
        ]
    })  # fmt: skip
    assert nft_counts(listing) == {"lost": 3, "damaged": 4, "passed": 5}
