"""The report of a run, written into its folder."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from netopsbench.core.files import write_atomic
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial
from netopsbench.report.html import INDEX, Pages, case_pages
from netopsbench.report.markdown import render_markdown
from netopsbench.report.naming import Shorten
from netopsbench.report.run_view import RunView, ranked, run_view
from netopsbench.report.tables import junit_xml, trials_csv
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.run import ScoredRun, score_run
from netopsbench.scoring.runfolder import read_trial

ON_ONE_PAGE = 24
"""With more trials each case gets a page of its own."""


def write_report(run_folder: str | Path, *, fail_under: float | None = None) -> Path:
    """Score a run and write its report; the path of the page.

    `report.html` (with many trials also `cases/*.html`), `report.md`, `report.json`, `trials.csv` and `junit.xml`.
    Raises SpecError when the folder is not a run's, OSError when it can't be written.
    """
    return write_scored(score_run(run_folder), Path(run_folder), fail_under=fail_under)


def write_scored(run: ScoredRun, run_folder: Path, *, fail_under: float | None = None) -> Path:
    """Write the report of a run that is scored already."""
    agents = [agent.agent for agent in run.summary.agents]
    trials = ranked(run.records.trials, agents)
    score_of = {score.trial_id: score for score in run.scores}
    page = run_folder / INDEX
    write_atomic(run_folder / "report.json", run.summary.model_dump_json(indent=2) + "\n")
    write_atomic(run_folder / "trials.csv", trials_csv(run))
    write_atomic(run_folder / "junit.xml", junit_xml(run, fail_under))
    if len(trials) <= ON_ONE_PAGE:
        view = run_view(run.records, run.summary)
        whole = _whole(trials, run_folder, view.shorten)
        write_atomic(page, Pages().index(view, whole, score_of))
    else:
        page_of = case_pages([trial.case_id for trial in trials])
        view = run_view(run.records, run.summary, page_of={case: f"cases/{name}" for case, name in page_of.items()})
        _write_cases(view, trials, score_of, page_of, run_folder)
        # Last, so that its links lead somewhere from the first moment on.
        write_atomic(page, Pages().index(view))
    write_atomic(run_folder / "report.md", render_markdown(view))
    return page


def _write_cases(
    view: RunView,
    trials: list[TrialFacts],
    score_of: Mapping[str, Score],
    page_of: Mapping[str, str],
    run_folder: Path,
) -> None:
    pages, names = Pages(), list(page_of.values())
    trials_of: dict[str, list[TrialFacts]] = {}
    for trial in trials:
        trials_of.setdefault(trial.case_id, []).append(trial)
    row_of = {row.case_id: row for row in view.cases}
    for number, (case_id, name) in enumerate(page_of.items()):
        whole = _whole(trials_of[case_id], run_folder, view.shorten)
        beside = (names[number - 1] if number else "", names[number + 1] if number + 1 < len(names) else "")
        write_atomic(run_folder / "cases" / name, pages.case(row_of[case_id], view.summary, whole, score_of, beside))


def _whole(trials: Iterable[TrialFacts], run_folder: Path, shorten: Shorten) -> list[Trial]:
    """Trials as they were recorded, but for the short names of their agents."""
    found = (read_trial(run_folder, trial.trial_id) for trial in trials)
    return [trial.model_copy(update={"agent": shorten(trial.agent)}) for trial in found if trial is not None]
