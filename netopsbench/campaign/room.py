"""How many trials a machine can hold at once, and the waiting for a place."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from netopsbench.fabric.native.limits import read_limits
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.size import need_of

TRIAL_MEMORY_MIB = 500.0
"""Of a trial beside its fabric: store, prober, tool server, agent."""
START_S_OF_A_CORE = 8.0
"""A fabric that takes more CPU seconds than this to start keeps more than one core busy, also while it is probed."""
KEPT_FREE = 0.2
"""Share of the available memory that no trial gets."""
_LOOK_EVERY_S = 0.5


@dataclass(frozen=True)
class Place:
    """What one trial takes, or what a machine has."""

    memory_mib: float
    cores: float

    def __add__(self, other: "Place") -> "Place":
        return Place(self.memory_mib + other.memory_mib, self.cores + other.cores)

    def __sub__(self, other: "Place") -> "Place":
        return Place(self.memory_mib - other.memory_mib, self.cores - other.cores)

    def holds(self, other: "Place") -> bool:
        return other.memory_mib <= self.memory_mib and other.cores <= self.cores


def place_of(plan: FabricPlan) -> Place:
    """What a trial on this fabric takes."""
    need = need_of(plan)
    return Place(need.memory_mib + TRIAL_MEMORY_MIB, max(1.0, need.start_s / START_S_OF_A_CORE))


def machine_place(folder: Path) -> Place:
    """What this machine can give to trials now."""
    limits = read_limits(folder)
    return Place(limits.memory_gib * 1024 * (1 - KEPT_FREE), max(1.0, limits.cores))


def workers_for(places: Sequence[Place], machine: Place) -> int:
    """How many of the smallest trials the machine holds at once, at least one and no more than there are."""
    if not places:
        return 1
    memory_mib = max(1.0, min(place.memory_mib for place in places))
    cores = min(place.cores for place in places)
    return max(1, min(len(places), int(machine.memory_mib / memory_mib), int(machine.cores / cores)))


class Room:
    """The places of a machine, given out so that trials fit beside each other; a trial alone always fits."""

    def __init__(self, whole: Place) -> None:
        self._whole = whole
        self._free = whole
        self._guests = 0
        self._is_held_alone = False
        self._want_alone = 0
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, place: Place, stop: threading.Event, *, alone: bool = False) -> Iterator[bool]:
        """Wait for a place and keep it for the block; yields False when `stop` was set before there was one.

        `alone` waits until nobody else is there, and lets nobody in.
        """
        with self._changed:
            self._want_alone += alone
            while not stop.is_set() and not self._fits(place, alone):
                self._changed.wait(_LOOK_EVERY_S)
            self._want_alone -= alone
            is_in = not stop.is_set()
            if is_in:
                self._free -= place
                self._guests += 1
                self._is_held_alone = alone
        try:
            yield is_in
        finally:
            if is_in:
                with self._changed:
                    self._free += place
                    self._guests -= 1
                    self._is_held_alone = False
                    self._changed.notify_all()

    def _fits(self, place: Place, alone: bool) -> bool:
        if alone or self._guests == 0:
            return self._guests == 0 and (alone or not self._want_alone)
        return not self._is_held_alone and not self._want_alone and self._free.holds(place)
