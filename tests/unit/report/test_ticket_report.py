"""A run of tickets as a page and as figures: classes, voices, over-diagnosis, timeouts, and what was changed."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.core.kept import kept_name
from netopsbench.records.answers import Answer, Budget, Finding, Location
from netopsbench.records.trial import ToolCall, TrialError
from netopsbench.records.usage import Usage
from netopsbench.report.tickets import write_ticket_report
from netopsbench.scoring.judge import JudgeSettings
from netopsbench.tickets.axes import Identifies, Says
from netopsbench.tickets.fixing import FixResult
from netopsbench.tickets.model import Check, Command, InjectedFault, Persona, Ticket, TicketClass
from netopsbench.tickets.outcome import TicketScore, score_ticket
from netopsbench.tickets.question import read_answer
from netopsbench.tickets.record import Changes, TicketPlan, TicketRun, TicketSource, TicketTrial
from netopsbench.tickets.text_judge import JudgedText

PLANTED = "<script>alert(1)</script>"
JUDGE = JudgeSettings(url="http://127.0.0.1:1/v1", model="some-judge", times=1)


class Seen(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.hrefs += [found["href"] or ""] if "href" in found else []
        self.ids += [found["id"] or ""] if "id" in found else []

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


def trial(
    name: str,
    agent: str = "a",
    ticket_class: TicketClass = "correct-fault",
    persona: Persona = "standard",
    is_anomaly: bool | None = True,
    **more: object,
) -> TicketTrial:
    """A scored trial; without a verdict it is a timeout."""
    is_answered = is_anomaly is not None
    is_right = is_answered and is_anomaly == (ticket_class != "false-premise")
    score = TicketScore(
        ticket_id=name,
        agent=agent,
        lab="shop",
        ticket_class=ticket_class,
        persona=persona,
        parent=name.removesuffix(f"-{persona}"),
        is_answered=is_answered,
        outcome=float(is_right),
        outcome_published=float(is_right),
        is_anomaly=is_anomaly,
    )
    given = {"end": "scored", "score": score, **more}
    return TicketTrial(
        ticket_id=name, agent=agent, ticket_class=ticket_class, persona=persona, text="It is broken.", **given
    )


TRIALS = (
    trial("t1"),
    trial("t2", is_anomaly=None, error=TrialError(side="agent", reason="wall_time_exceeded", message="not finished")),
    trial("p1", ticket_class="false-premise"),
    trial("p2", ticket_class="false-premise", is_anomaly=False),
    trial("p1-novice", ticket_class="false-premise", persona="novice"),
    trial("p2-novice", ticket_class="false-premise", persona="novice"),
)


def write_run(folder: Path, *trials: TicketTrial, **more: object) -> Path:
    run = TicketRun(
        run_id="r1",
        lab="shop",
        lab_digest="d",
        tools="own",
        budget=Budget(wall_time_s=60, tool_calls=10, turns=20),
        agents=("a", "b"),
        tickets=4,
        started_ns=1,
        finished_ns=2,
    ).model_copy(update=more)
    (folder / "trials").mkdir()
    (folder / "tickets.json").write_text(run.model_dump_json())
    for each in trials:
        (folder / "trials" / kept_name(each.ticket_id, each.agent)).write_text(each.model_dump_json())
    return folder


def test_figures_are_told_over_answers_and_with_timeouts_as_nothing(tmp_path: Path) -> None:
    write_ticket_report(write_run(tmp_path, *TRIALS))
    summary = json.loads((tmp_path / "report.json").read_text())["summary"]
    by_class = {row["group"]: row["figures"] for row in summary["by_class"]}
    of_faults = by_class["correct-fault"]
    assert (of_faults["outcome"], of_faults["outcome_with_timeouts"], of_faults["timeouts"]) == (1.0, 0.5, 1)
    assert by_class["false-premise"]["over_diagnosis"] == 0.5
    assert [row["group"] for row in summary["by_persona"]] == ["standard", "novice"]
    assert summary["contrasts"][0]["cases"] == 2


def test_the_page_leads_only_to_places_that_are_there_and_runs_nobodys_script(tmp_path: Path) -> None:
    planted = Changes(configuration=(f"r1: + description {PLANTED}",), commands=(f"exec_shell r1 {PLANTED}",))
    page = write_ticket_report(write_run(tmp_path, *TRIALS, trial("t3", changes=planted)))
    text = page.read_text()
    seen = Seen(text)
    assert {href.removeprefix("#") for href in seen.hrefs if href.startswith("#")} <= set(seen.ids)
    assert all((tmp_path / href).is_file() for href in seen.hrefs if not href.startswith("#"))
    assert len(seen.ids) == len(set(seen.ids))
    assert PLANTED not in text
    assert any(PLANTED in words for words in seen.words)


def test_what_agents_changed_is_shown_and_what_they_only_looked_at_is_counted(tmp_path: Path) -> None:
    fix = FixResult(score=0.5, findings=("r2 is down",), commands=("r1: on", "r2: off"), harm="disturbed")
    changed = trial("t3", fix=fix, changes=Changes(restarted=("r1: frr/bgpd restarted",)))
    looked = trial("t4", changes=Changes(commands=("exec_shell r1 ip addr",)))
    words = Seen(write_ticket_report(write_run(tmp_path, changed, looked)).read_text()).words
    for wanted in ("r1: frr/bgpd restarted", "r2: off", "lab disturbed", "r2 is down"):
        assert wanted in words
    assert any(each.startswith("In 1 further trial tools that may write") for each in words)


def test_invalid_trials_and_runs_cut_short_are_told_first(tmp_path: Path) -> None:
    error = TrialError(side="infra", reason="effect_not_seen", message="after 30 s")
    broken = TicketTrial(
        ticket_id="t9", agent="b", ticket_class="wrong-cause", persona="standard", text="?", end="invalid", error=error
    )
    words = Seen(write_ticket_report(write_run(tmp_path, TRIALS[0], broken, finished_ns=None)).read_text()).words
    assert "The run has not ended: 2 of 8 trials are there." in words
    assert "1 trial is invalid and in no figure: the lab wasn't as the ticket says." in words
    assert "effect_not_seen: after 30 s" in words


def test_a_judge_and_its_cost_are_told(tmp_path: Path) -> None:
    opinions = (
        JudgedText(slug="x", is_met=True, usage=Usage(cost_usd=0.25)),
        JudgedText(slug="y", is_met=False, why="no judgement: gone"),
    )
    folder = write_run(tmp_path, trial("t1", judged=opinions), judge=JUDGE)
    words = " ".join(Seen(write_ticket_report(folder).read_text()).words)
    assert "some-judge, asked 2 times, 1 without a usable opinion, which counts as no; cost unknown" in words
    assert json.loads((folder / "report.json").read_text())["judge"]["failed"] == 1


def test_a_run_without_trials_says_nothing_about_anybody(tmp_path: Path) -> None:
    words = Seen(write_ticket_report(write_run(tmp_path)).read_text()).words
    assert "No ticket could be scored, so this run says nothing about any agent." in words


@pytest.mark.parametrize("content", [None, "{}"])
def test_a_folder_that_is_no_run_of_tickets_is_named(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "tickets.json").write_text(content)
    with pytest.raises(SpecError, match=r"holds tickets\.json and trials/"):
        write_ticket_report(tmp_path)


def test_the_same_trials_give_the_same_bytes(tmp_path: Path) -> None:
    write_run(tmp_path, *TRIALS)
    first = write_ticket_report(tmp_path).read_bytes()
    assert write_ticket_report(tmp_path).read_bytes() == first


def test_why_a_fix_is_not_worth_everything_is_told_beside_its_figure(tmp_path: Path) -> None:
    why = "on r1, `look` still shows “down”"
    failed = trial("t3", fix=FixResult(score=0.0, why=why, findings=("r1 is down",)))
    healthy = trial(
        "p3", ticket_class="false-premise", fix=FixResult(score=None, why="nothing was broken", findings=())
    )
    page = write_ticket_report(write_run(tmp_path, failed, healthy))
    assert Seen(page.read_text()).words.count(why) == 1
    rows = {row["ticket_id"]: row["fix_why"] for row in json.loads((tmp_path / "report.json").read_text())["rows"]}
    assert rows == {"t3": why, "p3": "nothing was broken"}


TICKET = Ticket(
    id="shop-1",
    lab="shop",
    ticket_class="wrong-device",
    text="r2 is broken, nobody can buy anything.",
    fault=InjectedFault(
        family="link",
        devices=("r1",),
        cause="its uplink is off",
        inject=(Command(on="r1", run="off"),),
        fix=(Command(on="r1", run="on"),),
        fixed=(Check(on="r1", run="ping", expect="0% loss"),),
    ),
    blamed=("r2",),
    axes=(Identifies(device="r1"), Says(pool="bonus", slug="uplink", text="the uplink is off", words=(("uplink",),))),
)


def answered(agent: str) -> TicketTrial:
    """The trial of an agent that blames the wrong device and gives the right reason."""
    finding = Finding(fault_type="off", location=Location(device="r2"))
    answer = Answer(verdict="fault_detected", findings=(finding,), reasoning="The uplink is off.")
    return TicketTrial(
        ticket_id=TICKET.id,
        agent=agent,
        ticket_class=TICKET.ticket_class,
        persona="standard",
        text=TICKET.text,
        end="scored",
        score=score_ticket(TICKET, read_answer(answer, ()), agent, fix=0.0),
        answer=answer,
        fix=FixResult(score=0.0, why="no", findings=(), commands=("r2: reboot",), failed=("r2: reboot",)),
        calls=(
            ToolCall(
                tool="exec_shell",
                arguments={"device": "r2", "command": "ip link"},
                started_ns=1,
                elapsed_s=0.1,
                is_error=False,
                result="{}",
            ),
        ),
    )


def test_a_trial_tells_the_ticket_the_answer_and_the_key(tmp_path: Path) -> None:
    write_run(tmp_path, answered("a"))
    plan = TicketPlan(source=TicketSource(scenarios="shop"), lab="shop", tickets=(TICKET,))
    (tmp_path / "plan.json").write_text(plan.model_dump_json())
    words = Seen(write_ticket_report(tmp_path).read_text()).words
    for wanted in (
        TICKET.text,
        "something is broken: r2",
        "something is broken: r1",
        "its uplink is off",
        "The ticket blames, wrongly: r2.",
        "must",
        "The answer names r1",
        "(devices: r2)",
        "Diagnosis: the uplink is off",
        "on r1, `ping` shows no packet loss",
        "r1: on",
        "r2: reboot",
        "exec_shell device=r2, command=ip link",
    ):
        assert wanted in words
    assert (words.count("met"), words.count("not met"), words.count("failed")) == (1, 1, 1)


def test_without_a_plan_the_page_says_that_there_is_no_key(tmp_path: Path) -> None:
    words = Seen(write_ticket_report(write_run(tmp_path, answered("a"))).read_text()).words
    assert "The run's plan, which holds the keys, isn't in this folder." in words
    assert "its uplink is off" not in words


def test_an_agent_has_a_short_name_in_tables_of_tickets(tmp_path: Path) -> None:
    spec = "command:python3 /home/somebody/agent.py"
    page = write_ticket_report(write_run(tmp_path, answered(spec), agents=(spec,)))
    assert page.read_text().count(spec) == 1
    assert f"agent.py is {spec}" in page.read_text()
    assert "agent.py scored 0.30 of 1 on 1 ticket." in Seen(page.read_text()).words
    assert json.loads((tmp_path / "report.json").read_text())["rows"][0]["agent"] == spec
