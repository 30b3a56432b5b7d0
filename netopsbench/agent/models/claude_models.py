"""How models of Anthropic's think, where a request for the wrong way would be refused.

A model that stands in neither list takes both ways, or sources differ: then the provider has the last word. Compared on
2026-11-30 with https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html and
https://platform.claude.com/docs/en/models/opus-5-5/migration-guide.
"""

_ADAPTIVE_ONLY = (
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5-5",
    "claude-sonnet-5",
    "claude-haiku-5-5",
    "claude-fable-5",
    "claude-mythos",
)
_FIXED_ROOM_ONLY = (
    "claude-3-7-sonnet",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2",
    "claude-opus-4-5",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
)
"""`-4-2` begins the date of a release that has no second number, `claude-opus-4-20250514`."""


def thinks_adaptively_only(model: str) -> bool:
    """Whether a model refuses a fixed room for thinking."""
    return model.startswith(_ADAPTIVE_ONLY)


def thinks_in_fixed_room_only(model: str) -> bool:
    """Whether a model refuses to decide itself how much it thinks."""
    return model.startswith(_FIXED_ROOM_ONLY)
