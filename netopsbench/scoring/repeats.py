"""How reliably an agent gets a case right when it is asked again and again."""

from collections.abc import Iterable
from math import comb

from netopsbench.core.model import Model
from netopsbench.records.score import Score
from netopsbench.scoring.statistics import Estimate, average


class PassAll(Model):
    """pass^k: the chance that k tries of a case are all right, averaged over cases."""

    k: int
    estimate: Estimate
    """Over the cases with at least `k` scored trials."""


def pass_all(scores: Iterable[Score]) -> tuple[PassAll, ...]:
    """pass^k for every k up to the most repeats that any case has; a try is right when its strict score is 1.

    Unbiased: of a case with n tries, c of them right, C(c, k) / C(n, k).
    Source of the formula: Yao and others, "τ-bench", 2024, section 4.
    """
    tries: dict[str, list[bool]] = {}
    for score in scores:
        tries.setdefault(score.case_id, []).append(score.strict == 1)
    found = []
    for k in range(1, max(map(len, tries.values()), default=0) + 1):
        chances = [
            (case_id, comb(sum(right), k) / comb(len(right), k)) for case_id, right in tries.items() if len(right) >= k
        ]
        estimate = average(chances)
        if estimate:
            found.append(PassAll(k=k, estimate=estimate))
    return tuple(found)
