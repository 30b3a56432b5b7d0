"""`--out`: what can't be written, is no folder or holds other things is refused before anything is done."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.campaign.folder import RunFolder
from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError
from netopsbench.core.files import why_not_writable
from netopsbench.records.run import PLAN, RUN

COMMANDS = (
    ("benchmark", "run", "quickstart", "--agent", "nop"),
    ("quickstart", "--replay", "--agent", "nop"),
    ("tickets", "run", "simple_bgp", "--agent", "nop"),
    ("benchmark", "prepare", "--spec", "quickstart"),
)


def refused(words: tuple[str, ...], out: Path) -> str:
    """The one line that a command with this `--out` ends with."""
    done = CliRunner().invoke(app, [*words, "--out", str(out)])
    assert done.exit_code == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert "--out" in line
    assert str(out) in line
    return line


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_a_file_is_no_folder(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "taken"
    file.write_text("precious")
    assert "is a file, not a folder" in refused(words, file)
    assert f"{file} is a file, not a folder" in refused(words, file / "below")
    assert file.read_text() == "precious"


@pytest.mark.parametrize("words", COMMANDS[:3], ids=lambda words: " ".join(words[:2]))
def test_a_folder_of_other_files_is_left_alone(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    assert "holds other files already" in refused(words, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o500)
    yield folder
    folder.chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_a_folder_that_one_may_not_write_to_is_named(words: tuple[str, ...], closed: Path) -> None:
    assert f"you may not write to {closed}" in refused(words, closed / "run")


def test_what_may_not_be_written_is_found_without_looking_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    assert why_not_writable(tmp_path / "a" / "b") == f"you may not write to {tmp_path}"
    (tmp_path / "a").mkdir()
    assert why_not_writable(tmp_path / "a" / "b") == ""


def test_a_new_or_empty_folder_and_one_of_a_run_that_never_began_are_free(tmp_path: Path) -> None:
    RunFolder(tmp_path / "new").check_free()
    RunFolder(tmp_path).check_free()
    with RunFolder(tmp_path).claimed():
        (tmp_path / PLAN).write_text("{}")
        (tmp_path / f".{PLAN}.x1").write_text("{")
        (tmp_path / "trials").mkdir()
        RunFolder(tmp_path).check_free()
    (tmp_path / RUN).write_text("{}")
    with pytest.raises(SpecError, match="holds a run already"):
        RunFolder(tmp_path).check_free()
