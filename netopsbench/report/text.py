"""How figures, times and other people's words are written for a reader."""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from netopsbench.records.answers import Answer, Location
from netopsbench.records.trial import Trial
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.statistics import Estimate

NOTHING = "–"
"""Where there is no figure; never 0."""

# Control characters (but for line feed and tab), half surrogates, and the marks that turn the direction of text.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def printable(words: str) -> str:
    """Text from a device or an agent with everything that could steer a screen made visible."""
    return _UNPRINTABLE.sub(_escaped, words.replace("\r\n", "\n"))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(words: str, limit: int = 200) -> str:
    """Printable text without line breaks, cut with a mark at `limit` characters."""
    flat = " ".join(printable(words[: 2 * limit]).split())
    return flat if len(flat) <= limit else f"{flat[:limit]}…"


def score_text(score: float | None) -> str:
    """A score with two decimals."""
    return NOTHING if score is None else f"{score:.2f}"


def percent(share: float | None) -> str:
    """A share as whole percent; never 0 % or 100 % for something in between."""
    if share is None:
        return NOTHING
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{share * 100:.0f} %"


def interval_text(estimate: Estimate | None) -> str:
    """The 95 % interval, `0.35–0.90`."""
    return NOTHING if estimate is None else f"{estimate.low:.2f}–{estimate.high:.2f}"


def seconds(elapsed_s: float | None) -> str:
    """A duration with about two digits that matter."""
    if elapsed_s is None:
        return NOTHING
    if 0 < elapsed_s < 0.00095:
        return f"{elapsed_s * 1e6:.0f} µs"
    if elapsed_s < 0.0995:
        return f"{elapsed_s * 1000:.0f} ms"
    return f"{elapsed_s:.2f} s" if elapsed_s < 10 else f"{elapsed_s:,.1f} s"


def signed(difference: float) -> str:
    """A difference of scores with its sign, `+0.12`."""
    return f"{difference:+.2f}".replace("-", "−")


def money(cost_usd: float | None) -> str:
    """A price in US dollars; unknown is never 0."""
    if cost_usd is None:
        return "unknown"
    return f"${cost_usd:,.2f}" if cost_usd == 0 or cost_usd >= 0.01 else "<$0.01"


def amount(count: float | None) -> str:
    """A mean count with one decimal below 100."""
    if count is None:
        return NOTHING
    return f"{count:.1f}" if count < 100 else f"{count:,.0f}"


def duration(elapsed_s: float) -> str:
    """A long time as people say it: `40 s`, `12 min`, `3 h 05 min`."""
    minutes = round(elapsed_s / 60)
    if elapsed_s < 99.5:
        return f"{elapsed_s:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def utc(t_ns: int | None) -> str:
    """A time as date and clock, UTC."""
    if t_ns is None:
        return NOTHING
    return datetime.fromtimestamp(t_ns / 1e9, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key under which leaf2 comes before leaf10."""
    # Long runs of digits stay text: Python refuses to turn thousands of them into a number.
    parts = re.split(r"([0-9]{1,9})", name)
    return tuple((0, int(part)) if part.isascii() and part.isdigit() else (1, part) for part in parts if part)


def places_text(locations: Iterable[Location]) -> str:
    """Locations joined by "or"; of anything unnamed, a word for it."""
    return " or ".join(str(location) for location in locations) or "nowhere"


def answer_text(answer: Answer | None) -> str:
    """An answer in a few words."""
    if answer is None:
        return "no answer"
    if answer.verdict == "network_healthy":
        return "healthy"
    if answer.verdict == "inconclusive":
        return "inconclusive"
    claims = [f"{finding.fault_type} at {finding.location}" for finding in answer.findings[:3]]
    more = len(answer.findings) - len(claims)
    return one_line("; ".join(claims) or "a fault, nowhere") + (f"; {more} more" if more else "")


def truth_text(trial: Trial | TrialFacts) -> str:
    """What was really wrong, in a few words; of a link's two ends the one that was touched."""
    faults = [f"{fault.fault_type} at {fault.accepted[0]}" for fault in trial.truth.faults]
    return "; ".join(faults) or "healthy"


def end_text(trial: Trial | TrialFacts) -> str:
    """How a trial without a score ended, or how its agent failed; empty when all went well."""
    reason = trial.error.reason if trial.error is not None else "no reason recorded"
    if trial.end != "scored":
        return f"{trial.end}: {reason}"
    return f"agent failed: {reason}" if trial.error is not None else ""


def pretty_json(text: str) -> str:
    """JSON text indented; anything else as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
