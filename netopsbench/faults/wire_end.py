"""Impairs what one end of a cable is given; standard library only.

Run in the sandbox as a command: `set NEAR FAR KIND VALUE` changes one property of the end `near`, `show NEAR FAR`
prints what holds and what was counted, `able NEAR FAR` fails where the kernel can do none of it. With every property
at 0 the cable is as it was laid. Where the kernel has netem, a qdisc on the far end does it. Otherwise nft takes the
packets over from the tc filter, and a relay process holds those that must be late; filter and rules overlap during
the change, so that it loses no packet.
"""

import fcntl
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from netopsbench.faults import wire_keep, wire_rules
from netopsbench.faults.wire_rules import CLEAN, Impairment

WIRE_MTU = 9216
_TIMEOUT_S = 10
_EVERYTHING = Impairment(loss_pct=1, corruption_pct=1, delay_ms=0)


class CommandError(Exception):
    """A command that failed, and what it said."""


class WireEnd:
    """One end of a cable, named by the end itself and the one that it hands packets to."""

    def __init__(self, near: str, far: str, *, has_netem: bool) -> None:
        self.near = near
        self.far = far
        self.has_netem = has_netem
        self._entrance, self._exit = f"r{near}", f"s{near}"

    @property
    def state(self) -> Impairment:
        """How packets are treated now."""
        try:
            return cast(Impairment, json.loads(self._path.read_text()))
        except FileNotFoundError:
            return CLEAN

    def impair(self, wanted: Impairment) -> None:
        """Treat packets so from now on. Doing it twice does no more than once."""
        before = self.state
        # Written down before it is done: whoever clears must know what may be there.
        self._path.write_text(json.dumps(wanted))
        if self.has_netem:
            self._by_netem(before, wanted)
        else:
            self._by_nft(before, wanted)
        if wire_rules.is_clean(wanted):
            self._path.unlink()

    def counted(self) -> dict[str, int]:
        """What was counted since the end was impaired; `overrun` packets were lost although nobody asked for it."""
        if self.has_netem:
            drops = wire_rules.netem_drops(_run(["tc", "-s", "-j", "qdisc", "show", "dev", self.far]))
            is_lossy = bool(self.state["loss_pct"])
            return {} if drops is None else {"lost" if is_lossy else "overrun": drops}
        if wire_rules.is_clean(self.state):
            return {}
        counts = wire_rules.nft_counts(_run(["nft", "-j", "list", "table", "netdev", self.near]))
        if self.state["delay_ms"] and self._counts.exists():
            counts.update(json.loads(self._counts.read_text()))
        return counts

    def check(self) -> None:
        """Raises CommandError where this kernel can't impair anything."""
        if not self.has_netem:
            _run(["nft", "--check", "-f", "-"], wire_rules.nft(self.near, self.far, _EVERYTHING))

    @property
    def _path(self) -> Path:
        return wire_keep.FOLDER / self.near

    @property
    def _counts(self) -> Path:
        return wire_keep.FOLDER / f"{self.near}.counts"

    def _by_netem(self, before: Impairment, wanted: Impairment) -> None:
        if not wire_rules.is_clean(wanted):
            _run(wire_rules.netem(self.far, wanted))
        elif "netem" in _run(["tc", "qdisc", "show", "dev", self.far]):
            # A qdisc that is deleted takes the packets it holds with it.
            _run(wire_rules.netem(self.far, CLEAN))
            time.sleep(before["delay_ms"] / 1000 + 0.05)
            _run(["tc", "qdisc", "del", "dev", self.far, "root"])

    def _by_nft(self, before: Impairment, wanted: Impairment) -> None:
        has_changed = before["delay_ms"] != wanted["delay_ms"]
        if has_changed:
            self._pass_by(before)
        if wanted["delay_ms"]:
            self._start_relay(wanted["delay_ms"])
        if not wire_rules.is_clean(wanted):
            exit_end = self._entrance if wanted["delay_ms"] else self.far
            _run(["nft", "-f", "-"], wire_rules.nft(self.near, exit_end, wanted))
            if self._is_joined:
                _run(["tc", "filter", "del", "dev", self.near, "ingress"])
            return
        if not self._is_joined:
            _run(self._join)
        if self._has_rules:
            _run(["nft", "delete", "table", "netdev", self.near])
        self._end_relay(before["delay_ms"])

    def _pass_by(self, before: Impairment) -> None:
        """Send packets past the relay and let it hand on those that it still holds."""
        if before["delay_ms"]:
            if self._has_rules:
                undelayed = Impairment(**{**before, "delay_ms": 0})
                _run(["nft", "-f", "-"], wire_rules.nft(self.near, self.far, undelayed))
            self._end_relay(before["delay_ms"])

    def _start_relay(self, delay_ms: float) -> None:
        if not _has_link(self._entrance):
            make = ["ip", "link", "add", "name", self._entrance, "mtu", str(WIRE_MTU), "up", "type", "veth"]
            _run([*make, "peer", "name", self._exit, "mtu", str(WIRE_MTU)])
            _run(["ip", "link", "set", "dev", self._exit, "up"])
        relay = [sys.executable, "-P", "-m", "netopsbench.faults.wire_relay"]
        wire_keep.start(self._entrance, [*relay, self._exit, self.far, f"{delay_ms:g}", str(self._counts)])

    def _end_relay(self, delay_ms: float) -> None:
        wire_keep.end(self._entrance, delay_ms / 1000 + _TIMEOUT_S / 2)
        if _has_link(self._entrance):
            _run(["ip", "link", "del", "dev", self._entrance])
        self._counts.unlink(missing_ok=True)

    @property
    def _is_joined(self) -> bool:
        return "mirred" in _run(["tc", "filter", "show", "dev", self.near, "ingress"])

    @property
    def _has_rules(self) -> bool:
        return f"netdev {self.near}\n" in _run(["nft", "list", "tables", "netdev"])

    @property
    def _join(self) -> list[str]:
        words = f"tc filter add dev {self.near} ingress protocol all prio 1 u32 match u32 0 0"
        return [*words.split(), "action", "mirred", "egress", "redirect", "dev", self.far]


