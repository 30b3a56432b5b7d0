"""A run in the terminal: tables at its end, progress while it goes on."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Self

from rich import box
from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from netopsbench.records.run import PlannedTrial
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial
from netopsbench.report.naming import shortener
from netopsbench.report.run_view import headline, notes, unscored
from netopsbench.report.text import (
    answer_text,
    duration,
    end_text,
    interval_text,
    one_line,
    percent,
    score_text,
    seconds,
    signed,
    truth_text,
)
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.grade import grade
from netopsbench.scoring.paired import Comparison
from netopsbench.scoring.statistics import Estimate
from netopsbench.scoring.summary import AgentSummary, Summary


def trials_table(trials: Sequence[TrialFacts], scores: Iterable[Score]) -> Table:
    """One row for each trial: what was wrong, what the agent said, what that is worth."""
    score_of = {score.trial_id: score for score in scores}
    has_several = len({trial.agent for trial in trials}) > 1
    table = _table("Trials", ("case", "agent", "truth", "answer") if has_several else ("case", "truth", "answer"))
    for name in ("score", "time", "calls"):
        table.add_column(name, justify="right", no_wrap=True)
    for trial in trials:
        score = score_of.get(trial.trial_id)
        table.add_row(
            _words(trial.case_id),
            *([_words(trial.agent)] if has_several else []),
            _words(truth_text(trial)),
            _words(end_text(trial) or answer_text(trial.answer)),
            Text(score_text(score.strict if score else None), style=_style(score)),
            seconds(trial.agent_time_s),
            str(trial.tool_calls),
        )
    return table


def summary_table(summary: Summary) -> Group:
    """The agents' figures, and under them what wasn't scored, the headline and what weakens it."""
    table = _table("Agents", ("agent",))
    for name in ("score", "95 %", "floor", "paper", "verdict", "device", "time", "scored"):
        table.add_column(name, justify="right", no_wrap=True)
    for agent in summary.agents:
        table.add_row(*_agent_row(agent))
    lines = [Text(f"Not scored: {one_line(line, 400)}") for line in unscored(summary)]
    lines += [Text(one_line(sentence, 400)) for sentence in headline(summary).sentences]
    lines += [Text(f"! {one_line(note, 400)}", style="yellow") for note in notes(summary)]
    lines += [Text(f"! {one_line(problem, 400)}", style="red") for problem in summary.problems]
    return Group(table, *lines)


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Differences of two agents each, and how many cases it takes to see one of 5, 10 and 20 points."""
    table = _table("Differences on cases valid for both", ("agents",))
    for name in ("cases", "difference", "95 %", "needed for 5/10/20"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in comparisons:
        table.add_row(
            _words(f"{each.a} − {each.b}"),
            str(each.cases),
            Text(signed(each.difference), style="bold" if each.is_clear else ""),
            f"{signed(each.low)} to {signed(each.high)}",
            "/".join(str(count) for count in each.cases_needed.values()),
        )
    return table


def _table(title: str, words: Sequence[str]) -> Table:
    """An 80-column terminal must hold it, so there are no vertical lines."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name in words:
        table.add_column(name, overflow="fold", min_width=8)
    return table


def _agent_row(agent: AgentSummary) -> list[Text | str]:
    return [
        _words(agent.agent + (" (control)" if agent.is_control else "")),
        Text(score_text(agent.strict.value if agent.strict else None), style="bold"),
        interval_text(agent.strict),
        score_text(agent.floor.value if agent.strict else None),
        score_text(agent.paper.value if agent.paper else None),
        _rate(agent.detection.accuracy),
        _rate(agent.device_localization_rate),
        seconds(agent.effort.time_s),
        f"{agent.counts.scored}/{agent.counts.planned}",
    ]


class TrialProgress:
    """What a run is doing: a bar where there is a terminal, else plain lines when a trial begins and ends.

    May be called from several threads at once.
    """

    def __init__(
        self,
        planned: Sequence[PlannedTrial],
        console: Console | None = None,
        *,
        done: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`done` trials of the `planned` ones were over before; `clock` counts seconds."""
        self._console = console or Console(stderr=True)
        self._plan_of = {plan.trial_id: plan for plan in planned}
        self._shorten = shortener(plan.agent for plan in planned)
        self._total = len(planned)
        self._done = self._done_before = done
        self._clock = clock
        self._began = clock()
        self._lock = threading.Lock()
        self._running: dict[str, str] = {}
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("trials"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[doing]}", markup=False),
            console=self._console,
            disable=not self._console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("trials", total=self._total, completed=done, doing="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def phase(self, trial_id: str, phase: str) -> None:
        """A trial has come to a phase."""
        words = f"{self._name(trial_id)}: {one_line(phase, 60)}"
        with self._lock:
            begins = trial_id not in self._running
            self._running[trial_id] = words
            if self._console.is_terminal:
                self._show()
            elif begins:
                self._print(words)

    def finished(self, trial: Trial) -> None:
        """A trial has ended; its line stays."""
        score = grade(trial) if trial.end == "scored" else None
        outcome = end_text(trial) or answer_text(trial.answer)
        with self._lock:
            self._done += 1
            self._running.pop(trial.trial_id, None)
            worth = Text(f"{score_text(score.strict if score else None):>5}", style=_style(score))
            words = f"  {self._name(trial.trial_id)}  {one_line(outcome, 120)}"
            self._print(Text(f"[{self._done}/{self._total}] ") + worth + Text(words + self._pace()))
            self._bar.update(self._task, completed=self._done)
            self._show()

    def _show(self) -> None:
        self._bar.update(self._task, doing="; ".join([*self._running.values(), self._pace().strip()]))

    def _pace(self) -> str:
        """Trials an hour and the time left; empty before the first and after the last."""
        over, left = self._done - self._done_before, self._total - self._done
        elapsed_s = self._clock() - self._began
        if not over or not left or elapsed_s <= 0:
            return ""
        return f"  ({3600 * over / elapsed_s:,.0f} trials/h, about {duration(left * elapsed_s / over)} left)"

    def _print(self, words: Text | str) -> None:
        self._console.print(Text(words) if isinstance(words, str) else words, soft_wrap=True, highlight=False)

    def _name(self, trial_id: str) -> str:
        plan = self._plan_of.get(trial_id)
        return one_line(f"{plan.case_id} {self._shorten(plan.agent)}" if plan else trial_id, 80)


def _words(words: str) -> Text:
    # Text and not str: rich would read square brackets in a plain string as markup.
    return Text(one_line(words))


def _rate(estimate: Estimate | None) -> str:
    return percent(estimate.value if estimate else None)


def _style(score: Score | None) -> str:
    if score is None:
        return "dim"
    if score.strict == 1:
        return "bold green"
    return "yellow" if score.strict > 0 else "bold red"
