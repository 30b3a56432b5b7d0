"""Agents have short names in tables, and whole ones once."""

import io

import pytest
from report_runs import run_info, trial, write_run
from rich.console import Console

from netopsbench.report.naming import short_names, shortener, told_agents, whole_names
from netopsbench.report.terminal import TrialProgress
from netopsbench.report.write import write_report

MINE = "command:python3 /home/somebody/agents/mine/agent.py"
OTHER = "command:python3 /home/somebody/agents/other/agent.py --fast"


@pytest.mark.parametrize(
    ("spec", "short"),
    [
        ("baseline", "baseline"),
        ("command:./agent.sh --fast", "agent.sh"),
        (MINE, "agent.py"),
        ("command:python3.11 -u '/home/some body/agent.py' x", "agent.py"),
        ("command:node /home/me/agent/./main.js", "main.js"),
        ("command:python3 -m my.agent", "my.agent"),
        ("command:python3 -c 'print(1)'", "python3"),
        ("command:sh", "sh"),
        ("command:'open", "'open"),
        ("command+trust:/opt/agent", "agent (trusted)"),
        ("openai-compatible:base_url=http://127.0.0.1:1/v1,model=small", "small"),
        ("claude:model=some,effort=high", "claude:model=some,effort=high"),
    ],
)
def test_an_agent_is_called_by_its_file_or_model(spec: str, short: str) -> None:
    assert short_names([spec]) == {spec: short}


def test_no_two_agents_are_called_alike_in_whatever_order_they_come() -> None:
    with_options = "command:python3 /home/somebody/agents/mine/agent.py --slow"
    specs = (OTHER, MINE, with_options, "agent.py", "baseline")
    names = short_names(specs)
    assert len(set(names.values())) == len(specs)
    assert names == short_names(reversed(specs))
    assert names[OTHER] == "other/agent.py"
    assert (names[MINE], names[with_options]) == ("mine/agent.py", "mine/agent.py 2")
    assert names["agent.py"] == "agent.py"


def test_a_voice_after_an_agents_name_stays() -> None:
    shorten = shortener([MINE, "baseline"])
    assert [shorten(f"{MINE}: novice"), shorten("baseline: naive"), shorten("nobody")] == [
        "agent.py: novice",
        "baseline: naive",
        "nobody",
    ]


def test_what_a_short_name_stands_for_is_told() -> None:
    assert told_agents([MINE, "nop"]) == f"agent.py is {MINE}; nop"
    assert whole_names(["nop", MINE]) == [f"agent.py is {MINE}"]


def test_a_report_names_an_agent_whole_once_and_its_records_always(tmp_path) -> None:
    trials = [trial(f"t-{n}", case_id="c-1", agent=agent) for n, agent in enumerate((MINE, OTHER, "baseline"))]
    folder = write_run(tmp_path, trials)
    page = write_report(folder).read_text()
    assert page.count(MINE) == 1
    assert f"<dt>Agents</dt><dd>other/agent.py is {OTHER}" in page or f"mine/agent.py is {MINE}" in page
    assert "mine/agent.py scored" in page
    assert page.count(">mine/agent.py<") >= 3
    for name in ("report.json", "trials.csv", "junit.xml"):
        assert MINE in (folder / name).read_text()
    assert MINE in (folder / "trials" / "t-0.json").read_text()


def test_pages_of_cases_name_agents_as_the_index_does(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("netopsbench.report.write.ON_ONE_PAGE", 1)
    trials = [trial("t-1", case_id="c-1", agent=MINE), trial("t-2", case_id="c-2", agent=OTHER)]
    index = write_report(write_run(tmp_path, trials)).read_text()
    case = (tmp_path / "cases" / "c-1.html").read_text()
    assert "mine/agent.py" in index
    assert "mine/agent.py" in case
    assert MINE not in case


def test_progress_calls_agents_by_their_short_names() -> None:
    trials = [trial("t-1", case_id="c-1", agent=MINE)]
    out = io.StringIO()
    with TrialProgress(run_info(trials).planned, Console(file=out, width=80)) as progress:
        progress.finished(trials[0])
    assert "c-1 agent.py" in out.getvalue()
