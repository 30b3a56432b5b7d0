"""Everything that a run will do, before it does anything."""

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from netopsbench.campaign.cases import Cases, Timing, load_cases, plans_of
from netopsbench.campaign.contestants import check_names, prices_of, program_digest, settings_of
from netopsbench.campaign.limits import Limits, check_limits
from netopsbench.core.clock import now_ns
from netopsbench.core.model import Model
from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.scenario.prepare import fresh_seed

_PACKAGE = Path(__file__).parents[1]
_AFTER_THE_TRIALS = ("cli", "report", "scoring")
"""Parts of the package that can change nothing of a trial: they can be run again on the records."""


class RunRequest(Model):
    """What the user asks of a run."""

    source: str
    """A campaign by name or path, or a folder of scenario files."""
    agents: tuple[str, ...] = Field(min_length=1)
    repeat: int = Field(default=1, ge=1)
    """How often each agent gets each case."""
    timing: Timing | None = None
    """Pace of the collectors; None for the campaign's own."""
    seed: int | Literal["secret"] | None = None
    """Draws the cases anew; `secret` takes a fresh seed that nobody knows before the run has ended."""
    cases: tuple[str, ...] = ()
    """Ids of the cases to run; all when empty."""
    record: bool = False
    """Whether each case is recorded, so that it can be replayed."""
    budget: Limits = Limits()
    """Limits instead of the campaign's."""


class RunPlan(Model):
    """A run that can be carried out."""

    request: RunRequest
    seed: int | None
    """The seed that the cases were drawn with, also when it is secret."""
    cases: Cases
    info: RunInfo


def plan_run(request: RunRequest, seed: int | None = None) -> RunPlan:
    """The plan of a run; `seed` is the one that a secret request has drawn before.

    Raises SpecError for unknown agents and cases, and for a campaign that doesn't fit its fabrics.
    """
    check_names(request.agents)
    is_secret = request.seed == "secret"
    if is_secret and seed is None:
        seed = fresh_seed()
    elif not is_secret:
        seed = request.seed if isinstance(request.seed, int) else None
    cases = load_cases(request.source, seed=seed, timing=request.timing, only=request.cases)
    cases = cases.model_copy(update={"budget": request.budget.over(cases.budget)})
    check_limits(request.agents, cases.budget)
    # A folder may have been prepared with a secret seed before.
    hashed = seed_hash(seed) if is_secret and seed is not None else cases.seed_sha256
    info = RunInfo(
        run_id=uuid.uuid4().hex[:12],
        campaign=cases.name,
        fabrics=cases.fabrics,
        agents=tuple(dict.fromkeys(request.agents)),
        budget=cases.budget,
        has_shell=cases.has_shell,
        has_command_lines=cases.has_command_lines,
        prices=prices_of(request.agents),
        seed_kind="headline" if hashed else "practice",
        seed_sha256=hashed,
        seed=None if hashed else cases.seed,
        started_ns=now_ns(),
        planned=tuple(_planned(request, cases)),
        fingerprint=_fingerprint(request, cases),
    )
    return RunPlan(request=request, seed=cases.seed, cases=cases, info=info)


def seed_hash(seed: int) -> str:
    """What is told of a secret seed before the run: SHA-256 of its decimal digits."""
    return hashlib.sha256(str(seed).encode()).hexdigest()


def changes_since(plan: RunPlan) -> tuple[str, ...]:
    """What a run depends on and is not any more as it was when `plan` was made, as sentences."""
    return changes_between(plan.info.fingerprint, plan_run(plan.request, plan.seed).info.fingerprint)


def changes_between(planned: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """What differs between two fingerprints, as sentences."""
    return tuple(
        f"{name} was {planned.get(name, 'not there')}, now it is {now.get(name, 'not there')}"
        for name in sorted(planned.keys() | now.keys())
        if planned.get(name) != now.get(name)
    )


def _planned(request: RunRequest, cases: Cases) -> Iterator[PlannedTrial]:
    """Trials of one case lie apart, so that a run that is cut short has seen as many cases as it could."""
    for repeat in range(1, request.repeat + 1):
        for scenario in cases.scenarios:
            for agent in dict.fromkeys(request.agents):
                trial_id = _trial_id(scenario.id, agent, cases, repeat)
                yield PlannedTrial(trial_id=trial_id, case_id=scenario.id, agent=agent, repeat=repeat)


def _trial_id(case_id: str, agent: str, cases: Cases, repeat: int) -> str:
    """The same in every run for the same case, agent, settings of the agent and repeat; it tells none of them."""
    # Only what isn't usual is added, so that trials keep the ids that they always had.
    limits = cases.budget.model_dump(exclude={"tells_turns"})
    settings: dict[str, Any] = {"options": settings_of(agent), "budget": limits}
    if not cases.budget.tells_turns:
        settings["hides_turns"] = True
    if cases.has_shell:
        settings["has_shell"] = True
    if cases.has_command_lines:
        settings["has_command_lines"] = True
    return "t" + short_hash([case_id, agent, settings, repeat])


def _fingerprint(request: RunRequest, cases: Cases) -> dict[str, str]:
    return {
        **examined_with(request.agents),
        "cases": short_hash(cases.model_dump(mode="json")),
        **{f"fabric {name}": plan.digest[:12] for name, plan in plans_of(cases).items()},
    }


def examined_with(names: Sequence[str]) -> dict[str, str]:
    """A fingerprint of this package and of everything that agents consist of."""
    agents = tuple(dict.fromkeys(names))
    programs = {agent: digest for agent in agents if (digest := program_digest(agent))}
    return {
        "version": metadata.version("netopsbench"),
        "code": _code_digest(),
        **{f"agent {agent}": short_hash(settings_of(agent)) for agent in agents},
        **{f"program of {agent}": digest for agent, digest in programs.items()},
        **{f"price of {agent}": short_hash(price.model_dump()) for agent, price in prices_of(agents).items()},
    }


def _code_digest() -> str:
    """Of every module that runs while a trial does."""
    content = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        part = path.relative_to(_PACKAGE)
        if part.parts[0] not in _AFTER_THE_TRIALS:
            content.update(f"{part}\n".encode() + path.read_bytes())
    return content.hexdigest()[:12]


def short_hash(value: Any) -> str:
    """A short hash of something that JSON can spell."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
