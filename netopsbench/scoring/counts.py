"""How many trials a score stands on, and what became of the others."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import get_args

from netopsbench.core.model import Model
from netopsbench.records.run import PlannedTrial
from netopsbench.records.trial import InvalidReason
from netopsbench.scoring.facts import TrialFacts

LATE_INVALID_LIMIT_PCT = 2.0
"""More trials than this lost after the question could be an agent's way to another try."""

CUT_SHORT = frozenset({"killed", "interrupted"})
"""Reasons of earlier tries that lie with the run and neither with the agent nor with the fabric."""

_GATES = frozenset(
    {
        "not_converged",
        "baseline_unhealthy",
        "effect_not_seen",
        "effect_gone_before_answer",
        "healthy_case_disturbed",
        "not_restored",
    }
)
"""Reasons where everything worked, but the network wasn't in the state that the case needs."""


class Counts(Model):
    """Where the planned trials of one agent went.

    planned = valid + invalid + unsupported + unreadable + missing; only `valid` is in denominators.
    """

    planned: int
    valid: int
    """Trials that say something about the agent."""
    scored: int
    """Valid trials with a score: all of them, an agent's failure with 0."""
    agent_failed: int
    """Those of `scored` in which the agent crashed, overran its budget or gave no usable answer."""
    agent_failures: dict[str, int]
    """By `AgentFailure`."""
    invalid: int
    infra_failed: int
    """Those of `invalid` in which something broke; in the others a gate found the wrong network state."""
    invalid_reasons: dict[str, int]
    """By `InvalidReason`."""
    invalid_before_question: int
    invalid_after_question: int
    asked: int
    """Times that the question was handed over, whatever came of it.

    Earlier tries of a trial count too, but for those that were cut short with the run.
    """
    late_invalid: int
    """Those of `asked` after which the try became invalid, whether or not the next one was better."""
    unsupported: int
    """This machine can't make the case's fault."""
    unreadable: int
    missing: int

    @property
    def late_invalid_pct(self) -> float:
        """Share of the asked questions after which the try became invalid, in percent."""
        return 100 * self.late_invalid / self.asked if self.asked else 0.0


def count(
    planned: Sequence[PlannedTrial],
    trials: Sequence[TrialFacts],
    unreadable: Collection[str],
    scored_ids: Collection[str],
) -> Counts:
    """Counts of one agent's planned trials; `trials` are those of them that were read."""
    valid = [trial for trial in trials if trial.end == "scored"]
    invalid = [trial for trial in trials if trial.end == "invalid"]
    failures = Counter(trial.error.reason for trial in valid if trial.error is not None and trial.error.side == "agent")
    reasons = Counter(_invalid_reason(trial) for trial in invalid)
    late = sum(trial.was_question_asked for trial in invalid)
    retried = sum(
        attempt.was_question_asked and attempt.reason not in CUT_SHORT for trial in trials for attempt in trial.earlier
    )
    broken = sum(plan.trial_id in unreadable for plan in planned)
    return Counts(
        planned=len(planned),
        valid=len(valid),
        scored=sum(trial.trial_id in scored_ids for trial in valid),
        agent_failed=failures.total(),
        agent_failures=dict(sorted(failures.items())),
        invalid=len(invalid),
        infra_failed=sum(amount for reason, amount in reasons.items() if reason not in _GATES),
        invalid_reasons=dict(sorted(reasons.items())),
        invalid_before_question=len(invalid) - late,
        invalid_after_question=late,
        asked=sum(trial.was_question_asked for trial in trials) + retried,
        late_invalid=late + retried,
        unsupported=sum(trial.end == "unsupported" for trial in trials),
        unreadable=broken,
        missing=len(planned) - len(trials) - broken,
    )


def _invalid_reason(trial: TrialFacts) -> str:
    known = get_args(InvalidReason)
    reason = trial.error.reason if trial.error is not None else ""
    return reason if reason in known else "internal_error"
