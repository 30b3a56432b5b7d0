"""A run for other programs: trials as CSV, and test results as JUnit XML."""

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence

from netopsbench.records.score import Score
from netopsbench.report.run_view import ranked
from netopsbench.report.text import answer_text, end_text, printable, truth_text
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.run import ScoredRun
from netopsbench.scoring.summary import AgentSummary

COLUMNS = (
    "trial_id", "case_id", "agent", "repeat", "fabric", "scale", "difficulty", "exposure", "end", "reason",
    "was_question_asked", "truth", "answer", "confidence", "strict", "paper", "is_detected", "is_device_right",
    "is_interface_right", "is_type_right", "why", "agent_time_s", "tool_time_s", "infra_time_s", "tool_calls",
    "input_tokens", "cached_input_tokens", "output_tokens", "cost_usd", "attempts",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def trials_csv(run: ScoredRun) -> str:
    """One line for each trial that was read; an empty field is unknown or doesn't apply."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in trial_rows(run):
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def trial_rows(run: ScoredRun) -> Iterator[Mapping[str, str | float | bool | None]]:
    """Every trial that was read, by column; what is unknown or doesn't apply is None or not there."""
    score_of = {score.trial_id: score for score in run.scores}
    for trial in ranked(run.records.trials, [agent.agent for agent in run.summary.agents]):
        yield {**_facts(trial), **_worth(score_of.get(trial.trial_id))}


def _facts(trial: TrialFacts) -> Mapping[str, str | float | bool | None]:
    usage = trial.usage
    return {
        **{name: getattr(trial, name) for name in COLUMNS if name in TrialFacts.__slots__},
        "reason": trial.error.reason if trial.error else None,
        "truth": truth_text(trial),
        "answer": answer_text(trial.answer) if trial.answer else None,
        "confidence": trial.answer.confidence if trial.answer else None,
        "input_tokens": usage.input_tokens if usage else None,
        "cached_input_tokens": usage.cached_input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "cost_usd": usage.cost_usd if usage else None,
        "attempts": len(trial.earlier) + 1,
    }


def _worth(score: Score | None) -> Mapping[str, str | float | bool | None]:
    return {} if score is None else {name: getattr(score, name) for name in COLUMNS if name in Score.model_fields}


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    words = printable(value)
    # An agent's words must not become a formula of a spreadsheet.
    return f"'{words}" if words.startswith(_FORMULA) else words


def junit_xml(run: ScoredRun, fail_under: float | None = None) -> str:
    """A test suite for each agent, a test for each trial: passed with a strict score of 1, skipped without a score.

    With `fail_under` each agent that is no control gets one more test, which fails when its score is lower.
    """
    score_of = {score.trial_id: score for score in run.scores}
    trial_of = {trial.trial_id: trial for trial in run.records.trials}
    root = ET.Element("testsuites", name=_plain(run.summary.campaign))
    for agent in run.summary.agents:
        suite = ET.SubElement(root, "testsuite", name=_plain(agent.agent))
        for plan in run.records.info.planned:
            if plan.agent == agent.agent:
                name = plan.case_id if plan.repeat == 1 else f"{plan.case_id} repeat {plan.repeat}"
                test = ET.SubElement(suite, "testcase", classname=_plain(agent.agent), name=_plain(name))
                _outcome(test, trial_of.get(plan.trial_id), score_of.get(plan.trial_id))
        if fail_under is not None and not agent.is_control:
            _gate(suite, agent, fail_under)
        tests = suite.findall("testcase")
        suite.set("tests", str(len(tests)))
        for outcome in ("failure", "error", "skipped"):
            suite.set(f"{outcome}s".replace("skippeds", "skipped"), str(len(suite.findall(f"testcase/{outcome}"))))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def below(agents: Sequence[AgentSummary], fail_under: float) -> list[str]:
    """Names of the agents, controls left out, that score less or have no score."""
    return [
        agent.agent
        for agent in agents
        if not agent.is_control and (agent.strict is None or agent.strict.value < fail_under)
    ]


def _outcome(test: ET.Element, trial: TrialFacts | None, score: Score | None) -> None:
    if trial is not None:
        test.set("time", f"{trial.total_time_s:.3f}")
    if trial is None or score is None:
        ET.SubElement(test, "skipped", message=_plain(end_text(trial) if trial else "no record"))
    elif trial.error is not None and trial.error.side == "agent":
        ET.SubElement(test, "error", message=_plain(f"{end_text(trial)}: {trial.error.message}"))
    elif score.strict < 1:
        ET.SubElement(test, "failure", message=_plain(f"score {score.strict:g}: {score.why}"))


def _gate(suite: ET.Element, agent: AgentSummary, fail_under: float) -> None:
    test = ET.SubElement(suite, "testcase", classname=_plain(agent.agent), name=f"score is at least {fail_under:g}")
    if below([agent], fail_under):
        shown = "none" if agent.strict is None else f"{agent.strict.value:.4f}"
        ET.SubElement(test, "failure", message=f"the score is {shown}")


def _plain(words: str) -> str:
    return printable(words).replace("\n", " ").replace("\t", " ")[:500]
