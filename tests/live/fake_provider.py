"""A model provider on loopback that speaks the real wire formats: server-sent events, status codes, cut streams.

Each request takes the next turn of a script; requests are kept for the test to look at.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Turn:
    """One reply of the provider."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    end: str | None = None
    """The provider's own word; None for the usual one."""
    thinking: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: str = ""
    """With a status an error body, else an error event in the middle of the stream."""
    is_cut: bool = False
    """The connection closes before the reply is over."""
    is_cut_in_a_line: bool = False
    """It closes in the middle of an event."""
    argument_chars: int | None = None
    """How much of the arguments of the last call is written; None for all of it."""
    tokens: tuple[int, int, int] | None = (100, 40, 10)
    """Input without the cached, cached input, output; None where the provider doesn't count."""


@dataclass
class Provider:
    """A provider that runs."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def provider(turns: Sequence[Turn], *, kind: str, is_each_its_own: bool = False) -> Iterator[Provider]:
    """Run a provider for the block; `kind` is `anthropic` or `openai`. The last turn is repeated for ever.

    The script is that of all requests together, or of each conversation by itself.
    """
    running = Provider("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            replied = sum(message["role"] == "assistant" for message in body["messages"])
            number = replied if is_each_its_own else len(running.requests)
            turn = turns[min(number, len(turns) - 1)]
            running.requests.append(body)
            running.headers.append({name.lower(): value for name, value in self.headers.items()})
            if turn.status != 200:
                self.reply(turn, "application/json", [{"type": "error", "error": {"type": turn.error}}])
            elif kind == "openai" and not body.get("stream"):
                self.reply(turn, "application/json", [_whole(turn)])
            else:
                events = _anthropic(turn, body["model"]) if kind == "anthropic" else _openai(turn)
                self.reply(turn, "text/event-stream", events)

        def reply(self, turn: Turn, content_type: str, parts: list[dict[str, Any]]) -> None:
            self.send_response(turn.status)
            self.send_header("Content-Type", content_type)
            for name, value in turn.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for part in parts[: len(parts) // 2] if turn.is_cut else parts:
                if content_type == "application/json":
                    self.wfile.write(json.dumps(part).encode())
                    continue
                name = f"event: {part['type']}\n" if kind == "anthropic" else ""
                event = f"{name}data: {json.dumps(part)}\n\n".encode()
                if turn.is_cut_in_a_line and part is parts[len(parts) // 2]:
                    self.wfile.write(event[:-20])
                    return
                self.wfile.write(event)
            if kind == "openai" and content_type == "text/event-stream" and not turn.is_cut:
                self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    running.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()


def _anthropic(turn: Turn, model: str) -> list[dict[str, Any]]:
    fresh, cached, output = turn.tokens or (0, 0, 0)
    usage = {"input_tokens": fresh, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    begun = {**message, "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if turn.thinking:
        deltas = [
            {"type": "thinking_delta", "thinking": turn.thinking},
            {"type": "signature_delta", "signature": "c2lnbmVk"},
        ]
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if turn.text:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": turn.text}]))
    for number, (name, arguments) in enumerate(turn.calls):
        text = _written(turn, number, arguments)
        parts = [{"type": "input_json_delta", "partial_json": part} for part in (text[:5], text[5:])]
        blocks.append(({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}, parts))
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    if turn.error:
        return [*events, {"type": "error", "error": {"type": turn.error, "message": "Overloaded"}}]
    end = turn.end or ("tool_use" if turn.calls else "end_turn")
    delta = {"stop_reason": end, "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}},
        {"type": "message_stop"},
    ]


def _openai(turn: Turn) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": part} for part in (turn.text[:3], turn.text[3:]) if part]
    for index, (name, arguments) in enumerate(turn.calls):
        text = _written(turn, index, arguments)
        deltas.append({"tool_calls": [{"index": index, "id": f"call_{index}", "function": {"name": name}}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": p}}]} for p in (text[:4], text[4:])]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    if turn.error:
        return [*chunks, {"error": {"message": turn.error}}]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": _openai_end(turn)}]})
    return [*chunks, *([{"choices": [], "usage": _openai_usage(turn)}] if turn.tokens else [])]


def _whole(turn: Turn) -> dict[str, Any]:
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(turn.calls)
    ]
    message = {"role": "assistant", "content": turn.text or None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": _openai_end(turn)}
    return {"choices": [choice], **({"usage": _openai_usage(turn)} if turn.tokens else {})}


def _written(turn: Turn, number: int, arguments: dict[str, Any]) -> str:
    return json.dumps(arguments)[: turn.argument_chars if number == len(turn.calls) - 1 else None]


def _openai_end(turn: Turn) -> str:
    words = {"max_tokens": "length", "refusal": "content_filter"}
    return words.get(turn.end or "", "tool_calls" if turn.calls else "stop")


def _openai_usage(turn: Turn) -> dict[str, Any]:
    assert turn.tokens is not None
    fresh, cached, output = turn.tokens
    details = {"cached_tokens": cached}
    return {"prompt_tokens": fresh + cached, "completion_tokens": output, "prompt_tokens_details": details}
