"""What devices answered, kept while it is asked and given again later."""

import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import NoReturn

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.core.process import Completed
from netopsbench.fabric.engine import Fabric, Wire
from netopsbench.fabric.plan import FabricPlan

NOT_RECORDED = "not_recorded"
"""Kind of the error that answers what nobody asked while the case was recorded."""

_Key = tuple[str, tuple[str, ...]]


class Look(Model):
    """What a command printed once."""

    returncode: int
    stdout: str
    stderr: str = ""


class Command(Model):
    """What a command printed on a device, as often as it was looked at."""

    device: str
    argv: tuple[str, ...]
    looks: tuple[Look, ...]
    """In the order of their times; one that is the same as the one before it is left out."""


class Tape:
    """What commands printed. Threads may share one."""

    def __init__(self) -> None:
        self._looks: dict[_Key, list[Look]] = {}
        self._lock = threading.Lock()

    def note(self, device: str, done: Completed) -> None:
        look = Look(returncode=done.returncode, stdout=done.stdout, stderr=done.stderr)
        with self._lock:
            looks = self._looks.setdefault((device, done.argv), [])
            if look not in looks[-1:]:
                looks.append(look)

    def commands(self) -> tuple[Command, ...]:
        """All of them, by device and command line."""
        with self._lock:
            return tuple(
                Command(device=device, argv=argv, looks=tuple(looks))
                for (device, argv), looks in sorted(self._looks.items())
            )


class Listening:
    """A fabric whose answers to commands are kept on a tape."""

    def __init__(self, fabric: Fabric, tape: Tape) -> None:
        self._fabric = fabric
        self._tape = tape
        self.is_probed = False
        """Whether something was asked that no command on a device answers."""

    @property
    def plan(self) -> FabricPlan:
        return self._fabric.plan

    @property
    def handle(self) -> Model:
        return self._fabric.handle

    @property
    def is_running(self) -> bool:
        return self._fabric.is_running

    @property
    def versions(self) -> Mapping[str, str]:
        return self._fabric.versions

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        done = self._fabric.exec(node, argv, timeout_s=timeout_s, stdin=stdin)
        # Engines put words of their own before the command; what was asked is the key.
        self._tape.note(node, Completed(tuple(argv), done.returncode, done.stdout, done.stderr))
        return done

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        self.is_probed = True
        return self._fabric.exec_wire(argv, timeout_s=timeout_s, stdin=stdin)

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        self.is_probed = True
        return self._fabric.spawn(argv, stderr=stderr)

    def pid(self, node: str) -> int:
        self.is_probed = True
        return self._fabric.pid(node)

    def wire(self, link: str) -> Wire:
        return self._fabric.wire(link)

    def destroy(self) -> None:
        self._fabric.destroy()


class TapedFabric:
    """A fabric of which only a tape is left. What isn't on it raises ToolError `not_recorded`.

    A command gives what it printed at the first look, then at the second; after the last look comes the first again.
    """

    def __init__(self, plan: FabricPlan, commands: Sequence[Command], versions: Mapping[str, str]) -> None:
        self._plan = plan
        self._versions = versions
        self._looks: dict[_Key, tuple[Look, ...]] = {(each.device, each.argv): each.looks for each in commands}
        self._seen: dict[_Key, int] = {}
        self._lock = threading.Lock()

    @property
    def plan(self) -> FabricPlan:
        return self._plan

    @property
    def handle(self) -> Model:
        return self._plan

    @property
    def is_running(self) -> bool:
        return True

    @property
    def versions(self) -> Mapping[str, str]:
        return self._versions

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        key = (node, tuple(argv))
        looks = self._looks.get(key)
        if not looks:
            raise _missing()
        with self._lock:
            number = self._seen.get(key, 0)
            self._seen[key] = number + 1
        look = looks[number % len(looks)]
        return Completed(tuple(argv), look.returncode, look.stdout, look.stderr)

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> NoReturn:
        raise _missing()

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> NoReturn:
        raise _missing()

    def pid(self, node: str) -> NoReturn:
        raise _missing()

    def wire(self, link: str) -> NoReturn:
        raise _missing()

    def destroy(self) -> None:
        """Nothing runs."""


def _missing() -> ToolError:
    return ToolError("this was not asked when the case was recorded", NOT_RECORDED)
