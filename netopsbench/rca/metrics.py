"""The published figures of one answer, each 0 to 1."""

from collections.abc import Hashable, Set
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.rca.answer import RestoredPath, Said, Triple
from netopsbench.rca.hierarchy import label_score

FailureClass = Literal["F1", "F2", "F3", "F4", "F5"]

FAILURES: dict[FailureClass, str] = {
    "F1": "a root cause is missing",
    "F2": "causes too many",
    "F3": "right mechanism, wrong object",
    "F4": "wrong mechanism",
    "F5": "no answer that can be read",
}

Action = tuple[str, str]
"""A device and a command on it, the command in the form in which equal ones are equal."""


class RcaFigures(Model):
    """Figures of a root-cause answer."""

    accuracy: float
    location: float
    """RCA-Loc: IoU of (node, object)."""
    identification: float
    """RCA-ID: IoU of causes."""
    hierarchical: float
    """Causes by their similarity, best matching, over the number of true ones."""
    failure: FailureClass | None
    """None when the answer is right."""


class PathFigures(Model):
    """Figures of a path answer."""

    accuracy: float
    endpoints: float
    """Path-Loc: IoU of the devices at which paths begin and end."""
    restored: float
    """Path-Rest: IoU of the paths' steps."""


def iou(one: Set[Hashable], other: Set[Hashable]) -> float:
    """Share of what both have among what either has. Raises ValueError when both are empty."""
    union = one | other
    if not union:
        raise ValueError("IoU of two empty sets is not defined")
    return len(one & other) / len(union)


def evidence_f1(taken: Set[Action], golden: Set[Action]) -> float:
    """F1 of the actions taken against the golden steps. Raises ValueError when there are no golden steps."""
    if not golden:
        raise ValueError("a task without golden steps has no evidence to score")
    return 2 * len(taken & golden) / (len(taken) + len(golden))


def rca_figures(said: Said[Triple], gold: frozenset[Triple]) -> RcaFigures:
    """Figures of an answer to a task that has `gold` as its root causes. Raises ValueError when `gold` is empty."""
    places = ({(each.node, each.object) for each in entries} for entries in (said.entries, gold))
    causes = ({each.cause for each in entries} for entries in (said.entries, gold))
    is_right = said.entries == gold and not said.rejected
    return RcaFigures(
        accuracy=float(is_right),
        location=iou(*places),
        identification=iou(*causes),
        hierarchical=label_score([each.cause for each in said.entries], [each.cause for each in gold]),
        failure=None if is_right else failure_of(said, gold),
    )


def failure_of(said: Said[Triple], gold: frozenset[Triple]) -> FailureClass:
    """Why a wrong answer is wrong: the first class that applies, in the order F5, F1, F2, F4, F3.

    Missing and extra are a matter of number: an answer of as many causes as there are is wrong in what it names.
    """
    if not said.entries:
        return "F5"
    if len(said.entries) < len(gold):
        return "F1"
    if len(said.entries) > len(gold) or said.rejected:
        return "F2"
    if sorted(each.cause for each in said.entries) != sorted(each.cause for each in gold):
        return "F4"
    return "F3"


def path_figures(said: Said[RestoredPath], gold: frozenset[RestoredPath]) -> PathFigures:
    """Figures of an answer to a task whose paths are `gold`. Raises ValueError when `gold` is empty."""
    ends = ({end for path in paths for end in (path.start, path.end)} for paths in (said.entries, gold))
    edges = ({edge for path in paths for edge in path.edges} for paths in (said.entries, gold))
    return PathFigures(
        accuracy=float(said.entries == gold and not said.rejected), endpoints=iou(*ends), restored=iou(*edges)
    )
