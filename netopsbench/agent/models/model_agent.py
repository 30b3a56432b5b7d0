"""An agent around a model: it hands over the question, runs the calls the model asks for, and takes its answer."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from netopsbench.agent.contract import Tools
from netopsbench.agent.models.chat import Chat, ProviderError, Reply, Result, StoppedError, Wanted
from netopsbench.agent.models.journal import Event, Journal
from netopsbench.agent.models.ledger import Ledger
from netopsbench.agent.models.patience import Patience
from netopsbench.agent.models.prompt import (
    ANSWER_TOOL,
    CUT,
    NOT_JSON,
    REMINDER,
    SYSTEM,
    cautions,
    opening,
    tools_for_model,
    with_left,
)
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Question
from netopsbench.records.prices import Price

_REMINDERS = 2
"""How often a model that talks instead of answering, or answers in a wrong shape, is told how to."""

ChatMaker = Callable[[str, Sequence[dict[str, Any]]], Chat]
"""A conversation, from the system prompt and the tools."""


class ModelAgent:
    """Any model, behind a chat."""

    def __init__(
        self,
        make_chat: ChatMaker,
        price: Price | None,
        journal: Journal,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.make_chat = make_chat
        self.price = price
        self._journal = journal
        self._sleep = sleep

    def answer(self, question: Question, tools: Tools) -> Answer:
        """Raises StoppedError when it has to stop without an answer."""
        offered = tools.list_tools()
        chat = self.make_chat(SYSTEM, tools_for_model(offered, question.answer_schema))
        ledger = Ledger(question.budget, self.price)
        talk = _Talk(chat, _Marked(tools, cautions(offered)), ledger, self._journal, self._sleep)
        try:
            return talk.until_answer(opening(question))
        except ProviderError as refused:
            raise StoppedError("provider_failed", str(refused)) from refused


class _Marked:
    """Tools whose results are text for a model, with a mark beside what devices wrote."""

    def __init__(self, tools: Tools, cautions: Mapping[str, str]) -> None:
        self._tools = tools
        self._cautions = cautions

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Raises ToolError."""
        told = json.dumps(self._tools.call(name, **arguments))
        caution = self._cautions.get(name, "")
        return f"{told}\n{caution}" if caution else told


class _Talk:
    """The conversation about one question."""

    def __init__(
        self, chat: Chat, tools: _Marked, ledger: Ledger, journal: Journal, sleep: Callable[[float], None]
    ) -> None:
        self._chat = chat
        self._tools = tools
        self._ledger = ledger
        self._journal = journal
        self._patience = Patience(journal, sleep)
        self._reminders_left = _REMINDERS

    def until_answer(self, opening_words: str) -> Answer:
        self._chat.say(opening_words)
        while True:
            reply = self._next_reply()
            if reply.end == "refused":
                raise StoppedError("refused", f"the model refused: {reply.text[:300] or 'without a word'}")
            if reply.end == "paused":
                continue
            answer, mistake = _answer_in(reply)
            if answer is not None:
                return answer
            if reply.calls:
                results = [self._result(call, reply, mistake) for call in reply.calls]
                self._chat.give(results, with_left(self._ledger.left()))
            if mistake is not None or not reply.calls:
                self._remind(reply, mistake)

    def _next_reply(self) -> Reply:
        self._ledger.open_turn()
        said = self._chat.last_said()
        self._journal.note(Event(t_ns=now_ns(), kind="sent", content=said))
        started = time.monotonic()
        reply = self._patience.until_answered(self._chat.reply)
        usage = self._ledger.enter(reply.tokens)
        elapsed_s = round(time.monotonic() - started, 3)
        self._journal.note(
            Event(
                t_ns=now_ns(),
                kind="reply",
                content=reply.raw,
                usage=usage,
                total=self._ledger.total,
                elapsed_s=elapsed_s,
            )
        )
        self._ledger.check()
        return reply

    def _result(self, call: Wanted, reply: Reply, mistake: str | None) -> Result:
        if call.name == ANSWER_TOOL:
            return Result(call.call_id, mistake or CUT, is_error=True)
        if reply.end == "cut":
            # Its arguments may be half of what was meant.
            return Result(call.call_id, CUT, is_error=True)
        if call.arguments is None:
            return Result(call.call_id, NOT_JSON, is_error=True)
        try:
            return Result(call.call_id, self._tools.call(call.name, call.arguments))
        except ToolError as failure:
            if failure.kind == "tool_calls_exceeded":
                raise StoppedError("tool_calls_exceeded", str(failure)) from failure
            return Result(call.call_id, f"{failure.kind}: {failure}", is_error=True)

    def _remind(self, reply: Reply, mistake: str | None) -> None:
        if self._reminders_left == 0:
            if mistake is None:
                raise StoppedError("no_answer", f"the model never answered; it said: {reply.text[:300]}")
            raise StoppedError("malformed_answer", mistake)
        self._reminders_left -= 1
        if not reply.calls:
            self._chat.say(CUT if reply.end == "cut" else REMINDER if mistake is None else f"{mistake} {REMINDER}")


def _answer_in(reply: Reply) -> tuple[Answer | None, str | None]:
    """The answer of a reply, or what is wrong with it; neither when it gives none."""
    given = next((call for call in reply.calls if call.name == ANSWER_TOOL), None)
    if given is not None:
        if reply.end == "cut":
            # Some libraries close the brackets of what came: half a list of findings would look like a whole one.
            return None, CUT
        if given.arguments is None:
            return None, NOT_JSON
        return _checked(json.dumps(given.arguments))
    start, end = reply.text.find("{"), reply.text.rfind("}")
    if reply.calls or reply.end == "cut" or not 0 <= start < end or '"verdict"' not in reply.text:
        return None, None
    return _checked(reply.text[start : end + 1])


def _checked(text: str) -> tuple[Answer | None, str | None]:
    try:
        return Answer.model_validate_json(text), None
    except ValidationError as wrong:
        mistakes = [
            f"{'.'.join(map(str, each['loc'])) or 'answer'}: {each['msg']}"
            for each in wrong.errors(include_url=False, include_input=False, include_context=False)
        ]
        return None, f"This is no valid answer: {'; '.join(mistakes)[:800]}."
