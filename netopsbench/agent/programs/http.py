"""A service as an agent: it is posted the question, calls the tools back over HTTP, and responds with its answer."""

import json
import os
import secrets
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import ValidationError

from netopsbench.agent.contract import Tools
from netopsbench.agent.models.chat import StoppedError
from netopsbench.agent.options import HttpOptions
from netopsbench.agent.programs.http_mcp import mcp_over_http
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Question

_LONGEST = 1 << 20


class HttpAgent:
    """Posts `{"question": …, "tools": {"url", "mcp_url", "token"}}` and reads the answer from the response."""

    def __init__(self, options: HttpOptions) -> None:
        self._options = options

    def answer(self, question: Question, tools: Tools) -> Answer:
        """Raises StoppedError when the service gives no valid answer."""
        host = self._options.tools_host
        with tools_over_http(tools, host) as where, mcp_over_http(host, where["token"]) as mcp_url:
            offered = {**where, "mcp_url": mcp_url or None}
            asked = {"question": question.as_told().model_dump(mode="json"), "tools": offered}
            given = self._posted(json.dumps(asked).encode(), question.budget.wall_time_s)
        if not given.strip():
            raise StoppedError("no_answer", "the service's response is empty")
        try:
            return Answer.model_validate_json(given)
        except ValidationError as wrong:
            first = wrong.errors(include_url=False, include_input=False)[0]
            where_wrong = ".".join(map(str, first["loc"])) or "answer"
            raise StoppedError("malformed_answer", f"{where_wrong}: {first['msg']}") from wrong

    def _posted(self, body: bytes, timeout_s: float) -> bytes:
        request = urllib.request.Request(self._options.url, data=body, headers={"Content-Type": "application/json"})
        if self._options.key_env:
            request.add_unredirected_header("Authorization", f"Bearer {os.environ[self._options.key_env]}")
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                given: bytes = response.read(_LONGEST + 1)
        except urllib.error.HTTPError as failure:
            raise StoppedError("crashed", f"the service responded {failure.code} {failure.reason}") from failure
        except OSError as failure:
            raise StoppedError("crashed", f"{self._options.url}: {failure}") from failure
        if len(given) > _LONGEST:
            raise StoppedError("malformed_answer", f"more than {_LONGEST} bytes of response")
        return given


@contextmanager
def tools_over_http(tools: Tools, host: str) -> Iterator[dict[str, str]]:
    """Offer `tools` at a URL for the block: `{"url", "token"}`.

    `GET url` lists them; `POST url` with `{"tool", "arguments"}` calls one. Both want `Authorization: Bearer token`.
    """
    token = secrets.token_urlsafe(24)
    server = ThreadingHTTPServer((host, 0), _handler(tools, token))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield {"url": f"http://{host}:{server.server_address[1]}/tools", "token": token}
    finally:
        server.shutdown()
        server.server_close()


def _handler(tools: Tools, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one request."""

        def do_GET(self) -> None:
            if self._may():
                self._send(200, {"tools": tools.list_tools()})

        def do_POST(self) -> None:
            if not self._may():
                return
            size = self.headers.get("Content-Length", "")
            try:
                name, arguments = _asked(self.rfile.read(min(int(size or 0), _LONGEST)))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                self._send(400, _error("bad_request", 'post {"tool": name, "arguments": {…}}'))
                return
            try:
                self._send(200, {"result": tools.call(name, **arguments)})
            except ToolError as failure:
                self._send(200, _error(failure.kind, str(failure)))

        def _may(self) -> bool:
            given = self.headers.get("Authorization", "")
            if secrets.compare_digest(given.encode(), f"Bearer {token}".encode()):
                return True
            self._send(401, _error("unauthorized", "the token of the question is wanted: Authorization: Bearer TOKEN"))
            return False

        def _send(self, status: int, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as its base names it
            """Nothing: every call is in the tool server's record."""

    return Handler


def _asked(body: bytes) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call. Raises what malformed JSON and missing keys raise."""
    asked = json.loads(body)
    return str(asked["tool"]), dict(asked.get("arguments") or {})


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}