def has_netem() -> bool:
    """Whether this kernel has netem: tried once in a sandbox, on its unused loopback."""
    known = wire_keep.FOLDER / "netem"
    if not known.exists():
        tried = _tried(["tc", "qdisc", "replace", "dev", "lo", "root", "netem", "limit", "1"])
        if not tried.returncode:
            _run(["tc", "qdisc", "del", "dev", "lo", "root"])
        known.write_text("" if tried.returncode else "netem")
    return bool(known.read_text())


def _has_link(name: str) -> bool:
    return name in {each for _, each in socket.if_nameindex()}


def _run(argv: Sequence[str], text: str = "") -> str:
    done = _tried(argv, text)
    if done.returncode:
        raise CommandError(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout


def _tried(argv: Sequence[str], text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(argv, input=text, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)


@contextmanager
def _alone() -> Iterator[None]:
    """One command at a time: faults of one end share its state."""
    wire_keep.FOLDER.mkdir(exist_ok=True)
    with (wire_keep.FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(words: Sequence[str]) -> None:
    """Set one property of an end, show all, or say whether any could be set."""
    verb, near, far, *rest = words
    with _alone():
        end = WireEnd(near, far, has_netem=has_netem())
        if verb == "set":
            kind, value = rest
            end.impair(cast(Impairment, {**end.state, kind: float(value)}))
            return
        if verb == "able":
            end.check()
            return
        counts = end.counted()
        held = [f"{kind} {value:g}" for kind, value in end.state.items() if value]
    print(
        "; ".join(["netem" if end.has_netem else "nft", *held, *(f"{count} {what}" for what, count in counts.items())])
    )
    if counts.get("overrun"):
        raise CommandError(f"{counts['overrun']} packets were lost for want of room")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (CommandError, wire_keep.KeepError, subprocess.TimeoutExpired, OSError) as failure:
        sys.exit(str(failure))
