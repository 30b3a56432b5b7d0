"""A run as HTML that needs no network: one page, or an index and a page for each case where there are many."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from netopsbench.rca.record import TaskReport
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial
from netopsbench.report import text
from netopsbench.report.run_view import CaseRow, RunView, trial_views
from netopsbench.report.task_view import TaskView
from netopsbench.report.text import natural
from netopsbench.report.ticket_view import TicketView
from netopsbench.scoring.summary import Summary
from netopsbench.tickets.record import TicketReport

INDEX = "report.html"
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


class Pages:
    """Renders pages; the same input gives the same bytes."""

    def __init__(self) -> None:
        environment = Environment(
            loader=PackageLoader("netopsbench.report"),
            autoescape=True,
            finalize=_shown,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(
            score=text.score_text,
            percent=text.percent,
            interval=text.interval_text,
            signed=text.signed,
            seconds=text.seconds,
            duration=text.duration,
            amount=text.amount,
            money=text.money,
            utc=text.utc,
            places=text.places_text,
            one_line=text.one_line,
        )
        script = _asset("report.js")
        environment.globals.update(
            style=Markup(_asset("report.css")),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
        self._index = environment.get_template("report.html.j2")
        self._case = environment.get_template("case.html.j2")
        self._tickets = environment.get_template("tickets.html.j2")
        self._tasks = environment.get_template("tasks.html.j2")

    def index(self, view: RunView, trials: Sequence[Trial] = (), scores: Mapping[str, Score] | None = None) -> str:
        """The page of a run; with `trials`, all of them are shown on it."""
        shown = trial_views(trials, scores or {}) if trials else None
        return self._index.render(view=view, trials=shown, is_case_page=False, home="")

    def tickets(self, report: TicketReport, view: TicketView) -> str:
        """The page of a run of tickets."""
        return self._tickets.render(report=report, view=view)

    def tasks(self, report: TaskReport, view: TaskView) -> str:
        """The page of a run of root-cause and path tasks."""
        return self._tasks.render(report=report, view=view)

    def case(
        self, case: CaseRow, summary: Summary, trials: Sequence[Trial], scores: Mapping[str, Score], beside: "Beside"
    ) -> str:
        """The page of one case, `trials` in the order in which they are shown."""
        return self._case.render(
            case=case,
            summary=summary,
            trials=trial_views(trials, scores),
            is_case_page=True,
            home=f"../{INDEX}",
            before=beside[0],
            after=beside[1],
        )


Beside = tuple[str, str]
"""File names of the pages before and after; empty at the ends."""


def case_pages(case_ids: Sequence[str]) -> dict[str, str]:
    """A file name for the page of each case: its id, where that makes a name."""
    return {
        case_id: f"{case_id if _SAFE_NAME.fullmatch(case_id) else hashlib.sha256(case_id.encode()).hexdigest()}.html"
        for case_id in sorted(set(case_ids), key=natural)
    }


def _asset(name: str) -> str:
    return (resources.files("netopsbench.report") / "templates" / name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    """Everything but the page's own markup is made printable before it is escaped."""
    return value if isinstance(value, Markup) else text.printable(str(value))
