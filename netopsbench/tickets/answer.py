"""The answer that an agent writes as a block of text: the published reading of it, and a tolerant one."""

import re

from netopsbench.core.model import Model
from netopsbench.tickets.model import Command

BLOCK = """\
=== DIAGNOSIS ===
is_anomaly: <true|false>
faulty_devices: <comma list or "none">
fix:
<device>: <command>, one a line, or "none"
diagnosis_text:
<150-300 words>
=== END ===
"""
"""What agents are told. `fix` is an addition to the published block, whose reading ignores it."""


class TicketAnswer(Model):
    """What an agent concluded."""

    is_anomaly: bool | None
    """None when the answer doesn't say."""
    devices: tuple[str, ...] = ()
    text: str = ""
    fix: tuple[Command, ...] = ()


_PUBLISHED = re.compile(r"===\s*DIAGNOSIS\s*===(?P<body>.*?)===\s*END\s*===", re.DOTALL | re.IGNORECASE)
_TOLERANT = re.compile(r"={2,}\s*DIAGNOSIS\s*:?\s*={2,}(?P<body>.*?)(?:={2,}\s*END\b|\Z)", re.DOTALL | re.IGNORECASE)
_ANOMALY = re.compile(r"is_anomaly\s*:\s*(?P<word>true|false|yes|no)", re.IGNORECASE)
_DEVICES = re.compile(r"faulty_devices\s*:\s*(?P<list>[^\n]+)", re.IGNORECASE)
_TEXT = re.compile(r"diagnosis_text\s*:\s*(?P<text>.+)", re.IGNORECASE | re.DOTALL)
_FIX = re.compile(r"^fix\s*:(?P<lines>.*?)(?=^diagnosis_text\s*:|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_FIX_LINE = re.compile(r"(?:[-*\d.]+\s+)?(?P<on>[A-Za-z][\w.-]*)\s*:\s*(?P<run>\S.*)")
_DECORATION = re.compile(r"\*\*|__|`|^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+", re.MULTILINE)
_ESCAPED = re.compile(r"\\([_*`])")
_FENCE = re.compile(r"^[ \t]*```.*\n?", re.MULTILINE)
_NOBODY = {"", "none", "n/a", "[]", "null", "nil", "-"}


def read_published(text: str) -> TicketAnswer | None:
    """The answer as the published harness reads it, first block first; None when it finds no block."""
    found = _PUBLISHED.search(text)
    if found is None:
        return None
    body = found["body"]
    anomaly, listed, told = _ANOMALY.search(body), _DEVICES.search(body), _TEXT.search(body)
    names = listed["list"].strip() if listed else ""
    is_empty = names.lower() in ("", "none", "[]", "n/a")
    devices = () if is_empty else tuple(name.strip(",;[]\"'") for name in re.split(r"[,;\s]+", names) if name)
    return TicketAnswer(
        is_anomaly=anomaly["word"].lower() in ("true", "yes") if anomaly else None,
        devices=devices,
        text=(told["text"] if told else body).strip(),
    )


def read_tolerantly(text: str) -> TicketAnswer | None:
    """The answer whatever markdown is around it; the last block that says `is_anomaly` counts.

    None when no block does.
    """
    plain = _plain(text)
    for found in reversed(list(_TOLERANT.finditer(plain))):
        body = found["body"]
        anomaly = re.search(r"is_anomaly[\"']?\s*:\s*[\"']?(true|false|yes|no)\b", body, re.IGNORECASE)
        if anomaly is None:
            continue
        listed, told = _DEVICES.search(body), _TEXT.search(body)
        return TicketAnswer(
            is_anomaly=anomaly[1].lower() in ("true", "yes"),
            devices=_names(listed["list"]) if listed else (),
            text=(told["text"] if told else body).strip(),
            fix=_commands(text),
        )
    return None


def _plain(text: str) -> str:
    """Without markdown: fences, emphasis, headings, quotes, list marks."""
    return _DECORATION.sub("", _ESCAPED.sub(r"\1", _FENCE.sub("", text)))


def _names(listed: str) -> tuple[str, ...]:
    names = (name.strip().strip("[]()\"'.*").lower() for name in re.split(r"[,;]|\band\b|\s", listed))
    return tuple(dict.fromkeys(name for name in names if name not in _NOBODY))


def _commands(text: str) -> tuple[Command, ...]:
    """The lines under `fix:`, which are commands: only what surrounds them is stripped."""
    unfenced = re.sub(r"^[ \t>*_#]*(fix|diagnosis_text)[*_]*\s*:[*_]*", r"\1:", _FENCE.sub("", text), flags=re.M | re.I)
    found = list(_FIX.finditer(unfenced))
    if not found:
        return ()
    lines = (_FIX_LINE.fullmatch(line.strip().strip("`")) for line in found[-1]["lines"].splitlines())
    return tuple(Command(on=line["on"].strip("`*"), run=line["run"].strip().strip("`")) for line in lines if line)
