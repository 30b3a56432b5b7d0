"""How each vendor's devices say that a line is no command, or what may come next."""

from collections.abc import Iterable

from netopsbench.vendors.names import Vendor, prompt
from netopsbench.vendors.parse import CommandMistakeError, Mistake

_VRP: dict[Mistake, str] = {
    "unrecognized": "Unrecognized command found at '^' position.",
    "ambiguous": "Ambiguous command found at '^' position.",
    "incomplete": "Incomplete command found at '^' position.",
    "parameter": "Wrong parameter found at '^' position.",
    "too_many": "Too many parameters found at '^' position.",
}


def complaint(vendor: Vendor, device: str, line: str, mistake: CommandMistakeError) -> str:
    """The device's answer to a line, the line itself first."""
    typed = prompt(vendor, device) + line
    caret = " " * (len(prompt(vendor, device)) + mistake.column) + "^"
    match vendor:
        case "huawei":
            said = f"{caret}\nError: {_VRP[mistake.kind]}"
        case "h3c":
            said = f"{caret}\n % {_VRP[mistake.kind]}"
        case "cisco":
            said = _cisco(line, caret, mistake)
        case "arista":
            said = _arista(mistake)
        case "sonic":
            said = _sonic(mistake)
        case "frr":
            said = _frr(line, mistake)
        case "linux":
            said = _linux(mistake)
    return f"{typed}\n{said}"


def _cisco(line: str, caret: str, mistake: CommandMistakeError) -> str:
    if mistake.kind == "ambiguous":
        return f'% Ambiguous command:  "{line.strip()}"'
    if mistake.kind == "incomplete":
        return "% Incomplete command."
    return f"{caret}\n% Invalid input detected at '^' marker."


def _arista(mistake: CommandMistakeError) -> str:
    position = min(mistake.position, len(mistake.tokens) - 1)
    where = f"(at token {position}: '{mistake.tokens[position].text}')" if mistake.tokens else ""
    words = {"ambiguous": "% Ambiguous command", "incomplete": "% Incomplete command"}
    return f"{words.get(mistake.kind, '% Invalid input')} {where}".rstrip()


def _frr(line: str, mistake: CommandMistakeError) -> str:
    words = {"ambiguous": "% Ambiguous command", "incomplete": "% Command incomplete"}
    return f"{words.get(mistake.kind, '% Unknown command')}: {line.strip()}"


def _sonic(mistake: CommandMistakeError) -> str:
    typed = [token.text for token in mistake.tokens]
    if mistake.position == 0:
        return f"-bash: {typed[0]}: command not found" if typed else ""
    group = " ".join(typed[: mistake.position])
    usage = f'Usage: {group} [OPTIONS] COMMAND [ARGS]...\nTry "{group} -h" for help.\n\nError: '
    match mistake.kind:
        case "ambiguous":
            return f"{usage}Too many matches: {', '.join(mistake.matches)}"
        case "incomplete":
            return f"{usage}Missing command."
        case "too_many":
            return f"{usage}Got unexpected extra argument ({typed[mistake.position]})"
        case _:
            return f'{usage}No such command "{typed[mistake.position]}".'


def _linux(mistake: CommandMistakeError) -> str:
    typed = [token.text for token in mistake.tokens]
    if not typed:
        return ""
    if mistake.position == 0:
        return f"-bash: {typed[0]}: command not found"
    if mistake.position >= len(typed):
        return f"{typed[0]}: an argument is missing after '{typed[-1]}'"
    wrong = typed[mistake.position]
    if typed[0] == "ip" and mistake.position == 1:
        return f'Object "{wrong}" is unknown, try "ip help".'
    if typed[0] == "ip":
        return f'Command "{wrong}" is unknown, try "ip {typed[1]} help".'
    return f"{typed[0]}: '{wrong}' is not understood"


def choices(vendor: Vendor, offered: Iterable[tuple[str, str]]) -> str:
    """What may come next, with an explanation each, sorted."""
    rows = sorted(set(offered))
    width = max((len(word) for word, _ in rows), default=0)
    margin = "" if vendor == "linux" else "  "
    return "\n".join(f"{margin}{word:<{width}}  {meaning}".rstrip() for word, meaning in rows)
