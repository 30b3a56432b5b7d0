"""Reading answers: the published way and a tolerant one."""

import pytest

from netopsbench.tickets.answer import BLOCK, TicketAnswer, read_published, read_tolerantly
from netopsbench.tickets.model import Command

PLAIN = """\
I looked around.
=== DIAGNOSIS ===
is_anomaly: true
faulty_devices: r1, r2
diagnosis_text:
r1 lost its link.
r2 too.
=== END ===
"""


def test_both_read_a_plain_block() -> None:
    expected = TicketAnswer(is_anomaly=True, devices=("r1", "r2"), text="r1 lost its link.\nr2 too.")
    assert read_published(PLAIN) == expected
    assert read_tolerantly(PLAIN) == expected


@pytest.mark.parametrize("nobody", ["none", "None", "[]", "n/a"])
def test_nobody_is_no_device(nobody: str) -> None:
    text = PLAIN.replace("r1, r2", nobody)
    assert [read(text).devices for read in (read_published, read_tolerantly) if read(text)] == [(), ()]


def test_markdown_around_the_verdict_is_read_by_the_tolerant_reader_alone() -> None:
    text = (
        "**=== DIAGNOSIS ===**\n- **is_anomaly:** `false`\n- **faulty_devices:** *none*\n"
        "**diagnosis_text:**\nAll is well.\n**=== END ===**\n"
    )
    published, tolerant = read_published(text), read_tolerantly(text)
    assert published is not None
    assert published.is_anomaly is None
    assert tolerant == TicketAnswer(is_anomaly=False, devices=(), text="All is well.")


def test_a_fenced_block_without_an_end_is_read_tolerantly() -> None:
    text = "```\n" + PLAIN.replace("=== END ===\n", "") + "```\n"
    assert read_published(text) is None
    found = read_tolerantly(text)
    assert found is not None
    assert found.devices == ("r1", "r2")


def test_the_last_whole_block_counts_for_the_tolerant_reader() -> None:
    text = PLAIN + PLAIN.replace("true", "false").replace("r1, r2", "none")
    assert [answer.is_anomaly for answer in (read_published(text), read_tolerantly(text)) if answer] == [True, False]


def test_the_template_itself_is_no_answer() -> None:
    assert read_tolerantly(BLOCK) is None


def test_text_without_a_block_is_no_answer() -> None:
    assert read_published("all fine") is None
    assert read_tolerantly("all fine") is None


def test_fix_commands_keep_their_quotes_and_stars() -> None:
    fix = "**fix:**\n- r1: vtysh -c 'conf t' -c 'router ospf'\n2. r2: rm /tmp/*_x\ndiagnosis_text:"
    found = read_tolerantly(PLAIN.replace("diagnosis_text:", fix))
    assert found is not None
    assert found.fix == (
        Command(on="r1", run="vtysh -c 'conf t' -c 'router ospf'"),
        Command(on="r2", run="rm /tmp/*_x"),
    )
    assert found.text == "r1 lost its link.\nr2 too."
    assert found.devices == ("r1", "r2")


def test_no_fix_is_none() -> None:
    found = read_tolerantly(PLAIN.replace("diagnosis_text:", "fix: none\ndiagnosis_text:"))
    assert found is not None
    assert found.fix == ()
