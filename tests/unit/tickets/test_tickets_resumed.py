"""A run of tickets that was cut short: what is over stays, what is missing is given, and changes are told."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign import ticket_run as given
from netopsbench.campaign.ticket_folder import TicketFolder
from netopsbench.campaign.ticket_trial import TicketTerms, run_ticket
from netopsbench.cli import ticket_run as command
from netopsbench.cli.main import app
from netopsbench.core.errors import InfraError
from netopsbench.fabric.native.software import Software
from netopsbench.records.answers import Answer, Budget
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import score_ticket
from netopsbench.tickets.question import read_answer
from netopsbench.tickets.record import TicketTrial

IDS = ("pc1-wrong-gateway", "false-premise-bgp-down")
SOFTWARE = Software(
    root=None, frr_version="8.4", bwrap=Path("/usr/bin/bwrap"), frr_daemons_dir="/usr/lib/frr", has_mgmtd=False
)


class Trials:
    """Stands in for trials: everybody finds every lab healthy, and the user ends the run after some of them."""

    def __init__(self) -> None:
        self.until_interrupted = 1000
        self.given: list[tuple[str, str]] = []

    def __call__(self, ticket: Ticket, agent: str, *_: object) -> TicketTrial:
        if len(self.given) == self.until_interrupted:
            raise KeyboardInterrupt
        self.given.append((ticket.id, agent))
        answer = Answer(verdict="network_healthy")
        return TicketTrial(
            ticket_id=ticket.id,
            agent=agent,
            ticket_class=ticket.ticket_class,
            persona=ticket.persona,
            text=ticket.text,
            end="scored",
            score=score_ticket(ticket, read_answer(answer, []), agent, None),
            answer=answer,
        )


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> Trials:
    fake = Trials()
    monkeypatch.setattr(given, "run_ticket", fake)
    monkeypatch.setattr(command, "fetch_software", lambda _: SOFTWARE)
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "same")
    return fake


def said_by(*words: str) -> tuple[int, str]:
    """Exit code and words of a command."""
    done = CliRunner().invoke(app, words)
    return done.exit_code, " ".join((done.output + done.stderr).split())


def run(folder: Path) -> tuple[int, str]:
    only = [word for name in IDS for word in ("--only", name)]
    agents = ("--agent", "nop", "--agent", "oracle")
    return said_by("tickets", "run", "simple_bgp", *agents, *only, "--out", str(folder))


def cut_short(folder: Path, trials: Trials, after: int = 1) -> str:
    """What is said when the user ends a run after some trials; nothing ends the next one."""
    trials.until_interrupted = after
    code, said = run(folder)
    assert code == 130, said
    trials.until_interrupted = 1000
    trials.given.clear()
    return said


def whole(folder: Path) -> list[TicketTrial]:
    return [TicketTrial.model_validate_json(path.read_bytes()) for path in sorted((folder / "trials").iterdir())]


def test_an_interruption_leaves_a_report_and_says_how_far_the_run_came_and_how_to_go_on(
    tmp_path: Path, trials: Trials
) -> None:
    folder = tmp_path / "run"
    said = cut_short(folder, trials)
    assert f"1 of 4 trials are over and saved, report: {folder}/report.html" in said
    assert f"go on with: netopsbench tickets resume {folder}" in said
    assert "The run has not ended: 1 of 4 trials are there." in (folder / "report.html").read_text()


@pytest.mark.parametrize("after", [0, 3])
def test_a_resumed_run_gives_what_is_missing_and_equals_an_undisturbed_one(
    tmp_path: Path, trials: Trials, after: int
) -> None:
    assert run(tmp_path / "undisturbed")[0] == 0
    order = list(trials.given)
    trials.given.clear()
    folder = tmp_path / "run"
    cut_short(folder, trials, after)
    code, said = said_by("tickets", "resume", str(folder))
    assert code == 0, said
    assert trials.given == order[after:]
    assert whole(folder) == whole(tmp_path / "undisturbed")
    told = TicketFolder(folder).run()
    assert told.finished_ns is not None
    assert len(told.conditions.sittings) == 2
    assert told.conditions.versions["FRR"] == "8.4"


def test_a_change_is_refused_by_name_until_it_is_accepted_and_then_told_in_the_report(
    tmp_path: Path, trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    cut_short(folder, trials)
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "another")
    for name, value in (("ENABLED", "1"), ("URL", "http://127.0.0.1:1/v1"), ("MODEL", "some")):
        monkeypatch.setenv(f"NETOPSBENCH_TICKET_JUDGE_{name}", value)
    code, said = said_by("tickets", "resume", str(folder))
    assert code == 2
    assert "code was same, now it is another" in said
    assert "judge was not there" in said
    assert trials.given == []
    assert said_by("tickets", "resume", str(folder), "--accept-changes")[0] == 0
    assert len(trials.given) == 3
    assert (
        "Accepted when the run was resumed: code was same, now it is another." in (folder / "report.html").read_text()
    )


def test_a_folder_that_holds_a_run_takes_no_other_and_says_who_goes_on_with_it(tmp_path: Path, trials: Trials) -> None:
    assert run(tmp_path / "run")[0] == 0
    code, said = run(tmp_path / "run")
    assert code == 2
    assert "`netopsbench tickets resume` goes on with it" in said
    code, said = said_by("benchmark", "resume", str(tmp_path / "run"))
    assert code == 2
    assert "netopsbench tickets resume" in said


def test_a_folder_of_no_run_is_told(tmp_path: Path) -> None:
    code, said = said_by("tickets", "resume", str(tmp_path))
    assert code == 2
    assert "a run of tickets that can go on holds tickets.json and plan.json" in said


def test_a_lab_that_failed_because_the_user_ended_it_makes_no_invalid_trial(trials: Trials) -> None:
    class Ended:
        def findings(self) -> list[str]:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt:
                raise InfraError("fabric_died", "nothing answers") from None

        def discard(self) -> None:
            pass

    terms = TicketTerms(budget=Budget(wall_time_s=5, tool_calls=5))
    with pytest.raises(KeyboardInterrupt):
        run_ticket(_any(), "nop", trials, Ended(), terms)


def _any() -> Ticket:
    return next(iter(command.plan_tickets(command.TicketSource(scenarios="simple_bgp"), print).tickets))
