"""Agents by name: who is for what, and what somebody is told who names none of them."""

import json

import pytest
from typer.testing import CliRunner

from netopsbench.agent.catalog import make_agent
from netopsbench.agent.spec import KINDS
from netopsbench.campaign.contestants import (
    ALWAYS_FAULTY,
    CONTESTANTS,
    FAMILIES,
    ORACLE,
    Family,
    check_names,
    contestant_names,
    settings_of,
)
from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError


def refusal(name: str, family: Family) -> str:
    with pytest.raises(SpecError) as refused:
        check_names([name], family)
    return str(refused.value)


@pytest.mark.parametrize("family", FAMILIES)
def test_whoever_is_listed_for_something_can_take_part_in_it(family: Family) -> None:
    names = contestant_names(family)
    check_names(names, family)
    assert {ORACLE, "nop"} <= set(names)
    for name in set(names) - {ORACLE, ALWAYS_FAULTY}:
        make_agent(name, settings_of(name) or ({"seed": 1} if name == "random-device" else {}))


@pytest.mark.parametrize(
    ("typed", "family", "meant"),
    [("tracr", "tasks", "tracer"), ("basline", "cases", "baseline"), ("check-first", "tickets", "checks-first")],
)
def test_a_slip_of_the_pen_is_answered_with_what_was_meant(typed: str, family: Family, meant: str) -> None:
    said = refusal(typed, family)
    assert f"did you mean {meant}?" in said
    known = said.partition(f"known agents for {FAMILIES[family]}: ")[2].replace("; or ", ", ").split(", ")
    assert set(contestant_names(family)) <= set(known)
    assert len(known) == len(set(known))
    assert {"claude", "command"} <= set(known)


def test_an_agent_of_another_family_is_said_to_be_one() -> None:
    assert "it is for root-cause and path tasks" in refusal("tracer", "cases")
    assert "it is for cases" in refusal(ALWAYS_FAULTY, "tickets")


def test_the_commands_refuse_in_the_same_words() -> None:
    done = CliRunner().invoke(app, ["tickets", "run", "simple_bgp", "--agent", "belever", "--agent", "orcle"])
    assert done.exit_code == 2
    assert "did you mean believer?" in done.stderr
    assert "did you mean oracle?" in done.stderr


def test_the_list_tells_what_each_agent_is_for() -> None:
    told = json.loads(CliRunner().invoke(app, ["agents", "list", "--json"]).stdout)
    assert told["families"] == {name: list(families) for name, families in CONTESTANTS.items()}
    table = CliRunner().invoke(app, ["agents", "list"], env={"COLUMNS": "120"}).stdout
    assert all(name in table for name in (*CONTESTANTS, *KINDS))
