"""The names that a BIND of a Kathará lab serves: what its zone files say, for as far as they give addresses."""

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address

_ZONE = re.compile(r'zone\s+"(?P<zone>[^"]+)"[^{]*\{[^}]*?file\s+"(?P<file>[^"]+)"', re.DOTALL)
_ORIGIN = re.compile(r"\$ORIGIN\s+(?P<origin>\S+)")
_RECORD = re.compile(
    r"(?P<name>\S+)?\s+(?:\d+[smhdw]?\s+)?(?:IN\s+)?(?:\d+[smhdw]?\s+)?A\s+(?P<address>[\d.]+)", re.IGNORECASE
)
_OTHER = re.compile(r"(?:\S+\s+|\s+)(?:\d+[smhdw]?\s+)?(?:IN\s+)?(?:\d+[smhdw]?\s+)?(?P<kind>[A-Z]{2,10})\s+\S.*")
_OF_THE_ZONE_ITSELF = ("SOA", "NS")
_DIRECTORY = "/etc/bind"


def zone_records(files: Mapping[str, str]) -> dict[str, IPv4Address]:
    """Name to address; of several addresses the last. `files` are by path from the root, `etc/bind/…`."""
    return {name: address for zone, file in _zones(files) for name, address in _records(zone, files.get(file, ""))}


def unserved_records(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(path, line) of each record of a zone that is of another kind than A, but for the zone's own SOA and NS."""
    for _, file in _zones(files):
        for line in files.get(file, "").splitlines():
            bare = line.partition(";")[0].rstrip()
            found = _OTHER.fullmatch(bare)
            if found and found["kind"] not in _OF_THE_ZONE_ITSELF and not _RECORD.fullmatch(bare):
                yield file, bare.strip()


def _zones(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each zone and the path of its file, from the root."""
    for path, text in files.items():
        if path.startswith("etc/bind/"):
            for found in _ZONE.finditer(text):
                file = found["file"] if found["file"].startswith("/") else f"{_DIRECTORY}/{found['file']}"
                yield found["zone"], file.removeprefix("/")


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
