"""Three kinds of agents that follow one script: the MCP clients in Python and TypeScript, and `claude`."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_provider import Turn, provider
from mcp_clients import typescript_sdk

from netopsbench.records.trial import ToolCall

HERE = Path(__file__).parent
ANSWER: dict[str, Any] = {"verdict": "network_healthy", "confidence": 0.5, "reasoning": "As the script says."}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_topology", {}),
    ("get_pingmesh_summary", {"only_changed": True}),
    ("get_pingmesh_hotspots", {}),
    *(("get_bgp_neighbors", {"device": switch}) for switch in ("leaf1", "leaf2", "spine1", "spine2")),
    ("get_device_interfaces", {"device": "leaf1"}),
    ("get_route_table", {"device": "leaf2", "limit": 5}),
    ("get_device_acl", {"device": "leaf1"}),
    ("get_device_logs", {"device": "spine1"}),
    ("ping_test", {"device": "client1", "target": "client2", "source_ports": 4}),
    # Refusals are counted too.
    ("get_bgp_neighbors", {"device": "leaf9"}),
    ("get_route_table", {"device": "leaf1", "limit": 0}),
)
"""What every agent asks, whatever the case is."""

Counted = Counter[tuple[str, str, bool]]


def counted(calls: Sequence[ToolCall]) -> Counted:
    """How often each call was metered, and whether it was refused."""
    return Counter((call.tool, json.dumps(call.arguments, sort_keys=True), call.is_error) for call in calls)


@contextmanager
def scripted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The three agents for the block, by the name of what they speak with; skips where one can't be had."""
    pytest.importorskip("anthropic", reason="the extra `claude` is not installed")
    try:
        sdk = typescript_sdk()
    except RuntimeError as reason:
        pytest.skip(f"no TypeScript client: {reason}")
    modules = next(parent for parent in sdk.parents if parent.name == "node_modules")
    script = folder / "script.json"
    script.write_text(json.dumps({"calls": CALLS, "answer": ANSWER}))
    said = (CALLS[:1], CALLS[1:], (("submit_answer", ANSWER),))
    turns = [Turn(text="As the script says.", calls=calls) for calls in said]
    monkeypatch.setenv("SCRIPTED_KEY", "k" * 24)
    with provider(turns, kind="anthropic", is_each_its_own=True) as at:
        yield {
            "python": f"command:{sys.executable} {HERE / 'scripted_agent.py'} {script}",
            "typescript": f"command:node {HERE / 'scripted_agent.mjs'} {script} {modules}/./{sdk.relative_to(modules)}",
            "claude": f"claude:claude-sonnet-4-5,key_env=SCRIPTED_KEY,base_url={at.url}",
        }
