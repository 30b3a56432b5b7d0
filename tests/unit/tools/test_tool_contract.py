"""Tools are derived from functions, and mistakes in calls are told all at once."""

from ipaddress import IPv4Network
from typing import Annotated

import pytest
from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import tool


class Echoed(Model):
    words: tuple[str, ...]


def say_again(
    context: ToolContext,
    word: Annotated[str, Field(description="What to say.")],
    times: Annotated[int, Field(ge=1, le=3)] = 1,
    inside: IPv4Network | None = None,
) -> Echoed:
    """Say a word again.

    And again.
    """
    return Echoed(words=(word,) * times if inside is None else (word, str(inside)))


def test_name_description_and_schema_come_from_the_function() -> None:
    schema = tool(say_again, timeout_s=3).schema()
    assert schema["name"] == "say_again"
    assert schema["description"] == "Say a word again.\n\nAnd again."
    assert (schema["effect"], schema["timeout_s"]) == ("read", 3)
    arguments = schema["arguments"]
    assert list(arguments["properties"]) == ["word", "times", "inside"]
    assert arguments["required"] == ["word"]
    assert arguments["properties"]["word"]["description"] == "What to say."
    assert arguments["properties"]["times"]["maximum"] == 3


def test_arguments_arrive_typed(context: ToolContext) -> None:
    result = tool(say_again).call(context, {"word": "yes", "inside": "10.0.0.0/8"})
    assert result == Echoed(words=("yes", "10.0.0.0/8"))


def test_every_mistake_is_named_with_its_value(context: ToolContext) -> None:
    with pytest.raises(ToolError) as refused:
        tool(say_again).call(context, {"times": 7, "inside": "everywhere", "loud": True})
    assert refused.value.kind == "bad_arguments"
    for named in ("word", "times", "'7'", "everywhere", "loud", "It takes: word, times, inside"):
        assert named in str(refused.value)


def test_every_tool_of_the_catalogue_explains_itself_and_its_arguments() -> None:
    assert len({each.name for each in TOOLS}) == len(TOOLS)
    for each in TOOLS:
        assert len(each.description) > 40
        assert "$ref" not in str(each.schema()["arguments"]), "agents without a schema resolver read these"


def test_no_schema_tells_of_faults() -> None:
    """Parameter names and descriptions are the same for every case, and name no label of the answer key."""
    shown = str([each.schema() for each in TOOLS])
    for label in ("link_down", "blackhole", "misconfig", "scenario", "case_id"):
        assert label not in shown
