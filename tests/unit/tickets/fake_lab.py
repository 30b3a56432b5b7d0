"""A lab in a dictionary: one switch per device that commands turn and checks look at."""

from collections.abc import Sequence

from netopsbench.core.process import Completed


class FakeLab:
    """`on` and `off` turn a device's switch, `look` prints `up` or `down`, anything else fails."""

    def __init__(self, stuck: Sequence[str] = ()) -> None:
        self.is_up: dict[str, bool] = {}
        self.stuck = stuck
        """Commands that succeed and do nothing."""
        self.ran: list[tuple[str, str]] = []

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        line = argv[-1]
        self.ran.append((node, line))
        if line in ("on", "off"):
            if line not in self.stuck:
                self.is_up[node] = line == "on"
            return Completed(tuple(argv), 0, "", "")
        if line == "look":
            return Completed(tuple(argv), 0, "up" if self.is_up.get(node, True) else "down", "")
        return Completed(tuple(argv), 127, "", f"{line}: not found")

    def findings(self) -> list[str]:
        """What isn't healthy."""
        return [f"{node} is down" for node, is_up in self.is_up.items() if not is_up]
