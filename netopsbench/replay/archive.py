"""A compressed file of named parts with a manifest of their hashes; the same content gives the same bytes."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import JsonValue, ValidationError

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.core.model import Model

Part = TypeVar("Part", bound=Model)

VERSION = 1
"""Of the way in which recordings are kept."""
_MANIFEST = "manifest.json"
_LEVEL = 9

Damage = Literal["not_readable", "not_a_recording", "wrong_version", "damaged", "wrong_hash", "incomplete", "not_alike"]


class RecordingError(SpecError):
    """For the user: a recording that can't be used; `damage` is a word a program can act on."""

    def __init__(self, path: Path, damage: Damage, found: str, wanted: str) -> None:
        self.damage = damage
        super().__init__([Problem(str(path), damage, found, wanted)])


class _Manifest(Model):
    """What stands in front of the parts."""

    format: str
    version: int
    about: JsonValue
    files: dict[str, str]
    """Name of each part to the SHA-256 of its content."""


def write_archive(path: Path, format_: str, about: Mapping[str, JsonValue], parts: Mapping[str, bytes]) -> None:
    """Write the parts to `path`, all or nothing. Raises OSError."""
    files = {name: hashlib.sha256(parts[name]).hexdigest() for name in sorted(parts)}
    manifest = _Manifest(format=format_, version=VERSION, about=dict(about), files=files)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        _put(archive, _MANIFEST, json.dumps(manifest.model_dump(mode="json"), sort_keys=True, indent=1).encode())
        for name in sorted(parts):
            _put(archive, name, parts[name])
    write_atomic(path, packed.getvalue())


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A date or the rights of a user would make another file of the same content.
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, compress_type=zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)


class Archive:
    """Such a file, open for reading. Every part is checked against its hash when it is read."""

    def __init__(self, path: Path, format_: str) -> None:
        """Raises RecordingError for a file that isn't one of this format, is cut short or of another version."""
        self.path = path
        try:
            content = path.read_bytes()
        except OSError as unreadable:
            reason = unreadable.strerror or "unreadable"
            raise RecordingError(path, "not_readable", reason, "give the path of a recording") from None
        self.sha256 = hashlib.sha256(content).hexdigest()
        """Of the whole file."""
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
        except zipfile.BadZipFile:
            wanted = "it is no recording, or only the beginning of one; record or copy it again"
            raise RecordingError(path, "damaged", f"{len(content)} bytes", wanted) from None
        manifest = self._manifest(format_)
        self.about = manifest.about
        self._files = manifest.files

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parts, sorted."""
        return tuple(sorted(self._files))

    def read(self, name: str) -> bytes:
        """One part. Raises RecordingError when it is missing, damaged or changed."""
        if name not in self._files:
            raise RecordingError(self.path, "incomplete", name, "this part is missing; record or copy it again")
        content = self._unpacked(name)
        if hashlib.sha256(content).hexdigest() != self._files[name]:
            wanted = "this part isn't what was recorded: its hash is not the one in the manifest"
            raise RecordingError(self.path, "wrong_hash", name, wanted)
        return content

    def understood(self, name: str, kind: type[Part]) -> Part:
        """One part that holds a record. Raises RecordingError, also when it isn't such a one."""
        try:
            return kind.model_validate_json(self.read(name))
        except ValidationError as wrong:
            first = wrong.errors()[0]
            where = f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise RecordingError(self.path, "damaged", where, "it can't be understood; record again") from None

    def about_as(self, kind: type[Part]) -> Part:
        """What the file says of itself. Raises RecordingError when something of it is missing."""
        try:
            return kind.model_validate(self.about)
        except ValidationError:
            wanted = "its manifest lacks something; record again"
            raise RecordingError(self.path, "not_a_recording", "about", wanted) from None

    def check(self) -> None:
        """Read every part once. Raises RecordingError for the first that is damaged."""
        for name in self.names:
            self.read(name)

    def _unpacked(self, name: str) -> bytes:
        try:
            return self._archive.read(name)
        except KeyError:
            raise RecordingError(self.path, "incomplete", name, "this part is missing; copy the file again") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError):
            raise RecordingError(
                self.path, "damaged", name, "this part can't be unpacked; copy the file again"
            ) from None

    def _manifest(self, format_: str) -> _Manifest:
        if _MANIFEST not in self._archive.namelist():
            raise RecordingError(self.path, "not_a_recording", f"no {_MANIFEST}", f"give a {format_}")
        try:
            raw = json.loads(self._unpacked(_MANIFEST))
            if isinstance(raw, dict) and raw.get("version", VERSION) != VERSION:
                wanted = f"this netopsbench reads version {VERSION}; use the one that recorded it, or record again"
                raise RecordingError(self.path, "wrong_version", str(raw["version"]), wanted)
            manifest = _Manifest.model_validate(raw)
        except (ValueError, ValidationError):
            raise RecordingError(self.path, "not_a_recording", _MANIFEST, f"give a {format_}") from None
        if manifest.format != format_:
            raise RecordingError(self.path, "not_a_recording", manifest.format, f"give a {format_}")
        return manifest
