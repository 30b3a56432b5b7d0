"""A run of tickets in its folder: begun, carried out trial by trial, and gone on with after it was cut short.

`plan.json` and then `tickets.json` come first; a trial that is over lies whole in `trials/`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from netopsbench.campaign.conditions import conditions_now, sat_down, sat_down_again
from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.plan import examined_with
from netopsbench.campaign.ticket_plan import fingerprint_of, lab_of, plan_tickets
from netopsbench.campaign.ticket_run import run_tickets
from netopsbench.campaign.ticket_trial import TicketTerms
from netopsbench.core.clock import now_ns
from netopsbench.core.files import write_atomic
from netopsbench.core.kept import Kept, read_kept
from netopsbench.records.run import PLAN, TICKETS, TRIALS
from netopsbench.tickets.record import TicketPlan, TicketRun, TicketTrial
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tickets.text_judge import judge_settings


class TicketFolder:
    """The folder of a run of tickets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._trials = Kept(path / TRIALS, TicketTrial)

    def begin(
        self, plan: TicketPlan, agents: Sequence[str], terms: TicketTerms, versions: Mapping[str, str]
    ) -> TicketRun:
        """Make it the folder of a run. Raises SpecError when none can begin there."""
        RunFolder(self.path).check_free()
        lab, names = lab_of(plan), tuple(dict.fromkeys(agents))
        known = conditions_now(names, fingerprint_of(plan, terms.judge), versions)
        run = TicketRun(
            run_id=self.path.name,
            lab=lab.name,
            lab_digest=lab.digest,
            tools=terms.tools,
            budget=terms.budget,
            agents=names,
            tickets=len(plan.tickets),
            started_ns=now_ns(),
            judge=terms.judge,
            conditions=sat_down(known),
        )
        write_atomic(self.path / PLAN, plan.model_dump_json())
        self._save(run)
        return run

    def go_on(self, environment: Mapping[str, str], *, accept_changes: bool) -> TicketRun:
        """The run once more, with what was changed since, if that is accepted.

        Raises SpecError for a folder of no run, and for changes that aren't accepted.
        """
        plan, run = self.plan(), self.run()

        def now() -> dict[str, str]:
            asked = fingerprint_of(plan_tickets(plan.source, lambda _: None), judge_settings(environment))
            return {**examined_with(run.agents), **asked}

        conditions = run.conditions
        if self.left(plan, run):
            conditions = sat_down_again(self.path, conditions, now, accept_changes=accept_changes)
        again = run.model_copy(update={"conditions": conditions})
        RunFolder(self.path).tidy()
        self._save(again)
        return again

    def give(self, plan: TicketPlan, run: TicketRun, lab: StandingLab) -> Iterator[TicketTrial]:
        """Every ticket to every agent that had it not; each trial is kept before it is handed on."""
        terms = TicketTerms(budget=run.budget, tools=run.tools, judge=run.judge)
        for ticket in plan.tickets:
            for trial in run_tickets([ticket], self._trials.left(ticket.id, run.agents), lab, terms):
                self._trials.save(ticket.id, trial.agent, trial)
                yield trial
        self._save(run.model_copy(update={"finished_ns": run.finished_ns or now_ns()}))

    def left(self, plan: TicketPlan, run: TicketRun) -> int:
        """How many trials aren't over."""
        return sum(len(self._trials.left(ticket.id, run.agents)) for ticket in plan.tickets)

    def plan(self) -> TicketPlan:
        """Raises SpecError when the folder isn't that of a run of tickets that can go on."""
        return read_kept(self.path / PLAN, TicketPlan, f"a run of tickets that can go on holds {TICKETS} and {PLAN}")

    def run(self) -> TicketRun:
        """Raises SpecError when the folder isn't that of a run of tickets."""
        return read_kept(self.path / TICKETS, TicketRun, f"the folder of a run of tickets holds {TICKETS}")

    def _save(self, run: TicketRun) -> None:
        write_atomic(self.path / TICKETS, run.model_dump_json(indent=1))
