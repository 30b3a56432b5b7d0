"""Two runs, or the agents of one, held against each other."""

from collections.abc import Sequence
from pathlib import Path

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.records.score import Score
from netopsbench.scoring.paired import Comparison, compare_all, compare_scores
from netopsbench.scoring.run import ScoredRun, score_run
from netopsbench.scoring.unlike import unlike


class RunComparison(Model):
    """Paired differences, and what makes the runs unlike each other."""

    runs: tuple[str, ...]
    """Ids of the runs."""
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]
    """Differences between the runs that may be behind those of the scores, as sentences."""


def compare_runs(run_a: str | Path, run_b: str | Path | None = None, agents: Sequence[str] = ()) -> RunComparison:
    """Compare on the cases that are valid for both sides.

    Two runs: each agent that took part in both, or the first of `agents` in run A with the last of them in run B.
    One run: every two of its agents, or of `agents`. Raises SpecError when there is nothing to compare.
    """
    folder_a, first = Path(run_a), score_run(run_a)
    if run_b is None:
        return _within(first, agents, folder_a)
    folder_b, second = Path(run_b), score_run(run_b)
    of_a, of_b = _by_agent(first), _by_agent(second)
    names = [(agents[0], agents[-1])] if agents else [(name, name) for name in of_a if name in of_b]
    _check([a for a, _ in names], of_a, folder_a)
    _check([b for _, b in names], of_b, folder_b)
    found = tuple(
        each
        for a, b in names
        if (each := compare_scores(f"{a} in {folder_a.name}", of_a[a], f"{b} in {folder_b.name}", of_b[b]))
    )
    if not found:
        wanted = "runs of the same cases with a common agent, or agents named by --agent"
        raise SpecError([Problem("compare", "", f"{run_a} {run_b}", wanted)])
    return RunComparison(
        runs=(first.summary.run_id, second.summary.run_id),
        comparisons=found,
        notes=unlike(first.records.info, second.records.info),
    )


def _within(run: ScoredRun, agents: Sequence[str], folder: Path) -> RunComparison:
    by_agent = _by_agent(run)
    _check(agents, by_agent, folder)
    found = compare_all({name: by_agent[name] for name in agents or by_agent})
    if not found:
        wanted = "two agents with a common valid case, or a second run"
        raise SpecError([Problem("compare", "", str(folder), wanted)])
    return RunComparison(runs=(run.summary.run_id,), comparisons=found, notes=())


def _by_agent(run: ScoredRun) -> dict[str, list[Score]]:
    by_agent: dict[str, list[Score]] = {agent.agent: [] for agent in run.summary.agents}
    for score in run.scores:
        by_agent[score.agent].append(score)
    return by_agent


def _check(wanted: Sequence[str], known: dict[str, list[Score]], folder: Path) -> None:
    unknown = [name for name in wanted if name not in known]
    if unknown:
        agents = f"agents of {folder}: {', '.join(known)}"
        raise SpecError([Problem("--agent", "", name, agents) for name in unknown])
