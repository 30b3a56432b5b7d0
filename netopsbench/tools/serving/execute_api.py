"""`execute` over HTTP: `POST /api/agent/execute`, one process, any number of questions, standard library only.

Each question has a desk, so that calls are metered as over every other way. `docs/vendors.md` is the description that
clients are written from.
"""

import hmac
import json
import socket
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from netopsbench.core.errors import ToolError
from netopsbench.tools.serving.desk import Desk
from netopsbench.vendors.lines import BAD_SYNTAX, BUSY, DENIED
from netopsbench.vendors.recorded import NO_PERMISSION

PATH = "/api/agent/execute"
LONGEST_BODY = 65536
"""Bytes of a request."""
PATIENCE_S = 30
"""How long a client may take to send a request."""

_STATUS: Mapping[str, HTTPStatus] = {
    "bad_arguments": HTTPStatus.BAD_REQUEST,
    "bad_request": HTTPStatus.BAD_REQUEST,
    "unknown_device": HTTPStatus.NOT_FOUND,
    "not_recorded": HTTPStatus.NOT_FOUND,
    DENIED: HTTPStatus.FORBIDDEN,
    BAD_SYNTAX: HTTPStatus.UNPROCESSABLE_ENTITY,
    BUSY: HTTPStatus.TOO_MANY_REQUESTS,
    "tool_calls_exceeded": HTTPStatus.TOO_MANY_REQUESTS,
    "not_measured": HTTPStatus.SERVICE_UNAVAILABLE,
    "timeout": HTTPStatus.GATEWAY_TIMEOUT,
}
"""Kind of an error to its status; any other is the server's own failure."""
_FIELDS: Mapping[str, type] = {"device_name": str, "command": str, "question_number": int}


class RefusedError(Exception):
    """A request that isn't answered with a result."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        self.status = status
        super().__init__(why)


def api_server(listener: socket.socket, desks: Mapping[int, Desk], token: str | None = None) -> ThreadingHTTPServer:
    """A server on a listening socket; `serve_forever` and `shutdown` are the caller's.

    `desks` holds each question's tools by its number. With a `token` every request has to show it.
    """

    class Handler(ExecuteHandler):
        asked = desks
        secret = token

    server = ThreadingHTTPServer(listener.getsockname()[:2], Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    return server


class ExecuteHandler(BaseHTTPRequestHandler):
    """One client."""

    asked: ClassVar[Mapping[int, Desk]] = {}
    secret: ClassVar[str | None] = None
    timeout = PATIENCE_S
    wbufsize = -1
    disable_nagle_algorithm = True
    protocol_version = "HTTP/1.1"
    server_version = "netopsbench"
    sys_version = ""

    def do_POST(self) -> None:
        """Answer a command."""
        fields: dict[str, Any] = {}
        try:
            body = self._body()
            self._check_client()
            fields = _fields(body)
            told = _executed(self.asked, fields)
            self._reply(HTTPStatus.OK, {"status": "success", **told})
        except RefusedError as refused:
            self._reply(refused.status, _refusal(fields, self._vendor(fields), str(refused)))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what no method here answers, or what is no request of HTTP."""
        status = HTTPStatus(code)
        # The library knows no method but those of this class.
        if status == HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        # Whatever body there is stays unread.
        self.close_connection = True
        why = f"POST {PATH}" if status == HTTPStatus.METHOD_NOT_ALLOWED else message or status.phrase
        self._reply(status, _refusal({}, None, why))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Calls are recorded at the desk."""

    def _body(self) -> bytes:
        """The whole body, read first so that the connection can go on whatever is answered."""
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= LONGEST_BODY:
            self.close_connection = True
            wanted = f"a body with a Content-Length of at most {LONGEST_BODY}"
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"send {wanted}")
        return self.rfile.read(length)

    def _check_client(self) -> None:
        if self.path != PATH:
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no {self.path[:80]}; POST {PATH}")
        # A browser adds this header to whatever a page of some other site makes it send.
        if self.headers.get("Origin") is not None:
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "requests of web pages are not answered")
        if self.secret is not None:
            shown = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(shown.encode(), self.secret.encode()):
                raise RefusedError(HTTPStatus.UNAUTHORIZED, "show the token: Authorization: Bearer TOKEN")

    def _vendor(self, fields: Mapping[str, Any]) -> str | None:
        """Whose device was asked; None when there is no such question or device."""
        desk = self.asked.get(fields.get("question_number", 0))
        return None if desk is None else desk.vendors().get(fields["device_name"])

    def _reply(self, status: HTTPStatus, content: Mapping[str, Any]) -> None:
        raw = json.dumps(content).encode()
        self.send_response(status)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)


def _fields(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as wrong:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is not JSON, or nested too deeply") from wrong
    if not isinstance(request, dict):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is not a JSON object")
    missing = [name for name in _FIELDS if name not in request]
    if missing:
        raise RefusedError(HTTPStatus.BAD_REQUEST, f"missing: {', '.join(missing)}")
    # `True` is an integer to Python and a mistake here.
    wrong_kind = [name for name, kind in _FIELDS.items() if type(request[name]) is not kind]
    if wrong_kind:
        wanted = ", ".join(f"{name} is {'a number' if _FIELDS[name] is int else 'text'}" for name in wrong_kind)
        raise RefusedError(HTTPStatus.BAD_REQUEST, wanted)
    return {name: request[name] for name in _FIELDS}


def _executed(desks: Mapping[int, Desk], fields: Mapping[str, Any]) -> dict[str, Any]:
    desk = desks.get(fields["question_number"])
    if desk is None:
        known = ", ".join(map(str, sorted(desks)))
        why = f"question_number is {fields['question_number']}; the questions here are: {known}"
        raise RefusedError(HTTPStatus.BAD_REQUEST, why)
    try:
        return desk.call("execute", {"device": fields["device_name"], "command": fields["command"]})
    except ToolError as refused:
        status = _STATUS.get(refused.kind, HTTPStatus.INTERNAL_SERVER_ERROR)
        why = NO_PERMISSION if refused.kind == "not_recorded" else str(refused)
        raise RefusedError(status, why) from refused


def _refusal(fields: Mapping[str, Any], vendor: str | None, why: str) -> dict[str, Any]:
    device, command = fields.get("device_name"), fields.get("command")
    return {"status": "error", "device_name": device, "vendor": vendor, "command_executed": command, "result": why}
