"""How agents are named: `baseline`, or a kind with what it is told, `claude:model=…`, `command:./my-agent --fast`."""

import json
import os
from pathlib import Path

from pydantic import JsonValue

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.redact import redacted_text

TRUSTED = "command+trust"
KINDS = {
    "claude": "claude:MODEL or claude:model=MODEL,thinking=adaptive,effort=high",
    "openai-compatible": "openai-compatible:base_url=URL,model=MODEL,key_env=VARIABLE",
    "command": "command:PROGRAM ARGUMENTS, shut in",
    TRUSTED: "command+trust:PROGRAM ARGUMENTS, not shut in",
    "http": "http:URL or http:url=URL,key_env=VARIABLE",
    "python": "python:ENTRY-POINT or python:name=ENTRY-POINT,option=value",
    "constant": 'constant:ANSWER-AS-JSON, constant:{"verdict": "network_healthy"}',
    "random": "random or random:seed=2",
}
"""Kinds of agents that can be told something, and how that is written."""

_NEEDS_NOTHING = "random"
_ALONE = {"claude": "model", "http": "url", "python": "name"}
"""What a single word after the colon means."""


class Choice(Model):
    """An agent of the catalogue and its options."""

    agent: str
    options: dict[str, JsonValue]


def is_spec(name: str) -> bool:
    """Whether a name says more than the name of an agent that needs nothing."""
    return ":" in name or (name in KINDS and name != _NEEDS_NOTHING)


def hint_at_file(text: str) -> str:
    """How a program is named, when `text` is a file's path and no agent's name; else nothing."""
    if not Path(text).is_file():
        return ""
    started_by = (
        "" if os.access(text, os.X_OK) else {".py": "python3 ", ".js": "node ", ".sh": "sh "}.get(Path(text).suffix, "")
    )
    return f"it is a file; to examine a program write command:{started_by}{text}; "


def parse_spec(text: str) -> Choice:
    """The agent and the options that `text` names. Raises SpecError.

    The text is kept in records, so a key in it is refused: keys stand in environment variables.
    """
    kind, _, rest = text.partition(":")
    if redacted_text(text) != text:
        wanted = "it seems to hold a key; put that into an environment variable and name the variable: key_env=NAME"
        raise SpecError([Problem("agent", "", kind, wanted)])
    if kind not in KINDS:
        raise SpecError([Problem("agent", "", kind, f"{hint_at_file(text)}kinds of agents: {', '.join(KINDS)}")])
    if not rest.strip():
        raise SpecError([Problem("agent", "", text, f"write it as {KINDS[kind]}")])
    if kind in ("command", TRUSTED):
        return Choice(agent="command", options={"command": rest, "trust": kind == TRUSTED})
    if kind == "constant":
        return Choice(agent=kind, options={"answer": _answer(rest)})
    return Choice(agent=kind, options=_options(kind, rest))


def _answer(text: str) -> JsonValue:
    try:
        found: JsonValue = json.loads(text)
    except ValueError:
        raise SpecError([Problem("agent constant", "answer", text, f"JSON, as in {KINDS['constant']}")]) from None
    return found


def _options(kind: str, rest: str) -> dict[str, JsonValue]:
    first, is_pair, _ = rest.partition("=")
    if kind in _ALONE and not (is_pair and first.isidentifier()):
        # The one word may be followed by options.
        word, _, more = rest.partition(",")
        return {_ALONE[kind]: word, **(_pairs(kind, more) if more else {})}
    return _pairs(kind, rest)


def _pairs(kind: str, text: str) -> dict[str, JsonValue]:
    options: dict[str, JsonValue] = {}
    further: dict[str, JsonValue] = {}
    for part in text.split(","):
        key, is_pair, value = part.partition("=")
        if not is_pair or not key.strip():
            raise SpecError([Problem(f"agent {kind}", "", part, f"key=value, as in {KINDS[kind]}")])
        own = kind != "python" or key.strip() == "name"
        (options if own else further)[key.strip()] = value.strip()
    return {**options, **({"options": further} if further else {})}
