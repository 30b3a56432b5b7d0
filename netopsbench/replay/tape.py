"""What devices answered, kept while it is asked and given again later."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import NoReturn

from pydantic import JsonValue

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.core.process import Completed
from netopsbench.fabric.engine import Fabric, Wire
from netopsbench.fabric.plan import FabricPlan
from netopsbench.replay.entries import Entries, packed_entries

NOT_RECORDED = "not_recorded"
"""Kind of the error that answers what nobody asked while the case was recorded."""


class Tape:
    """What commands printed on devices, as often as they were looked at. Threads may share one."""

    def __init__(self) -> None:
        self._looks: dict[str, list[JsonValue]] = {}
        self._lock = threading.Lock()

    def note(self, device: str, argv: Sequence[str], done: Completed) -> None:
        """Keep what a command printed, unless it is what it printed before."""
        look: JsonValue = [done.returncode, done.stdout, done.stderr]
        with self._lock:
            looks = self._looks.setdefault(_key(device, argv), [])
            if look not in looks[-1:]:
                looks.append(look)

    def packed(self) -> bytes:
        """All of it, by device and command line."""
        with self._lock:
            return packed_entries({key: list(looks) for key, looks in self._looks.items()})


def _key(device: str, argv: Sequence[str]) -> str:
    return json.dumps([device, *argv])


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
        # Engines put words of their own before the command, so `done` doesn't tell what was asked.
        self._tape.note(node, argv, done)
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

    def __init__(self, plan: FabricPlan, commands: bytes, versions: Mapping[str, str]) -> None:
        self._plan = plan
        self._versions = versions
        self._looks = Entries(commands)
        self._seen: dict[str, int] = {}
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
        key = _key(node, argv)
        with self._lock:
            looks = self._looks.get(key)
            number = self._seen.get(key, 0)
            self._seen[key] = number + 1
        if not looks:
            raise _missing()
        returncode, stdout, stderr = looks[number % len(looks)]
        return Completed(tuple(argv), returncode, stdout, stderr)

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
