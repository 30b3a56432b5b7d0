"""Reading answers: the published form exactly, and what people and models write instead."""

import time

import pytest

from netopsbench.rca.answer import (
    MOST_LINES,
    PathHop,
    Reading,
    RestoredPath,
    Triple,
    read_paths,
    read_triples,
    written,
)

BLACKHOLE = Triple(node="leaf1", object="10.0.2.0/24", cause="blackhole route")
SHUT = Triple(node="spine1", object="eth2", cause="shutdown")
PATH = RestoredPath(hops=(PathHop(node="pc_1", egress="eth0"), PathHop(node="r1", egress="eth2")), end="pc2")


def said(*lines: str) -> str:
    return "<result>\n" + "\n".join(lines) + "\n</result>"


def test_a_published_answer_is_read_by_both_readers() -> None:
    text = "I looked.\n" + said(str(BLACKHOLE), str(SHUT))
    for reading in ("strict", "tolerant"):
        read = read_triples(text, reading)
        assert read.entries == {BLACKHOLE, SHUT}
        assert read.rejected == ()


def test_what_is_written_is_read_again_whatever_the_order() -> None:
    assert read_triples(written(frozenset({SHUT, BLACKHOLE})), "strict").entries == {BLACKHOLE, SHUT}
    assert read_paths(written(frozenset({PATH})), "strict").entries == {PATH}


@pytest.mark.parametrize(
    "line",
    [
        "leaf1; 10.0.2.0/24; blackhole route",
        "leaf1|10.0.2.0/24|blackhole route",
        "leaf1;10.0.2.0/24;blackhole route ",
        "- leaf1;10.0.2.0/24;Blackhole Route",
        "1. leaf1；10.0.2.0/24；blackhole route.",
        "| leaf1 | 10.0.2.0/24 | blackhole route |",
        "leaf1;10.0.2.0/24;blackhole route;",
        "`leaf1;10.0.2.0/24;blackhole route`",
        "`leaf1`;`10.0.2.0/24`;**blackhole route**",
        "- **leaf1;10.0.2.0/24;blackhole route.**",
        "leaf1;10.0.2.0/24;blackhole route: a static route discards what it is for",
    ],
)
def test_blanks_and_other_separators_are_wrong_for_the_strict_reader_alone(line: str) -> None:
    strict = read_triples(said(line), "strict")
    assert BLACKHOLE not in strict.entries or strict.rejected
    assert read_triples(said(line), "tolerant").entries == {BLACKHOLE}


def test_equal_lines_count_once() -> None:
    read = read_triples(said(str(SHUT), str(SHUT)), "strict")
    assert read.entries == {SHUT}
    assert read.rejected == ()


def test_a_line_too_many_is_rejected_and_the_others_stand() -> None:
    read = read_triples(said(str(SHUT), "and that is all"), "strict")
    assert read.entries == {SHUT}
    assert read.rejected == ("and that is all",)


def test_an_empty_line_between_entries_is_wrong_for_the_strict_reader_alone() -> None:
    text = said(str(SHUT), "", str(BLACKHOLE))
    assert read_triples(text, "strict").rejected == ("",)
    assert read_triples(text, "tolerant").rejected == ()


def test_an_unknown_label_is_an_entry_like_any_other() -> None:
    read = read_triples(said("leaf1;eth0;gremlins"), "strict")
    assert read.entries == {Triple(node="leaf1", object="eth0", cause="gremlins")}


@pytest.mark.parametrize("text", ["", "leaf1;eth0;shutdown", "<result>leaf1;eth0;shutdown"])
def test_without_a_place_for_the_answer_the_strict_reader_finds_none(text: str) -> None:
    read = read_triples(text, "strict")
    assert not read.has_result
    assert not read.entries


def test_two_places_for_the_answer_are_none_for_the_strict_reader_and_the_last_counts_for_the_other() -> None:
    text = said("node;object;cause") + "\n" + said(str(SHUT))
    assert not read_triples(text, "strict").has_result
    assert read_triples(text, "tolerant").entries == {SHUT}


def test_the_tolerant_reader_finds_triples_in_prose() -> None:
    assert read_triples(f"The cause is this:\n{SHUT}\nGood luck.", "tolerant").entries == {SHUT}


@pytest.mark.parametrize(
    "prose",
    [
        "I looked at leaf1; eth2 is up; it sends nothing.",
        "leaf1;eth2;it sends nothing",
        "The trouble is at leaf1; eth2; shutdown",
        "| device | port | state |",
    ],
)
def test_without_marks_a_sentence_is_no_root_cause(prose: str) -> None:
    assert read_triples(prose, "tolerant").entries == frozenset()
    assert read_triples(f"{prose}\n{SHUT}", "tolerant").entries == {SHUT}


def test_of_a_table_the_tolerant_reader_takes_the_rows() -> None:
    text = said("| Node | Object | Cause |", "|:---|---|---:|", "| leaf1 | 10.0.2.0/24 | blackhole route |")
    read = read_triples(text, "tolerant")
    assert (read.entries, read.rejected) == ({BLACKHOLE}, ())
    assert read_triples(text, "strict").entries == frozenset()


@pytest.mark.parametrize("reading", ["strict", "tolerant"])
def test_of_an_answer_a_hundred_lines_are_read_and_more_make_it_wrong(reading: Reading) -> None:
    lines = [f"leaf{n};eth0;shutdown" for n in range(MOST_LINES)]
    whole = read_triples(said(*lines), reading)
    assert (len(whole.entries), whole.rejected) == (MOST_LINES, ())
    more = read_triples(said(*lines, str(BLACKHOLE), str(SHUT)), reading)
    assert more.entries == whole.entries
    assert more.rejected == (str(BLACKHOLE),)
    assert len(read_triples("\n".join([*lines, str(SHUT)]), "tolerant").entries) == MOST_LINES


@pytest.mark.parametrize(
    "text",
    [
        "<result>" * 60_000,
        " " * 500_000 + ";",
        "<" * 500_000,
        "- " * 250_000,
        "<result>\n" + "a ; " * 120_000,
        "<result>" + "a\n" * 250_000,
    ],
)
def test_an_answer_as_long_as_one_may_be_is_read_in_a_moment(text: str) -> None:
    started = time.process_time()
    for reading in ("strict", "tolerant"):
        read_triples(text, reading)
        read_paths(text, reading)
    # What looked again from every character on took minutes.
    assert time.process_time() - started < 5


def test_a_device_name_may_hold_an_underscore() -> None:
    read = read_paths(said("pc_1_eth0->r1_eth2->pc2"), "strict")
    assert read.entries == {PATH}
    assert PATH.start == "pc_1"
    assert PATH.edges == {("pc_1", "eth0", "r1"), ("r1", "eth2", "pc2")}


@pytest.mark.parametrize(
    "line", ["pc_1_eth0 -> r1_eth2 -> pc2", "pc_1_eth0→r1_eth2→pc2", "* `pc_1_eth0=>r1_eth2=>pc2`"]
)
def test_other_arrows_are_wrong_for_the_strict_reader_alone(line: str) -> None:
    assert read_paths(said(line), "strict").entries == frozenset()
    assert read_paths(said(line), "tolerant").entries == {PATH}


@pytest.mark.parametrize("line", ["pc1", "pc1->pc2", "pc1_->pc2", "pc1_eth0->", "_eth0->pc2"])
def test_a_path_without_interfaces_or_ends_is_no_path(line: str) -> None:
    for reading in ("strict", "tolerant"):
        assert read_paths(said(line), reading).rejected == (line,)
