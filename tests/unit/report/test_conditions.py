"""Budget, offered tools and prices stand in every form of a report."""

import json

import pytest
from report_runs import run_info, usual_run, write_run

from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price
from netopsbench.report.conditions import budget_text, price_text
from netopsbench.report.write import write_report

PAID = Price(
    input=3, cache_write=3.75, cache_read=0.3, output=15, version="2026-11-02, own list", source="offer 17, 2026-11-01"
)


def reported(folder, **run):
    """Page, Markdown and JSON of a run."""
    trials = usual_run()
    write_report(write_run(folder, trials, run_info(trials).model_copy(update=run)))
    return [(folder / f"report.{form}").read_text() for form in ("html", "md", "json")]


def test_every_form_of_the_report_tells_budget_shell_and_prices(tmp_path):
    budget = Budget(wall_time_s=300, tool_calls=60, tokens=200_000)
    page, markdown, text = reported(tmp_path, budget=budget, has_shell=True, prices={"baseline": PAID})
    assert "<dt>Budget of a case</dt><dd>300 s, 60 tool calls, 200,000 tokens; no limit of turns or cost</dd>" in page
    assert "<dt>Shell on devices</dt><dd>offered</dd>" in page
    assert "<dt>Prices of baseline</dt><dd>$3 in, $3.75 into the cache, $0.3 cached, $15 out per million tokens" in page
    assert "- Budget of a case: 300 s, 60 tool calls, 200,000 tokens; no limit of turns or cost" in markdown
    assert "- Shell on devices: offered" in markdown
    assert "offer 17, 2026-11-01" in markdown
    told = json.loads(text)
    assert (told["budget"]["tool_calls"], told["has_shell"], told["prices"]["baseline"]["output"]) == (60, True, 15)


def test_what_a_run_did_not_record_or_offer_is_told_as_well(tmp_path):
    page, markdown, text = reported(tmp_path)
    assert "<dt>Budget of a case</dt><dd>not recorded</dd>" in page
    assert "- Shell on devices: not offered" in markdown
    assert "command lines" not in markdown
    assert json.loads(text)["budget"] is None


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "60 s, 1 tool call; no limit of turns, tokens or cost"),
        ({"turns": 1, "tokens": 10, "cost_usd": 0.5}, "60 s, 1 tool call, 1 turn, 10 tokens, $0.5"),
        (
            {"turns": 20, "tells_turns": False, "tokens": 10},
            "60 s, 1 tool call, 20 turns that the agent isn't told of, 10 tokens; no limit of cost",
        ),
    ],
)
def test_limits_are_told_and_what_is_not_limited(more, told):
    assert budget_text(Budget(wall_time_s=60, tool_calls=1, **more)) == told


def test_a_price_says_where_it_is_from():
    assert price_text(PAID).endswith("(2026-11-02, own list; offer 17, 2026-11-01)")
    assert price_text(PAID.model_copy(update={"version": "", "source": ""})).endswith("(–)")
