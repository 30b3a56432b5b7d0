"""The report of a run in short, for a pull request or a chat."""

import re

from netopsbench.report.run_view import RunView, unscored
from netopsbench.report.text import amount, interval_text, one_line, percent, score_text, seconds, signed
from netopsbench.scoring.paired import Comparison
from netopsbench.scoring.summary import AgentSummary, Summary


def render_markdown(view: RunView) -> str:
    """Headline, conditions, agents, what wasn't scored, and the cases."""
    summary = view.summary
    kind = "Headline" if summary.is_headline else "Practice"
    lines = [f"# {kind} run {_plain(summary.run_id)} of {_plain(summary.campaign)}", ""]
    lines += [" ".join(_plain(sentence) for sentence in view.headline.sentences), ""]
    lines += [f"- {_plain(note)}" for note in view.notes]
    lines += ["", "## Conditions", "", *(f"- {_plain(name)}: {_plain(what)}" for name, what in view.conditions)]
    lines += ["", "## Agents", "", *_agents(summary)]
    lines += ["", "## Differences", "", *_comparisons(summary)] if summary.comparisons else []
    lines += ["", "## Trials that were not scored", "", *_unscored(summary)]
    lines += ["", "## Cases", "", *_cases(view)]
    return "\n".join(lines) + "\n"


def _agents(summary: Summary) -> list[str]:
    head = ("agent", "score", "95 % interval", "floor", "paper", "detection", "device", "interface", "time", "calls")
    return [_row(head), _row(["---"] * len(head)), *(_row(_agent(agent)) for agent in summary.agents)]


def _agent(agent: AgentSummary) -> list[str]:
    accuracy, device = agent.detection.accuracy, agent.device_localization_rate
    interface = agent.interface_localization_rate
    return [
        agent.agent + (" (control)" if agent.is_control else ""),
        score_text(agent.strict.value if agent.strict else None),
        interval_text(agent.strict),
        score_text(agent.floor.value),
        score_text(agent.paper.value if agent.paper else None),
        percent(accuracy.value if accuracy else None),
        percent(device.value if device else None),
        percent(interface.value if interface else None),
        seconds(agent.effort.time_s),
        amount(agent.effort.tool_calls),
    ]


def _comparisons(summary: Summary) -> list[str]:
    head = ("agents", "cases", "difference", "95 % interval", "cases needed for 5, 10, 20 points")
    return [_row(head), _row(["---"] * len(head)), *(_row(_comparison(each)) for each in summary.comparisons)]


def _comparison(each: Comparison) -> list[str]:
    return [
        f"{each.a} − {each.b}",
        str(each.cases),
        signed(each.difference),
        f"{signed(each.low)} to {signed(each.high)}",
        ", ".join(f"{count:,}" for count in each.cases_needed.values()),
    ]


def _unscored(summary: Summary) -> list[str]:
    lines = (*unscored(summary), *summary.problems)
    return [f"- {_plain(line)}" for line in lines] or ["None."]


def _cases(view: RunView) -> list[str]:
    head = ("case", "fabric", "difficulty", "scores")
    lines = [_row(head), _row(["---"] * len(head))]
    for case in view.cases:
        worth = ", ".join(f"{cell.agent} {cell.words}" for cell in case.cells)
        lines.append(_row([case.case_id, case.fabric, case.difficulty, worth]))
    return lines


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell if cell == "---" else _plain(cell) for cell in cells) + " |"


def _plain(words: str) -> str:
    """Other people's words without a meaning in Markdown or HTML, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#&!~])", r"\\\1", one_line(words, limit=400))
