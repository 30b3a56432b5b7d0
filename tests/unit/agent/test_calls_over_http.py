"""The tools at a URL: a request that can't be taken harms no other."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from sim_server import simulated_server

from netopsbench.agent.programs.http import tools_over_http
from netopsbench.tools.client import ToolClient

Where = dict[str, str]


@pytest.fixture
def where() -> Iterator[Where]:
    with simulated_server() as socket, tools_over_http(ToolClient(socket), "127.0.0.1") as offered:
        yield offered


def posted(where: Where, body: bytes) -> tuple[int, Any]:
    request = urllib.request.Request(where["url"], body, {"Authorization": f"Bearer {where['token']}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (json.dumps({"tool": "get_topology", "arguments": {"device": "x" * 300_000}}).encode(), 200),
        (b"[" * 60_000, 400),
        (b"{}", 400),
    ],
    ids=["too long", "too deep", "no call"],
)
def test_a_bad_request_is_told_and_the_next_call_is_answered(where: Where, body: bytes, status: int) -> None:
    answered, told = posted(where, body)
    assert (answered, told["error"]["kind"]) == (status, "bad_request")
    answered, told = posted(where, b'{"tool": "get_topology", "arguments": {}}')
    assert (answered, "nodes" in told["result"]) == (200, True)
