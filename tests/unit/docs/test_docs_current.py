"""What the manual takes from the code is as the code says; each fault has a page with a recorded example."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from netopsbench.faults.catalog import KINDS

ROOT = Path(__file__).resolve().parents[3]
FAULTS = ROOT / "docs" / "faults"


def test_pages_and_blocks_from_the_code_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/docs_reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_has_a_page_with_every_part(kind: str) -> None:
    page = (FAULTS / f"{kind}.md").read_text()
    for part in ("Keys", "What is done", "Symptoms", "Where it shows", "How the baseline finds it", "How it is mended"):
        assert f"\n## {part}\n" in page
    assert "netopsbench fault inject" in page


@pytest.mark.parametrize("kind", KINDS)
def test_every_variant_of_a_fault_is_recorded_with_its_injection_and_what_shows_it(kind: str) -> None:
    recorded = json.loads((FAULTS / "recorded" / f"{kind}.json").read_text())["variants"]
    assert [each["variant"] for each in recorded] == [keys.get("variant", "") for keys in KINDS[kind].variant_keys]
    for each in recorded:
        steps = [receipt["step"] for receipt in each["receipts"]]
        assert {"inject", "effect_before", "effect_after", "restored"} <= set(steps)
        assert each["exposed_in"]
        assert each["looks"]
        assert all(look["shown"] for look in each["looks"])


def test_no_page_or_recording_tells_where_this_machine_has_its_files() -> None:
    pages = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".json")]
    assert len(pages) > 30
    places = (str(ROOT), sys.prefix, str(Path.home()) + "/")
    assert [str(path) for path in pages if any(place in path.read_text() for place in places)] == []


def test_cases_that_the_manual_asks_for_are_in_the_recording_that_comes_along() -> None:
    page = (ROOT / "docs" / "replay.md").read_text()
    named = set(re.findall(r"--case (c[0-9a-f]{12})", page))
    recorded = {about.name for about in (zipfile.Path(ROOT / "recordings" / "smoke.zip") / "cases").iterdir()}
    assert named
    assert named <= recorded
