import csv
import io
import xml.etree.ElementTree as ET

from report_runs import faulty, run_info, trial, usual_run, write_run

from netopsbench.records.answers import Answer
from netopsbench.records.usage import Usage
from netopsbench.report.tables import COLUMNS, below, junit_xml, trials_csv
from netopsbench.scoring.run import score_run


def rows_of(run):
    return list(csv.DictReader(io.StringIO(trials_csv(run))))


def test_every_trial_is_a_line_with_every_column(tmp_path):
    rows = rows_of(score_run(write_run(tmp_path, usual_run())))
    assert len(rows) == 12
    assert tuple(rows[0]) == COLUMNS
    by_id = {row["trial_id"]: row for row in rows}
    assert (by_id["t-01"]["strict"], by_id["t-02"]["strict"], by_id["t-05"]["strict"]) == ("1.0", "0.5", "0.0")
    assert (by_id["t-06"]["strict"], by_id["t-06"]["end"], by_id["t-06"]["reason"]) == (
        "",
        "invalid",
        "effect_not_seen",
    )


def test_unknown_tokens_are_empty_and_no_tokens_are_zero(tmp_path):
    known = trial("t-1", case_id="c-1", usage=Usage(input_tokens=0, cost_usd=0.0))
    rows = rows_of(score_run(write_run(tmp_path, [known, trial("t-2", case_id="c-2")])))
    assert [(row["input_tokens"], row["cost_usd"]) for row in rows] == [("0", "0.0"), ("", "")]


def test_an_agents_words_become_no_formula(tmp_path):
    hostile = Answer.model_validate(
        {"verdict": "fault_detected", "findings": [{"fault_type": "=HYPERLINK(1)", "location": {"device": "x"}}]}
    )
    (row,) = rows_of(score_run(write_run(tmp_path, [trial("t-1", case_id="c-1", answer=hostile)])))
    assert row["answer"].startswith("'=")


def suite_of(root, agent):
    return next(suite for suite in root.iter("testsuite") if suite.get("name") == agent)


def test_junit_tells_right_wrong_failed_and_not_scored_apart(tmp_path):
    root = ET.fromstring(junit_xml(score_run(write_run(tmp_path, usual_run()))))
    suite = suite_of(root, "baseline")
    counted = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    # right: c-1 and c-4; half and wrong: c-2, c-3; crashed: c-5; invalid: c-6
    assert counted == {"tests": "6", "failures": "2", "errors": "1", "skipped": "1"}


def test_a_trial_without_a_record_is_skipped(tmp_path):
    planned = trial("t-1", case_id="c-1")
    root = ET.fromstring(junit_xml(score_run(write_run(tmp_path, [], run_info([planned])))))
    assert root.find(".//skipped").get("message") == "no record"


def test_a_threshold_is_a_test_of_every_agent_that_is_no_control(tmp_path):
    run = score_run(write_run(tmp_path, usual_run()))
    root = ET.fromstring(junit_xml(run, fail_under=0.9))
    gates = [test for test in root.iter("testcase") if test.get("name") == "score is at least 0.9"]
    assert [(gate.get("classname"), gate.find("failure") is not None) for gate in gates] == [("baseline", True)]
    assert below(run.summary.agents, 0.9) == ["baseline"]
    assert below(run.summary.agents, 0.1) == []


def test_an_agent_without_a_score_is_below_every_threshold(tmp_path):
    planned = trial("t-1", case_id="c-1", truth=faulty("link_down", ("leaf1", "eth1")))
    run = score_run(write_run(tmp_path, [], run_info([planned])))
    assert below(run.summary.agents, 0.0) == ["baseline"]


def test_control_characters_leave_the_xml_well_formed(tmp_path):
    hostile = trial("t-1", case_id="c\x00\x1b]<&", agent="a\x07'\"")
    root = ET.fromstring(junit_xml(score_run(write_run(tmp_path, [hostile]))))
    assert root.find("testsuite").get("tests") == "1"
