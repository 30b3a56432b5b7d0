"""The published scenario file, written."""

from collections.abc import Iterable, Iterator

from netopsbench.tickets.published import Injection, PublishedCheck, Scenario

_RULE = "=" * 50


def write_scenario(scenario: Scenario) -> str:
    """The file's text; reading it gives the same scenario."""
    headers = (
        ("Scenario", scenario.id),
        ("Topology", scenario.topology),
        ("Fault family", scenario.family),
        ("Ticket style", "" if scenario.style == "standard" else scenario.style),
        ("Variant-of", scenario.variant_of or ""),
        ("Confidence-flip-of", scenario.flip_of or ""),
    )
    head = [_RULE, *(f"{key}: {value}" for key, value in headers if value), _RULE]
    sections = (
        ("PROMPT-TO-AGENT", scenario.prompt),
        ("INJECTION", "\n".join(_injection(scenario.injection))),
        ("PRE-CHECK", _checks(scenario.pre_checks)),
        ("POST-INJECT-CHECK", _checks(scenario.checks) or "# none"),
        ("GROUND-TRUTH", scenario.ground_truth),
        ("FIX", scenario.fix),
        ("DIAGNOSTIC-PROCESS", scenario.process),
        ("SCORING-AXES", "\n".join(scenario.axes)),
        ("NIKA-LABEL", scenario.label),
    )
    body = [f"[{name}]\n{text}" for name, text in sections if text]
    return "\n".join(head) + "\n\n" + "\n\n".join(body) + "\n"


def _injection(injection: Injection) -> Iterator[str]:
    yield f"device: {injection.device}"
    if injection.action:
        yield f"action: {injection.action}"
    for key, value in (("cmd", injection.command), ("note", injection.note)):
        if value is None:
            continue
        if "\n" in value or value == "|":
            yield f"{key}: |"
            yield from (line if line.startswith((" ", "\t")) else f"  {line}" for line in value.splitlines())
        else:
            yield f"{key}: {value}"


def _checks(checks: Iterable[PublishedCheck]) -> str:
    return "\n".join(f"{check.on}  {check.run}  => expect {check.expect}" for check in checks)
