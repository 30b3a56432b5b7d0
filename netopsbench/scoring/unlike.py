"""What makes two runs unlike each other, in words."""

from netopsbench.records.run import RunInfo


def unlike(first: RunInfo, second: RunInfo) -> tuple[str, ...]:
    """Differences between two runs that may be behind those of their scores, as sentences."""
    facts = {**first.versions, **first.fingerprint}, {**second.versions, **second.fingerprint}
    names = sorted(facts[0].keys() | facts[1].keys())
    return tuple(
        _cases(first, second) if name == "cases" else _sentence(name, facts[0].get(name), facts[1].get(name))
        for name in names
        if facts[0].get(name) != facts[1].get(name)
    )


def _sentence(name: str, in_a: str | None, in_b: str | None) -> str:
    kind, _, what = name.partition(" ")
    if kind in ("agent", "fabric") and None in (in_a, in_b):
        return f"{kind} {what} is only in the {'second' if in_a is None else 'first'} run"
    match kind:
        case "agent":
            return f"agent {what} has other options in the second run"
        case "fabric":
            return f"fabric {what} is laid out otherwise in the second run"
        case "code":
            name = "the benchmark's code"
    return f"{name} differs: {in_a or 'not recorded'} in the first run, {in_b or 'not recorded'} in the second"


def _cases(first: RunInfo, second: RunInfo) -> str:
    a, b = ({planned.case_id for planned in run.planned} for run in (first, second))
    common = a & b
    if a == b:
        return "the cases have the same ids, but were not the same: their pace, windows or budgets differ"
    if b < a:
        return f"the second run has {len(b)} of the first run's {len(a)} cases"
    if a < b:
        return f"the first run has {len(a)} of the second run's {len(b)} cases"
    return f"the first run has {len(a)} cases and the second {len(b)}; {len(common) or 'none'} of them in both"
