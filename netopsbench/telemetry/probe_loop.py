"""The probing loop: one thread, one epoll, every source port of every client; standard library only."""

import os
import select
import socket
import time
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from json import dumps

from netopsbench.telemetry.datagram import (
    COMPLEMENT,
    LARGEST,
    NONCE_OFFSET,
    PAIR,
    SMALL,
    filling,
    new_probe,
    read,
    receive,
)
from netopsbench.telemetry.flight import Address, Flight, Paths, legs_in_turn
from netopsbench.telemetry.probe_sockets import DropCounter
from netopsbench.telemetry.prober_config import Configuration
from netopsbench.telemetry.recorder import CORRUPTED, LOST, REFUSED, UNSENT, Epoch, Slot
from netopsbench.telemetry.schedule import PORTS

STANDARD_INPUT = 0
BURST = 16
"""Probes sent between two looks at the replies."""
SLIP_NS = 50_000_000
"""When sending lags by more, the rest of the epoch moves back: catching up in a burst would fill buffers."""
DRAIN_PASSES = 4
"""Looks at all sockets after the last timeout, so that replies which wait there are not called lost."""
LONGEST_WAIT_S = 0.05


class ProbeLoop:
    """Sends epochs on schedule, matches replies, and hands finished epochs to the recorder."""

    def __init__(
        self,
        asked: Configuration,
        paths: Paths,
        slots: Sequence[Slot],
        recorder: socket.socket,
        counters: tuple[DropCounter, memoryview],
    ) -> None:
        """`counters`: the kernel's drops, and the number of the echo's stalls."""
        self._asked = asked
        self._paths = paths
        self._slots = slots
        self._recorder = recorder
        self._drops, self._echo_stalls = counters
        self._legs = legs_in_turn(asked, paths)
        self._total = 2 * paths.cells
        # A nonce is never used twice, nor can another run's datagram carry it except by a freak chance.
        self._nonce = int.from_bytes(os.urandom(8), "big") >> 1
        self._blank = memoryview(array("q", [UNSENT]) * self._total)
        self._free = list(range(len(slots)))
        self._flights: dict[int, Flight] = {}
        self._sending: Flight | None = None
        self._number = 0
        self._given_up = 0
        """The last epoch that was given up; nobody waits for its replies."""
        self._next_start_ns = time.monotonic_ns()
        self._last_end_wall_ns = 0
        self._last_echo_stalls = 0
        self._late = 0
        self._unmatched = 0
        self._buffer = bytearray(LARGEST)
        self._small, self._large = new_probe(SMALL), new_probe(asked.df_bytes)
        self._fillings = {length: filling(length) for length in (SMALL, asked.df_bytes)}

    def run(self, children: dict[int, str]) -> str:
        """Probe until standard input ends (returns "") or a child does (returns what happened).

        Whatever comes on standard input before its end gives up the epoch under way and begins another.
        `children`: PID files (pidfd) of the processes that the loop can't do without, and what they are called.
        """
        poll = select.epoll()
        for file in (*self._paths.sockets, *children, self._recorder.fileno(), STANDARD_INPUT):
            poll.register(file, select.EPOLLIN)
        most = len(self._paths.sockets) + len(children) + 2
        sockets = self._paths.sockets
        before = time.monotonic_ns()
        while True:
            wait_s = min(self._send_due(), LONGEST_WAIT_S)
            for file, _ in poll.poll(wait_s, most):
                found = sockets.get(file)
                if found is not None:
                    self._receive(*found)
                elif file == STANDARD_INPUT:
                    if not os.read(STANDARD_INPUT, 4096):
                        return ""
                    self._begin_anew()
                elif file in children:
                    return f"the prober's {children[file]} ended"
                else:
                    self._take_back_slot()
            now = time.monotonic_ns()
            self._count_stall(now - before)
            before = now
            self._finish(now)

    def _send_due(self) -> float:
        """Send what is due, at most `BURST` probes; returns the seconds until the next."""
        flight = self._sending or self._begin()
        if flight is None:
            return max(self._next_start_ns - time.monotonic_ns(), 0) / 1e9 if self._free else LONGEST_WAIT_S
        leg, first_df = flight.legs[0], self._paths.cells
        sent_ns, rtt_ns = flight.slot.sent_ns, flight.slot.rtt_ns
        first_nonce = self._nonce + flight.number * self._total
        for position in range(flight.position, min(flight.position + BURST, len(leg))):
            now = time.monotonic_ns()
            early_ns = flight.schedule_ns + leg.due_ns[position] - now
            if early_ns > 0:
                return early_ns / 1e9
            if early_ns < -SLIP_NS:
                flight.schedule_ns -= early_ns
            cell = leg.cells[position]
            nonce = first_nonce + cell
            payload = self._small if cell < first_df else self._large
            PAIR.pack_into(payload, NONCE_OFFSET, nonce, nonce ^ COMPLEMENT)
            sent_ns[cell] = now
            flight.position = position + 1
            try:
                leg.senders[position](payload, leg.targets[position])
                rtt_ns[cell] = LOST
            except BlockingIOError:
                # Our own buffer is full: that says nothing about the network, so the probe counts as not sent.
                flight.drops += 1
            except OSError:
                rtt_ns[cell] = REFUSED
        if flight.position == len(leg):
            self._end_leg(flight)
        return 0.0

    def _end_leg(self, flight: Flight) -> None:
        flight.legs.pop(0)
        flight.position = 0
        if not flight.legs:
            flight.ended_ns = time.monotonic_ns()
            self._sending = None

    def _begin(self) -> Flight | None:
        """The next epoch, once it is due and a buffer is free."""
        now = time.monotonic_ns()
        if not self._free or now < self._next_start_ns:
            return None
        self._number += 1
        place = self._free.pop()
        slot = self._slots[place]
        slot.rtt_ns[:] = self._blank
        # An epoch that slipped or waited for the store is not made up for: the next just starts later.
        late = now - self._next_start_ns > SLIP_NS
        legs = self._legs[(self._number - 1) % len(self._legs)]
        flight = Flight(self._number, place, slot, now if late else self._next_start_ns, legs)
        self._next_start_ns = flight.started_ns + self._asked.epoch_ns
        self._flights[flight.number] = self._sending = flight
        return flight

    def _begin_anew(self) -> None:
        """Give up the epoch that is being sent, as if it had never been, and begin the next one."""
        self._next_start_ns = time.monotonic_ns()
        flight = self._sending
        if flight is None:
            return
        del self._flights[flight.number]
        self._sending = None
        self._given_up = flight.number
        self._free.append(flight.place)
        # Datagrams lost so far are none of the next epoch's.
        drops = self._drops.rise()
        for other in self._flights.values():
            other.drops += drops

    def _receive(self, probe: socket.socket, index: int) -> None:
        """Read one datagram and credit it to the probe whose nonce it carries."""
        try:
            length, waited_ns, sender = receive(probe, [self._buffer])
        except OSError:
            return
        now = time.monotonic_ns()
        rest = self._fillings.get(length)
        if rest is None:
            self._unmatched += 1
            return
        said = read(self._buffer, rest)
        if said is None:
            self._count_damage(length, index, sender)
            return
        nonce, held_ns = said
        number, cell = divmod(nonce - self._nonce, self._total)
        is_df, place = divmod(cell, self._paths.cells)
        row, port = divmod(place, PORTS)
        if (
            not 0 < number <= self._number
            or is_df != (length != SMALL)
            or self._paths.expected[row] != sender
            or self._paths.first_sockets[row] + port != index
        ):
            self._unmatched += 1
            return
        flight = self._flights.get(number)
        if flight is None:
            self._late += number != self._given_up
            return
        rtt_ns = max(now - waited_ns - held_ns - flight.slot.sent_ns[cell], 0)
        if rtt_ns > self._asked.timeout_ns:
            self._late += 1
        elif flight.slot.rtt_ns[cell] == LOST:
            flight.slot.rtt_ns[cell] = rtt_ns
        else:
            self._unmatched += 1

    def _count_damage(self, length: int, index: int, sender: Address) -> None:
        """Credit a damaged reply, whose nonce can't be trusted, to the latest open probe that it can belong to."""
        cell = self._paths.cell(index, sender)
        if cell is not None:
            cell += self._paths.cells * (length != SMALL)
            for flight in reversed(self._flights.values()):
                if flight.slot.rtt_ns[cell] == LOST:
                    flight.slot.rtt_ns[cell] = CORRUPTED
                    return
        self._unmatched += 1

    def _count_stall(self, gap_ns: int) -> None:
        stalls = self._echo_stalls[0]
        rise = stalls - self._last_echo_stalls + (gap_ns > self._asked.stall_ns)
        self._last_echo_stalls = stalls
        if rise:
            for flight in self._flights.values():
                flight.stalls += rise

    def _finish(self, now: int) -> None:
        """Hand over the oldest epoch when its last reply is overdue."""
        flight = next(iter(self._flights.values()), None)
        if flight is None or not flight.ended_ns or now < flight.ended_ns + self._asked.timeout_ns:
            return
        flight.passes += 1
        if flight.passes < DRAIN_PASSES:
            return
        drops = self._drops.rise()
        # Which of the epochs on their way lost something can't be told, so all of them are marked.
        for other in self._flights.values():
            other.drops += drops
        del self._flights[flight.number]
        self._recorder.send(dumps(asdict(self._epoch(flight))).encode())

    def _epoch(self, flight: Flight) -> Epoch:
        """What the recorder needs to know, in wall-clock time; no epoch begins before the last one's end."""
        offset_ns = time.time_ns() - time.monotonic_ns()
        started_ns = max(flight.started_ns + offset_ns, self._last_end_wall_ns)
        ended_ns = max(flight.ended_ns + offset_ns, started_ns + 1)
        self._last_end_wall_ns = ended_ns
        late, self._late = self._late, 0
        unmatched, self._unmatched = self._unmatched, 0
        return Epoch(
            epoch=flight.number,
            slot=flight.place,
            started_ns=started_ns,
            ended_ns=ended_ns,
            wall_minus_monotonic_ns=offset_ns,
            overload_drops=flight.drops,
            stalls=flight.stalls,
            late_replies=late,
            unmatched_replies=unmatched,
            scheduled=flight.scheduled,
        )

    def _take_back_slot(self) -> None:
        """The recorder gave a buffer back; when it hung up instead, its PID file tells."""
        self._free.extend(self._recorder.recv(1))
