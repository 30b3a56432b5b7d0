"""Claude as an agent: Anthropic's Messages API. The only module that imports the SDK."""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

import anthropic
from pydantic import JsonValue

from netopsbench.agent.contract import Agent
from netopsbench.agent.models.chat import BusyError, ProviderError, Reply, Result, Wanted
from netopsbench.agent.models.journal import journal_of_environment
from netopsbench.agent.models.model_agent import ModelAgent
from netopsbench.agent.models.prices import price_of
from netopsbench.agent.options import ClaudeOptions
from netopsbench.records.prices import Tokens

_TIMEOUT_S = 600.0
_BUSY_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_BUSY_TYPES = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
_CACHED = {"type": "ephemeral"}
_ENDS: dict[str | None, Literal["finished", "calls", "cut", "refused", "paused"]] = {
    "tool_use": "calls",
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refused",
    "pause_turn": "paused",
}


def claude_agent(options: ClaudeOptions) -> Agent:
    """The agent `claude`; its key comes from the environment. Raises KeyError without one."""
    client = anthropic.Anthropic(
        api_key=os.environ[options.key_env],
        base_url=options.base_url,
        timeout=_TIMEOUT_S,
        # The SDK's own retries would hide how long the provider let us wait.
        max_retries=0,
    )

    def make_chat(system: str, tools: Sequence[dict[str, Any]]) -> ClaudeChat:
        return ClaudeChat(client, options, system, tools)

    return ModelAgent(make_chat, price_of(options.model, options), journal_of_environment())


class ClaudeChat:
    """A conversation by the Messages API, streamed."""

    def __init__(
        self, client: anthropic.Anthropic, options: ClaudeOptions, system: str, tools: Sequence[dict[str, Any]]
    ) -> None:
        self._client = client
        self._options = options
        self._system = [{"type": "text", "text": system, "cache_control": _CACHED}]
        self._tools = [
            {"name": each["name"], "description": each["description"], "input_schema": each["arguments"]}
            for each in tools
        ]
        self._messages: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        self._add([{"type": "text", "text": text}])

    def give(self, results: Sequence[Result], text: str) -> None:
        blocks: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": each.call_id, "content": each.text, "is_error": each.is_error}
            for each in results
        ]
        self._add([*blocks, *([{"type": "text", "text": text}] if text else [])])

    def _add(self, blocks: list[dict[str, Any]]) -> None:
        """All of ours that stands between two replies is one message."""
        if self._messages and self._messages[-1]["role"] == "user":
            self._messages[-1]["content"] += blocks
        else:
            self._messages.append({"role": "user", "content": blocks})

    def last_said(self) -> JsonValue:
        mine: JsonValue = self._messages[-1] if self._messages[-1]["role"] == "user" else None
        return mine

    def reply(self) -> Reply:
        message = _translated(self._streamed)
        # As it came: thinking blocks carry signatures, and the provider refuses them when a letter is changed.
        content: list[dict[str, Any]] = [block.to_dict(mode="json") for block in message.content]
        if content:
            self._messages.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        said: JsonValue = json.loads(json.dumps(content))
        counted = message.usage
        return Reply(
            text="".join(block["text"] for block in content if block["type"] == "text"),
            calls=tuple(Wanted(each["id"], each["name"], _object(each["input"])) for each in calls),
            end=_ENDS.get(message.stop_reason, "finished"),
            tokens=Tokens(
                input=counted.input_tokens,
                cache_write=counted.cache_creation_input_tokens,
                cache_read=counted.cache_read_input_tokens,
                output=counted.output_tokens,
            ),
            raw={"role": "assistant", "content": said, "stop_reason": message.stop_reason, "model": message.model},
        )

    def _streamed(self) -> anthropic.types.Message:
        request: dict[str, Any] = {
            "model": self._options.model,
            "max_tokens": self._options.reply_tokens,
            "system": self._system,
            "tools": self._tools,
            "messages": _with_cache_mark(self._messages),
        }
        if self._options.thinking_tokens is not None:
            request["thinking"] = {"type": "enabled", "budget_tokens": self._options.thinking_tokens}
        elif self._options.thinking is not None:
            request["thinking"] = {"type": self._options.thinking}
        if self._options.effort is not None:
            request["output_config"] = {"effort": self._options.effort}
        with self._client.messages.stream(**request) as stream:
            message = stream.get_final_message()
        if message.stop_reason is None:
            # The connection closed in an orderly way, but before the message was over.
            raise BusyError("the stream ended in the middle of a reply")
        whole: anthropic.types.Message = message
        return whole


def _with_cache_mark(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages, marked at their end: the next request, which begins with the same, is read from the cache."""
    *before, last = messages
    if last["role"] != "user":
        return list(messages)
    *blocks, end = last["content"]
    return [*before, {**last, "content": [*blocks, {**end, "cache_control": _CACHED}]}]


def _object(value: object) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return dict(value) if isinstance(value, dict) else None


def _translated(ask: Callable[[], anthropic.types.Message]) -> anthropic.types.Message:
    """What `ask` returns, with the SDK's errors as ours."""
    try:
        return ask()
    except anthropic.APIStatusError as failure:
        kind = _error_type(failure.body)
        told = f"{failure.status_code} {kind}".strip()
        if failure.status_code in _BUSY_STATUS or kind in _BUSY_TYPES:
            raise BusyError(told, _seconds(failure.response.headers.get("retry-after"))) from failure
        raise ProviderError(f"{told}: {failure.message[:500]}") from failure
    except anthropic.APIConnectionError as failure:
        raise BusyError(f"no connection: {failure.__cause__ or failure}") from failure
    except anthropic.APIError as failure:
        if _error_type(failure.body) in _BUSY_TYPES:
            raise BusyError(_error_type(failure.body)) from failure
        raise ProviderError(failure.message[:500]) from failure
    except (anthropic.AnthropicError, ValueError) as failure:
        raise ProviderError(str(failure)[:500]) from failure


def _error_type(body: object) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get("type", "")) if isinstance(error, dict) else ""


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
