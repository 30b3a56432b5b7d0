"""The names that a BIND of a Kathará lab serves: what its zone files say, for as far as they give addresses."""

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address

_ZONE = re.compile(r'zone\s+"(?P<zone>[^"]+)"[^{]*\{[^}]*?file\s+"(?P<file>[^"]+)"', re.DOTALL)
_ORIGIN = re.compile(r"\$ORIGIN\s+(?P<origin>\S+)")
_RECORD = re.compile(
    r"(?P<name>\S+)?\s+(?:\d+[smhdw]?\s+)?(?:IN\s+)?(?:\d+[smhdw]?\s+)?A\s+(?P<address>[\d.]+)", re.IGNORECASE
)
_DIRECTORY = "/etc/bind"


def zone_records(files: Mapping[str, str]) -> dict[str, IPv4Address]:
    """Name to address; of several addresses the last. `files` are by path from the root, `etc/bind/…`."""
    records: dict[str, IPv4Address] = {}
    for path, text in files.items():
        if not path.startswith("etc/bind/"):
            continue
        for found in _ZONE.finditer(text):
            file = found["file"] if found["file"].startswith("/") else f"{_DIRECTORY}/{found['file']}"
            records.update(_records(found["zone"], files.get(file.removeprefix("/"), "")))
    return records


def _records(zone: str, text: str) -> Iterator[tuple[str, IPv4Address]]:
    origin, last = zone.rstrip("."), "@"
    for line in text.splitlines():
        bare = line.partition(";")[0].rstrip()
        if changed := _ORIGIN.match(bare):
            origin = changed["origin"].rstrip(".")
        elif found := _RECORD.fullmatch(bare):
            last = found["name"] or last
            yield _absolute(last, origin), IPv4Address(found["address"])


def _absolute(name: str, origin: str) -> str:
    if name == "@":
        return origin
    return name.rstrip(".") if name.endswith(".") or not origin else f"{name}.{origin}"
