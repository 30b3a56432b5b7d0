"""Write what the manual takes from the code: `python scripts/docs_reference.py`; `--check` only tells what is old.

Whole pages in `docs/reference/`, the published schemas, and blocks between `<!-- NAME: from the code -->` and
`<!-- end -->` in other pages. Exit code 1 when `--check` finds something old.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from docs_cli import cli_page
from docs_faults import blocks_of, pages, read_recordings
from docs_models import model_sections
from docs_tools import tools_page
from docs_vendors import vendor_commands
from pydantic import BaseModel

from netopsbench.core.files import write_atomic
from netopsbench.fabric.native.machine import SCALE_NEEDS
from netopsbench.fabric.spec import FabricSpec
from netopsbench.records.answers import Answer, Question
from netopsbench.records.run import RunInfo
from netopsbench.records.trial import Trial
from netopsbench.report.schema import PUBLISHED, schema_text
from netopsbench.scenario.campaign import Campaign
from netopsbench.scenario.model import Scenario

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BLOCK = re.compile(r"<!-- (\w+): from the code -->\n.*?<!-- end -->", re.DOTALL)
_NOTE = "Unknown keys are refused. All mistakes of a file are told at once."

_INPUTS = ("# Files you write", _NOTE, (FabricSpec, Campaign, Scenario))
_RECORDS = (
    "# Questions, answers and records",
    "What an agent gets and gives, and what a run writes. The JSON schemas lie in `docs/schema`.",
    (Question, Answer, RunInfo, Trial),
)


def written() -> Iterator[tuple[Path, str]]:
    """Every file that depends on the code, with the text that it should have."""
    yield DOCS / "reference" / "cli.md", cli_page()
    yield DOCS / "reference" / "tools.md", tools_page()
    yield DOCS / "reference" / "files.md", _models_page(*_INPUTS)
    yield DOCS / "reference" / "records.md", _models_page(*_RECORDS)
    for name, schema in ((name, schema_text(name)) for name in PUBLISHED):
        yield DOCS / "schema" / f"{name}.schema.json", schema
    for name in ("getting-started.md", "agents.md", "scales.md", "vendors.md"):
        yield DOCS / name, filled((DOCS / name).read_text(), _small_blocks())
    for name, kind in pages().items():
        page = DOCS / "faults" / name
        yield page, filled(page.read_text(), blocks_of(kind, read_recordings(DOCS / "faults", kind.name)))


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """A page with the text of its blocks; a block that nobody knows is a KeyError."""
    return _BLOCK.sub(lambda found: f"<!-- {found[1]}: from the code -->\n{blocks[found[1]]}\n<!-- end -->", text)


def _small_blocks() -> dict[str, str]:
    agents = {kind: (DOCS / "examples" / f"agent.{kind}").read_text().rstrip() for kind in ("py", "js", "sh")}
    needs = [f"| `{scale}` | {gib:g} GiB | {cores} |" for scale, (gib, cores) in SCALE_NEEDS.items()]
    return {
        **{f"agent_{kind}": f"```{kind}\n{text}\n```" for kind, text in agents.items()},
        "vendor_commands": vendor_commands(),
        "needs": "\n".join(("| fabric | free memory | cores |", "|---|---:|---:|", *needs)),
    }


def _models_page(title: str, words: str, roots: tuple[type[BaseModel], ...]) -> str:
    lines = [title, "", words, "", *model_sections(roots)]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    old = [path for path, text in written() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in old:
            print(f"{path.relative_to(DOCS.parent)} is old: python scripts/docs_reference.py")
        sys.exit(bool(old))
    for path, text in written():
        if path in old:
            write_atomic(path, text)
            path.chmod(0o644)


if __name__ == "__main__":
    main()
