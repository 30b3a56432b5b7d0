"""Any endpoint that speaks chat completions with tools as an agent: vLLM, Ollama, a gateway; standard library only."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import JsonValue

from netopsbench.agent.contract import Agent
from netopsbench.agent.models.chat import Reply, Result, Wanted
from netopsbench.agent.models.journal import journal_of_environment
from netopsbench.agent.models.model_agent import ModelAgent
from netopsbench.agent.models.openai_wire import Completion, completion
from netopsbench.agent.models.prices import price_of
from netopsbench.agent.options import OpenAiOptions
from netopsbench.records.prices import Tokens

_ENDS: Mapping[str | None, Literal["finished", "calls", "cut", "refused"]] = {
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "cut",
    "content_filter": "refused",
}


def openai_agent(options: OpenAiOptions) -> Agent:
    """The agent `openai-compatible`; its key, if it needs one, comes from the environment. Raises KeyError."""
    key = os.environ[options.key_env] if options.key_env else None

    def make_chat(system: str, tools: Sequence[dict[str, Any]]) -> OpenAiChat:
        return OpenAiChat(options, key, system, tools)

    return ModelAgent(make_chat, price_of(options.model, options), journal_of_environment())


class OpenAiChat:
    """A conversation by chat completions."""

    def __init__(self, options: OpenAiOptions, key: str | None, system: str, tools: Sequence[dict[str, Any]]) -> None:
        self._options = options
        self._key = key
        self._tools = [
            {
                "type": "function",
                "function": {
                    "name": each["name"],
                    "description": each["description"],
                    "parameters": each["arguments"],
                },
            }
            for each in tools
        ]
        self._messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
        self._new = 0

    def say(self, text: str) -> None:
        self._messages.append({"role": "user", "content": text})

    def give(self, results: Sequence[Result], text: str) -> None:
        for each in results:
            said = f"error: {each.text}" if each.is_error else each.text
            self._messages.append({"role": "tool", "tool_call_id": each.call_id, "content": said})
        if text:
            self.say(text)

    def last_said(self) -> JsonValue:
        newest: list[JsonValue] = list(self._messages[self._new :])
        return newest

    def reply(self) -> Reply:
        request: dict[str, Any] = {
            "model": self._options.model,
            "max_tokens": self._options.max_tokens,
            "messages": self._messages,
            "tools": self._tools,
        }
        if self._options.stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        got = completion(self._options.base_url, self._key, request)
        self._messages.append(_as_sent_back(got))
        self._new = len(self._messages)
        return _reply(got)


def _as_sent_back(got: Completion) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": got.text or None}
    if got.calls:
        said["tool_calls"] = [
            {"id": each.call_id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
            for each in got.calls
        ]
    elif not got.text:
        # Endpoints refuse a message that says nothing at all.
        said["content"] = got.refusal or "(nothing)"
    return said


def _reply(got: Completion) -> Reply:
    end = "refused" if got.refusal else _ENDS.get(got.finish_reason, "finished")
    read = got.cached_tokens
    fresh = None if got.prompt_tokens is None else got.prompt_tokens - (read or 0)
    raw: dict[str, JsonValue] = {**_as_sent_back(got), "finish_reason": got.finish_reason}
    return Reply(
        text=got.text or got.refusal,
        calls=tuple(Wanted(each.call_id, each.name, _object(each.arguments)) for each in got.calls),
        end=end,
        tokens=Tokens(input=fresh, cache_read=read, output=got.completion_tokens),
        raw=raw,
    )


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
