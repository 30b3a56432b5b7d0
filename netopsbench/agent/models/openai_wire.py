"""One request for a chat completion over HTTP, whole or streamed; standard library only."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from netopsbench.agent.models.chat import BusyError, ProviderError

_TIMEOUT_S = 600.0
_BUSY_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_LINE = 1 << 24


@dataclass
class FunctionCall:
    """A call as the endpoint wrote it."""

    call_id: str = ""
    name: str = ""
    arguments: str = ""
    """JSON, or what the model took for it."""


@dataclass
class Completion:
    """One whole reply."""

    text: str = ""
    refusal: str = ""
    calls: list[FunctionCall] = field(default_factory=list)
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    """Cached ones included."""
    cached_tokens: int | None = None
    completion_tokens: int | None = None


def completion(base_url: str, key: str | None, request: dict[str, Any]) -> Completion:
    """Ask for one completion.

    Raises BusyError when the endpoint is overloaded, out of reach or cut the reply off, ProviderError when it refuses.
    """
    asked = urllib.request.Request(
        base_url.rstrip("/") + "/chat/completions",
        data=json.dumps(request).encode(),
        headers={"Content-Type": "application/json", "Accept": "text/event-stream, application/json"},
    )
    if key is not None:
        # Not passed on when the endpoint redirects elsewhere.
        asked.add_unredirected_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(asked, timeout=_TIMEOUT_S) as answer:
            if "text/event-stream" in (answer.headers.get("Content-Type") or ""):
                return _from_stream(answer)
            return _from_whole(json.loads(answer.read()))
    except urllib.error.HTTPError as failure:
        raise _of_status(failure) from failure
    except (OSError, http.client.HTTPException) as failure:
        raise BusyError(f"no connection: {failure}") from failure
    except (ValueError, LookupError, TypeError, AttributeError) as wrong:
        raise ProviderError(f"the endpoint's reply is no chat completion: {wrong!r}") from wrong


def _of_status(failure: urllib.error.HTTPError) -> BusyError | ProviderError:
    told = f"{failure.code} {failure.read(2000).decode(errors='replace').strip()[:500]}"
    if failure.code not in _BUSY_STATUS:
        return ProviderError(told)
    after = failure.headers.get("Retry-After", "")
    return BusyError(told, float(after) if after.isdigit() else None)


def _from_whole(body: dict[str, Any]) -> Completion:
    choice = body["choices"][0]
    message = choice["message"]
    got = Completion(finish_reason=choice.get("finish_reason"))
    got.text, got.refusal = message.get("content") or "", message.get("refusal") or ""
    for each in message.get("tool_calls") or []:
        function = each["function"]
        got.calls.append(FunctionCall(each["id"], function["name"], function.get("arguments") or ""))
    _count(got, body.get("usage"))
    return got


def _from_stream(answer: IO[bytes]) -> Completion:
    got, is_over = Completion(), False
    calls: dict[int, FunctionCall] = {}
    for event in _events(answer):
        if event == "[DONE]":
            is_over = True
            break
        chunk = json.loads(event)
        if chunk.get("error"):
            raise BusyError(f"an error in the stream: {json.dumps(chunk['error'])[:300]}")
        _count(got, chunk.get("usage"))
        for choice in chunk.get("choices") or []:
            got.finish_reason = choice.get("finish_reason") or got.finish_reason
            _add_delta(got, calls, choice.get("delta") or {})
    if not is_over and got.finish_reason is None:
        raise BusyError("the stream ended in the middle of a reply")
    got.calls = [calls[index] for index in sorted(calls)]
    return got


def _events(answer: IO[bytes]) -> Iterator[str]:
    while line := answer.readline(_LONGEST_LINE):
        name, _, value = line.decode(errors="replace").partition(":")
        if name != "data":
            continue
        event = value.strip()
        if not line.endswith(b"\n") and event != "[DONE]":
            raise BusyError("the stream ended in the middle of a line")
        yield event


def _add_delta(got: Completion, calls: dict[int, FunctionCall], delta: dict[str, Any]) -> None:
    got.text += delta.get("content") or ""
    got.refusal += delta.get("refusal") or ""
    for part in delta.get("tool_calls") or []:
        call = calls.setdefault(part.get("index", len(calls)), FunctionCall())
        function = part.get("function") or {}
        call.call_id += part.get("id") or ""
        call.name += function.get("name") or ""
        call.arguments += function.get("arguments") or ""


def _count(got: Completion, usage: dict[str, Any] | None) -> None:
    if usage:
        got.prompt_tokens = usage.get("prompt_tokens")
        got.completion_tokens = usage.get("completion_tokens")
        got.cached_tokens = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
