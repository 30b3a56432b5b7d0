"""A run folder, scored: nothing live is needed, and it can be done again at any time."""

from dataclasses import dataclass
from pathlib import Path

from netopsbench.records.score import Score
from netopsbench.scoring.judge import read_judge
from netopsbench.scoring.runfolder import RunRecords, read_run
from netopsbench.scoring.summary import Summary, summarise


@dataclass(frozen=True)
class ScoredRun:
    """A run's records with what they are worth."""

    records: RunRecords
    scores: tuple[Score, ...]
    summary: Summary


def score_run(run_folder: str | Path) -> ScoredRun:
    """Read and score a run.

    Raises SpecError when the folder is not a run's.
    """
    folder = Path(run_folder)
    records = read_run(folder)
    summary = summarise(
        records.info, records.trials, records.scores, unreadable=records.unreadable, problems=records.problems
    )
    return ScoredRun(records, records.scores, summary.model_copy(update={"judge": read_judge(folder)}))
