"""Answers by what was asked, one in a line, understood only when they are needed: most answers of a case never are."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue


def packed_entries(entries: Mapping[str, JsonValue]) -> bytes:
    """The entries by their keys, which hold no tab and no end of line (JSON has neither)."""
    lines = (f"{key}\t{json.dumps(entries[key], separators=(',', ':'))}\n" for key in sorted(entries))
    return "".join(lines).encode()


class Entries:
    """What `packed_entries` kept."""

    def __init__(self, packed: bytes) -> None:
        pairs = (line.partition(b"\t") for line in packed.splitlines())
        self._raw = {key: value for key, _, value in pairs}
        self._read: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._raw)

    def get(self, key: str) -> Any:
        """What was kept for a key, None when nothing was."""
        if key not in self._read:
            raw = self._raw.get(key.encode())
            self._read[key] = None if raw is None else json.loads(raw)
        return self._read[key]
