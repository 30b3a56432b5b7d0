"""The documentation builds without a warning: no broken link, no page that is nowhere in the menu."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_the_documentation_builds_strictly(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        capture_output=True, text=True, cwd=ROOT, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    assert (tmp_path / "site" / "index.html").is_file()


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    pages = [str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")]
    assert pages
    assert [name for name in pages if f" {name}" not in menu] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_pages_outside_the_manual_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text())
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_files_that_the_manual_names_are_there() -> None:
    named = {
        path
        for page in (ROOT / "docs").rglob("*.md")
        for path in re.findall(
            r"`((?:netopsbench|tests|scripts|docs|collectors|fabrics|campaigns)/[\w./-]+)`", page.read_text()
        )
    }
    assert named
    made = ("netopsbench/_data/",)
    assert sorted(path for path in named if not path.startswith(made) and not (ROOT / path).exists()) == []
