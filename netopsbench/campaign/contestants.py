"""Who takes part: agents from the catalogue, and the controls that know what no agent may know."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from netopsbench.agent.catalog import make_agent
from netopsbench.agent.programs.files import digest_of, program_files
from netopsbench.agent.programs.starting import key_variables, known_price, program_for
from netopsbench.agent.spec import KINDS, hint_at_file, is_spec, parse_spec
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer, Finding
from netopsbench.records.prices import Price
from netopsbench.records.truth import Truth
from netopsbench.records.usage import Usage
from netopsbench.scoring.floor import floor

ORACLE, ALWAYS_FAULTY = "oracle", "always-faulty"
_HIDDEN = "constant"
"""Takes its answer as an option; not a contestant by itself."""
_UNPAID = frozenset(
    {"baseline", "nop", "always-healthy", "random", "tracer", "sweeper", _HIDDEN, ORACLE, ALWAYS_FAULTY}
)

Family = Literal["cases", "tasks", "tickets"]
"""What agents are given: cases of a campaign, root-cause and path tasks, or tickets."""
FAMILIES: Mapping[Family, str] = {"cases": "cases", "tasks": "root-cause and path tasks", "tickets": "tickets"}
"""In words."""
CONTESTANTS: Mapping[str, tuple[Family, ...]] = {
    ALWAYS_FAULTY: ("cases",),
    "always-healthy": ("cases", "tickets"),
    "baseline": ("cases",),
    "believer": ("tickets",),
    "checks-first": ("tickets",),
    "nop": ("cases", "tasks", "tickets"),
    ORACLE: ("cases", "tasks", "tickets"),
    "random": ("cases", "tasks"),
    "random-device": ("tickets",),
    "sweeper": ("tasks",),
    "tracer": ("tasks",),
}
"""Everybody who needs to be told nothing, and what they are for."""

_OPTIONS: Mapping[str, Mapping[str, Any]] = {"random": {"seed": 1}}
"""What agents of the catalogue are told, where it isn't nothing."""


class Entry(Model):
    """An agent of the catalogue, with the options it gets."""

    agent: str
    options: dict[str, Any]


def contestant_names(family: Family = "cases") -> list[str]:
    """Everybody who can be named on a command line for what agents are given."""
    return [name for name, families in CONTESTANTS.items() if family in families]


def is_unpaid(name: str) -> bool:
    """Whether a contestant calls no model, so that it costs nothing."""
    return name.partition(":")[0] in _UNPAID


def known_usage(agent: str) -> Usage | None:
    """Nothing at all for contestants that call no model; unknown for others."""
    if not is_unpaid(agent):
        return None
    return Usage(input_tokens=0, cached_input_tokens=0, output_tokens=0, cost_usd=0.0)


def check_names(names: Sequence[str], family: Family = "cases") -> None:
    """Raises SpecError that names every unknown contestant and the known ones, and what is wrong with a spec."""
    problems: list[Problem] = []
    for name in names:
        if is_spec(name):
            problems += _problems_of(name)
        elif not _can_take_part(name, family):
            problems.append(unknown_agent(name, contestant_names(family), f"known agents for {FAMILIES[family]}"))
    if problems:
        raise SpecError(problems)


def unknown_agent(name: str, known: Sequence[str], what: str) -> Problem:
    """The mistake of somebody who names an agent that isn't one of `what`, with the way out."""
    close = difflib.get_close_matches(name, [*known, *KINDS], n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    own = CONTESTANTS.get(name, ())
    if own:
        meant = f"it is for {' and '.join(FAMILIES[each] for each in own)}; "
    kinds = ", ".join(kind for kind in KINDS if kind not in known)
    return Problem("agent", "", name, f"{hint_at_file(name)}{meant}{what}: {', '.join(known)}; or {kinds}")


def _can_take_part(name: str, family: Family) -> bool:
    """Tasks and tickets may be given to any agent that can be started, also to one that isn't made for them."""
    return name in CONTESTANTS and (family in CONTESTANTS[name] or (family != "cases" and name != ALWAYS_FAULTY))


def _problems_of(spec: str) -> list[Problem]:
    try:
        choice = parse_spec(spec)
        program_for(choice.agent, choice.options)
    except SpecError as wrong:
        return list(wrong.problems)
    return []


def settings_of(name: str) -> dict[str, Any]:
    """The options that a contestant gets in every case."""
    return dict(parse_spec(name).options) if is_spec(name) else dict(_OPTIONS.get(name, {}))


def secret_variables(name: str) -> tuple[str, ...]:
    """Environment variables that a contestant's spec names as those of its keys."""
    if not is_spec(name):
        return ()
    choice = parse_spec(name)
    return key_variables(choice.agent, choice.options)


def program_digest(name: str) -> str:
    """Hash of the files that a `command` consists of; empty for other agents.

    Raises SpecError when they aren't there.
    """
    choice = parse_spec(name) if is_spec(name) else None
    if choice is None or choice.agent != "command":
        return ""
    return digest_of(program_files(program_for(choice.agent, choice.options)))


def prices_of(names: Sequence[str]) -> dict[str, Price]:
    """What the models of contestants cost, where that is known. Raises SpecError for a list that can't be read."""
    choices = {name: parse_spec(name) for name in names if is_spec(name)}
    found = {name: known_price(choice.agent, choice.options) for name, choice in choices.items()}
    return {name: price for name, price in found.items() if price is not None}


def entry_for(name: str, truth: Truth, campaign_truths: Sequence[Truth]) -> Entry:
    """What to run for a contestant on a case with this truth.

    `oracle` answers from the truth, `always-faulty` gives the campaign's best constant answer that claims a fault:
    both are fixed answers made here, since agents can't reach the truth.
    """
    if name == ORACLE:
        return _fixed(_true_answer(truth))
    if name == ALWAYS_FAULTY:
        return _fixed(floor(campaign_truths).answer or Answer(verdict="fault_detected"))
    if is_spec(name):
        choice = parse_spec(name)
        return Entry(agent=choice.agent, options=dict(choice.options))
    make_agent(name)
    return Entry(agent=name, options=settings_of(name))


def _fixed(answer: Answer) -> Entry:
    options: Mapping[str, Any] = {"answer": answer.model_dump(mode="json")}
    return Entry(agent=_HIDDEN, options=dict(options))


def _true_answer(truth: Truth) -> Answer:
    findings = tuple(Finding(fault_type=fault.fault_type, location=fault.accepted[0]) for fault in truth.faults)
    verdict = "fault_detected" if findings else "network_healthy"
    return Answer.model_validate({"verdict": verdict, "findings": findings, "confidence": 1.0})
