"""The report of a run, written into its folder: one page that needs no network, and the same in short."""

import base64
import hashlib
from importlib import resources
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from netopsbench.core.files import write_atomic
from netopsbench.report import text
from netopsbench.report.markdown import render_markdown
from netopsbench.report.run_view import RunView, run_view
from netopsbench.scoring.run import score_run


def write_report(run_folder: Path) -> Path:
    """Write `report.html`, `report.md` and `report.json` into the run's folder; the path of the page.

    Raises SpecError when the folder is not a run's, OSError when it can't be written.
    """
    run = score_run(run_folder)
    view = run_view(run.records, run.summary, run.scores)
    page = run_folder / "report.html"
    write_atomic(run_folder / "report.json", run.summary.model_dump_json(indent=2) + "\n")
    write_atomic(run_folder / "report.md", render_markdown(view))
    write_atomic(page, render_html(view))
    return page


def render_html(view: RunView) -> str:
    """The page of a run: the same view gives the same bytes."""
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
        seconds=text.seconds,
        utc=text.utc,
        places=text.places_text,
        one_line=text.one_line,
    )
    script = _asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = environment.get_template("report.html.j2")
    return page.render(view=view, style=Markup(_asset("report.css")), script=Markup(script), script_hash=digest)


def _asset(name: str) -> str:
    return (resources.files("netopsbench.report") / "templates" / name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    """Everything but the page's own markup is made printable before it is escaped."""
    return value if isinstance(value, Markup) else text.printable(str(value))
