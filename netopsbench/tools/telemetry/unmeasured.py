"""The store of a network that nobody measures: it says so, instead of having no records."""

from collections.abc import Mapping
from typing import NoReturn

from netopsbench.core.errors import ToolError
from netopsbench.records.telemetry import Window

NOT_MEASURED = "not_measured"
"""Kind of the ToolError."""
NEVER = Window(since_ns=0, until_ns=1)
"""The windows of such a network."""


class NothingMeasured:
    """Answers every query with a ToolError that names the way out."""

    def __init__(self, way_out: str) -> None:
        self._way_out = way_out

    def query(self, kind: str, window: Window | None = None, where: Mapping[str, str | int] | None = None) -> NoReturn:
        """Raises ToolError."""
        raise self._nothing(kind)

    def query_columns(
        self,
        kind: str,
        names: object,
        window: Window | None = None,
        where: Mapping[str, str | int] | None = None,
    ) -> NoReturn:
        """Raises ToolError."""
        raise self._nothing(kind)

    def _nothing(self, kind: str) -> ToolError:
        return ToolError(f"there is no measurement ({kind.replace('_', ' ')}): {self._way_out}", NOT_MEASURED)
