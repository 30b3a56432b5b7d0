"""A Kathará lab folder: `lab.conf`, a startup script per machine, and the files laid over each machine's own."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model

_LINE = re.compile(r"(?P<machine>[A-Za-z0-9_.-]+)\[(?P<key>[^\]]+)\]\s*=\s*(?P<value>.+)")
_LAB_KEY = re.compile(r"LAB_[A-Z]+\s*=.*")
_IGNORED_KEYS = ("image", "mem", "cpus", "num_terms", "ipv6", "shell", "privileged")
"""Keys that say nothing about the network."""
_LONGEST_FILE = 1_000_000


class Plug(Model):
    """One interface, plugged into a collision domain."""

    interface: str
    domain: str


class Machine(Model):
    """One machine of a Kathará lab."""

    name: str
    plugs: tuple[Plug, ...]
    startup: tuple[str, ...] = ()
    """Lines of its startup script, without blank lines and comments. An error in one doesn't keep the next back."""
    files: dict[str, str] = Field(default_factory=dict)
    """Content by path from the machine's root, `etc/frr/frr.conf`."""


class KatharaLab(Model):
    """A lab as its folder describes it."""

    name: str
    machines: tuple[Machine, ...]

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """Collision domain to the ports in it, `r1:eth0`."""
        ports: dict[str, list[str]] = {}
        for machine in self.machines:
            for plug in machine.plugs:
                ports.setdefault(plug.domain, []).append(f"{machine.name}:{plug.interface}")
        return {domain: tuple(found) for domain, found in sorted(ports.items())}


def read_kathara(folder: Path) -> KatharaLab:
    """Read a lab folder. Raises SpecError with every line of `lab.conf` that this can't follow."""
    conf = folder / "lab.conf"
    if not conf.is_file():
        raise SpecError([Problem(str(folder), "lab.conf", "(missing)", "give the folder of a Kathará lab")])
    problems: list[Problem] = []
    plugs: dict[str, list[Plug]] = {}
    for number, line in enumerate(_read(conf).splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#") or _LAB_KEY.fullmatch(stripped):
            continue
        found = _LINE.fullmatch(stripped)
        if found is None:
            problems.append(
                Problem(f"{conf} line {number}", "", stripped, 'write machine[0]="A" or machine[key]=value')
            )
            continue
        own = plugs.setdefault(found["machine"], [])
        key, value = found["key"].strip("\"' "), " ".join(shlex.split(found["value"], comments=True))
        if key.isdigit():
            own.append(Plug(interface=f"eth{key}", domain=value.split("/")[0]))
        elif key not in _IGNORED_KEYS:
            wanted = f"this says something about the network that isn't imported; known: {', '.join(_IGNORED_KEYS)}"
            problems.append(Problem(f"{conf} line {number}", found["machine"], stripped, wanted))
    if problems:
        raise SpecError(problems)
    machines = tuple(
        Machine(
            name=name,
            plugs=tuple(sorted(own, key=lambda plug: int(plug.interface.removeprefix("eth")))),
            startup=tuple(_startup(folder / f"{name}.startup")),
            files=dict(_overlay(folder / name)),
        )
        for name, own in sorted(plugs.items())
    )
    return KatharaLab(name=folder.resolve().name, machines=machines)


def _startup(path: Path) -> Iterator[str]:
    if not path.is_file():
        return
    for line in _read(path).replace("\\\n", " ").splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield stripped


def _overlay(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and path.stat().st_size <= _LONGEST_FILE:
            yield path.relative_to(folder).as_posix(), _read(path)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SpecError([Problem(str(path), "", "", "text in UTF-8")]) from None
