"""Long lists are handed out in pages, and every page says how to read on."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from netopsbench.tools.results import Page

Offset = Annotated[int, Field(ge=0, description="First entry to return, from 0.")]
Limit = Annotated[int, Field(ge=1, le=500, description="Most entries to return.")]

Entry = TypeVar("Entry")


def page_of(entries: Sequence[Entry], offset: int, limit: int) -> tuple[tuple[Entry, ...], Page]:
    """The entries from `offset` on, at most `limit`, and where the next page starts."""
    chosen = tuple(entries[offset : offset + limit])
    following = offset + len(chosen)
    more = following if chosen and following < len(entries) else None
    return chosen, Page(offset=offset, returned=len(chosen), total=len(entries), next_offset=more)
