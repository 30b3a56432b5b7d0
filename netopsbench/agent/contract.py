"""What an agent is: it gets a question and tools, and gives an answer."""

from typing import Any, Protocol

from netopsbench.records.answers import Answer, Question


class Tools(Protocol):
    """The tools of one case, however they are reached."""

    def list_tools(self) -> list[dict[str, Any]]:
        """Name, description and argument schema of every tool. Costs no call."""
        ...

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Run a tool. Raises ToolError, after which one may go on."""
        ...


class Agent(Protocol):
    """Something that diagnoses a network."""

    def answer(self, question: Question, tools: Tools) -> Answer: ...
