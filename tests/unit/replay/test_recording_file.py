"""The file of a recording: the same bytes for the same content, and a named error for everything that is wrong."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.replay.archive import VERSION, Archive, RecordingError, write_archive

FORMAT = "test recording"
PARTS = {"a.json": b'{"a": 1}', "b.bin": bytes(range(256)) * 40}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "it.zip"
    write_archive(path, FORMAT, {"campaign": "small"}, PARTS)
    return path


def repacked(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Change the members of an archive without its manifest noticing."""
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    change(members)
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    path.write_bytes(written.getvalue())


def read_all(path: Path, format_: str) -> None:
    archive = Archive(path, format_)
    for name in PARTS:
        archive.read(name)


def damage_of(path: Path, format_: str = FORMAT) -> str:
    with pytest.raises(RecordingError) as caught:
        read_all(path, format_)
    assert str(path) in str(caught.value)
    return caught.value.damage


def test_gives_back_what_was_put_in(path):
    archive = Archive(path, FORMAT)
    assert archive.about == {"campaign": "small"}
    assert {name: archive.read(name) for name in archive.names} == PARTS


def test_same_content_gives_the_same_bytes_whatever_its_order(path, tmp_path):
    again = tmp_path / "again.zip"
    write_archive(again, FORMAT, {"campaign": "small"}, dict(reversed(PARTS.items())))
    assert again.read_bytes() == path.read_bytes()


def test_other_content_has_another_hash(path, tmp_path):
    other = tmp_path / "other.zip"
    write_archive(other, FORMAT, {"campaign": "large"}, PARTS)
    assert Archive(other, FORMAT).sha256 != Archive(path, FORMAT).sha256


@pytest.mark.parametrize("kept", [0.2, 0.7, 0.99])
def test_file_that_was_cut_short_is_damaged(path, kept):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    assert damage_of(path) == "damaged"


def test_changed_part_has_the_wrong_hash(path):
    repacked(path, lambda members: members.update({"b.bin": b"something else"}))
    assert damage_of(path) == "wrong_hash"


def test_flipped_byte_inside_a_part_is_noticed(path):
    content = bytearray(path.read_bytes())
    content[content.index(b"b.bin") + 40] ^= 0xFF
    path.write_bytes(content)
    assert damage_of(path) == "damaged"


def test_missing_part_is_named(path):
    repacked(path, lambda members: members.pop("a.json"))
    assert damage_of(path) == "incomplete"


def test_recording_of_another_version_says_which_is_read(path):
    def newer(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"])
        members["manifest.json"] = json.dumps({**manifest, "version": VERSION + 1}).encode()

    repacked(path, newer)
    with pytest.raises(RecordingError, match=f"reads version {VERSION}") as caught:
        Archive(path, FORMAT)
    assert caught.value.damage == "wrong_version"


def test_file_of_another_format_is_no_recording(path):
    assert damage_of(path, "another recording") == "not_a_recording"


def test_zip_without_a_manifest_is_no_recording(path):
    repacked(path, lambda members: members.pop("manifest.json"))
    assert damage_of(path) == "not_a_recording"


def test_text_is_no_recording(path):
    path.write_text("hello")
    assert damage_of(path) == "damaged"


def test_path_without_a_file_says_so(tmp_path):
    assert damage_of(tmp_path / "nothing.zip") == "not_readable"


def test_every_damage_is_the_mistake_of_whoever_named_the_file():
    assert issubclass(RecordingError, SpecError)
