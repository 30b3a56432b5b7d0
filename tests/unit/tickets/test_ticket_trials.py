"""A ticket from the healthy lab to the score: whatever an agent does is a recorded outcome."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ticket_files import broken, false_premise

from netopsbench.agent.run import Examination
from netopsbench.campaign import ticket_trial
from netopsbench.campaign.ticket_trial import TicketTerms, run_ticket
from netopsbench.core.errors import InfraError
from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Answer, Budget, Finding, Location, Question
from netopsbench.records.trial import ToolCall
from netopsbench.tickets.fixing import NO_CHECK
from netopsbench.tickets.model import Check, Command, Ticket
from netopsbench.tickets.record import TicketTrial, row_of

TERMS = TicketTerms(budget=Budget(wall_time_s=5, tool_calls=5))
Work = Callable[["SwitchLab"], None]


class SwitchLab:
    """Devices of simple_bgp with a switch each; `on` and `off` turn it, `explode` takes the whole lab away."""

    def __init__(self) -> None:
        self.plan = plan_fabric(load_spec("simple_bgp"))
        self.fabric = self
        self.off: set[str] = set()
        self.daemons: dict[str, int] = {}
        self.settings: dict[str, str] = {}
        self.is_there = True
        self.is_stubborn = False
        self.failures = 0
        """How many inspections fail, as on a machine that is too busy."""
        self.discarded = 0
        self.usual = ()

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        if not self.is_there:
            raise InfraError("fabric_died", "nothing answers")
        line, printed = argv[-1], ""
        if line == "explode":
            self.is_there = False
        elif line in ("on", "off"):
            (self.off.discard if line == "on" else self.off.add)(node)
        elif line == "restart":
            self.daemons[node] = self.daemons.get(node, 1) + 1
        elif line == "look":
            printed = "down" if node in self.off else "up"
        elif "running-config" in line:
            printed = (
                f"/run/frr/bgpd.pid {self.daemons.get(node, 1)}\n==\nhostname {node}\n{self.settings.get(node, '')}"
            )
        elif "shim" not in line and "write memory" not in line:
            return Completed(tuple(argv), 0 if "operation" in line else 127, "", "")
        return Completed(tuple(argv), 0, printed, "")

    def findings(self) -> list[str]:
        if not self.is_there or self.failures:
            self.failures = max(0, self.failures - 1)
            raise InfraError("fabric_died", "nothing answers")
        return [f"{node} is down" for node in sorted(self.off)]

    def is_well(self) -> bool:
        return not self.findings()

    def discard(self) -> None:
        self.discarded += 1
        self.off.clear()
        if self.is_stubborn:
            raise InfraError("deploy_failed", "processes did not end")


def ticket() -> Ticket:
    """router1 is switched off."""
    found = broken("broken", culprit="router1")
    assert found.fault is not None
    fault = found.fault.model_copy(
        update={
            "inject": (Command(on="router1", run="off"),),
            "effect": (Check(on="router1", run="look", expect="down"),),
            "fix": (Command(on="router1", run="on"),),
            "fixed": (Check(on="router1", run="look", expect="up"),),
        }
    )
    return found.model_copy(update={"fault": fault})


def answer(*fix: tuple[str, str], verdict: str = "fault_detected") -> Answer:
    finding = Finding(fault_type="switched off", location=Location(device="router1"))
    commands = [{"on": on, "run": run} for on, run in fix]
    findings = (finding,) if verdict == "fault_detected" else ()
    return Answer.model_validate({"verdict": verdict, "findings": findings, "metadata": {"fix": commands}})


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Callable[..., TicketTrial]:
    """Runs a ticket with an agent that works on the lab as told and then answers."""
    monkeypatch.setattr(ticket_trial, "SETTLE_S", 0.0)
    monkeypatch.setattr(ticket_trial, "_SECOND_LOOK_S", 0.0)
    monkeypatch.setattr("netopsbench.tickets.unrest.MOST_UPTIME_S", 0.0)

    def run(
        of: Ticket,
        told: Answer | None,
        lab: SwitchLab,
        work: Work | None = None,
        agent: str = "somebody",
        **failure: Any,
    ) -> TicketTrial:
        def ask(*_: object) -> tuple[Examination, tuple[ToolCall, ...]]:
            calls = []
            if work is not None:
                work(lab)
                arguments = {"device": "router1", "command": "whatever"}
                calls.append(
                    ToolCall(
                        tool="exec_shell", arguments=arguments, started_ns=1, elapsed_s=0.1, is_error=False, result="{}"
                    )
                )
            outcome = {"failure": None, "message": "", **failure}
            return Examination(answer=told, stderr="", elapsed_s=1, **outcome), tuple(calls)

        monkeypatch.setattr(ticket_trial, "ask_on", ask)
        return run_ticket(of, agent, _nobody, lab, TERMS)  # type: ignore[arg-type]

    return run


def _nobody(question: Question, socket: Path) -> Examination:
    raise AssertionError("asked through the fake")


def test_a_good_answer_and_fix_are_worth_everything(tried: Callable[..., TicketTrial]) -> None:
    lab = SwitchLab()
    trial = tried(ticket(), answer(("router1", "on")), lab)
    assert trial.score is not None
    assert (trial.score.outcome, trial.score.fix, trial.changes.is_visible) == (1.0, 1.0, False)
    assert (lab.off, lab.discarded) == (set(), 0)


@pytest.mark.parametrize(("agent", "score"), [("oracle", None), ("somebody", 0.0)])
def test_the_truth_of_a_ticket_without_a_remedy_gets_no_figure_for_its_fix(
    agent: str, score: float | None, tried: Callable[..., TicketTrial]
) -> None:
    imported = ticket()
    assert imported.fault is not None
    imported = imported.model_copy(update={"fault": imported.fault.model_copy(update={"fix": (), "fixed": ()})})
    trial = tried(imported, answer(), SwitchLab(), agent=agent)
    assert trial.score is not None
    assert trial.fix is not None
    assert (trial.score.outcome, trial.score.fix) == (1.0, score)
    assert ("imported tickets have no commands" in trial.fix.why) == (agent == "oracle")
    assert row_of(trial).fix_why == trial.fix.why != ""


@pytest.mark.parametrize(
    ("effect", "fix", "score", "why"),
    [
        (("down", "control"), [("router1", "on")], 1.0, "the fault is gone, and the lab is healthy"),
        (("down", "control"), [], 0.0, "no commands were proposed; on router1, `look` still shows “down”"),
        (("control",), [("router1", "on")], None, NO_CHECK),
    ],
)
def test_a_check_that_holds_before_the_fault_too_decides_nothing_about_a_fix(
    effect: tuple[str, ...],
    fix: list[tuple[str, str]],
    score: float | None,
    why: str,
    tried: Callable[..., TicketTrial],
) -> None:
    checks = {
        "down": Check(on="router1", run="look", expect="down"),
        "control": Check(on="router2", run="look", expect="up"),
    }
    imported = ticket()
    assert imported.fault is not None
    fault = imported.fault.model_copy(update={"effect": tuple(checks[name] for name in effect), "fix": (), "fixed": ()})
    trial = tried(imported.model_copy(update={"fault": fault}), answer(*fix), SwitchLab())
    assert trial.fix is not None
    assert (trial.end, trial.fix.score, trial.fix.why) == ("scored", score, why)


def test_an_agent_that_breaks_a_healthy_lab_is_recorded_and_the_lab_mended(tried: Callable[..., TicketTrial]) -> None:
    lab = SwitchLab()
    trial = tried(false_premise(), answer(verdict="network_healthy"), lab, lambda lab: lab.off.add("router2"))
    assert trial.score is not None
    assert trial.fix is not None
    assert trial.changes.findings == ("new: router2 is down",)
    assert (trial.score.outcome, trial.score.fix, trial.fix.harm) == (1.0, 0.0, "disturbed")
    assert lab.discarded == 1


def test_a_destructive_fix_repairs_the_fault_for_half(tried: Callable[..., TicketTrial]) -> None:
    trial = tried(ticket(), answer(("router1", "on"), ("router2", "off")), SwitchLab())
    assert trial.fix is not None
    assert (trial.fix.score, trial.fix.harm, trial.fix.findings) == (0.5, "disturbed", ("router2 is down",))
    assert trial.fix.commands == ("router1: on", "router2: off")


def test_a_lab_that_an_agent_takes_away_is_that_agents_doing(tried: Callable[..., TicketTrial]) -> None:
    lab = SwitchLab()
    trial = tried(ticket(), answer(("router1", "explode")), lab)
    assert trial.score is not None
    assert trial.fix is not None
    assert (trial.end, trial.score.fix, trial.fix.harm) == ("scored", 0.0, "destroyed")
    assert "nothing answers" in trial.fix.findings[0]
    assert lab.discarded == 1


def test_an_inspection_that_fails_once_is_the_machines_doing(tried: Callable[..., TicketTrial]) -> None:
    def look_around(lab: SwitchLab) -> None:
        lab.failures = 1

    trial = tried(false_premise(), answer(verdict="network_healthy"), SwitchLab(), look_around)
    assert (trial.end, trial.error and trial.error.side) == ("invalid", "infra")


def test_a_lab_that_does_not_end_in_time_changes_no_outcome(tried: Callable[..., TicketTrial]) -> None:
    lab = SwitchLab()
    lab.is_stubborn = True
    trial = tried(false_premise(), answer(verdict="network_healthy"), lab, lambda lab: lab.off.add("router2"))
    assert trial.score is not None
    assert (trial.end, trial.score.fix, lab.discarded) == ("scored", 0.0, 1)


def test_a_lab_that_dies_untouched_is_nobodys_doing(tried: Callable[..., TicketTrial]) -> None:
    lab = SwitchLab()
    trial = tried(false_premise(), None, lab, failure="crashed")
    assert trial.end == "scored"
    lab.is_there = False
    again = tried(false_premise(), None, lab)
    assert again.end == "invalid"
    assert again.error is not None
    assert (again.error.side, again.error.reason) == ("infra", "fabric_died")


def test_restarting_everything_is_seen_though_all_is_well_again(tried: Callable[..., TicketTrial]) -> None:
    def restart_all(lab: SwitchLab) -> None:
        for node in lab.plan.nodes:
            lab.exec(node.name, ["restart"])

    trial = tried(false_premise(), answer(verdict="network_healthy"), SwitchLab(), restart_all)
    assert trial.score is not None
    assert trial.score.fix is None
    assert "router1: frr/bgpd restarted" in trial.changes.restarted
    assert len(trial.changes.restarted) == 4
    assert trial.changes.commands == ("exec_shell router1 whatever",)


def test_settings_that_came_and_went_are_told(tried: Callable[..., TicketTrial]) -> None:
    def configure(lab: SwitchLab) -> None:
        lab.settings["router2"] = " ip route 10.0.0.0/8 Null0\n"

    lab = SwitchLab()
    trial = tried(false_premise(), answer(verdict="network_healthy"), lab, configure)
    assert trial.changes.configuration == ("router2: + ip route 10.0.0.0/8 Null0",)
    assert lab.discarded == 1, "the next agent would find it"


@pytest.mark.parametrize("reason", ["wall_time_exceeded", "tool_calls_exceeded", "malformed_answer", "crashed"])
def test_an_agent_without_a_usable_answer_is_a_timeout(reason: str, tried: Callable[..., TicketTrial]) -> None:
    trial = tried(ticket(), None, SwitchLab(), failure=reason, message="why")
    assert trial.score is not None
    assert trial.error is not None
    assert (trial.score.is_answered, trial.score.outcome, trial.error.reason) == (False, 0.0, reason)


def test_a_fault_that_does_not_take_makes_the_trial_invalid(tried: Callable[..., TicketTrial]) -> None:
    unbroken = ticket()
    assert unbroken.fault is not None
    idle = unbroken.fault.model_copy(update={"inject": (Command(on="router1", run="on"),)})
    trial = tried(unbroken.model_copy(update={"fault": idle}), answer(), SwitchLab())
    assert (trial.end, trial.error and trial.error.reason) == ("invalid", "effect_not_seen")


def test_a_lab_that_is_broken_before_makes_the_trial_invalid(tried: Callable[..., TicketTrial]) -> None:
    lab = SwitchLab()
    lab.off.add("router2")
    trial = tried(ticket(), answer(), lab)
    assert (trial.end, trial.error and trial.error.reason) == ("invalid", "baseline_unhealthy")
