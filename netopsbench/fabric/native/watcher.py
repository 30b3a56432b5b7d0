"""The link watcher: makes two veth pairs behave like one cable. Run by the keeper in the wire namespace.

Carrier doesn't cross from one pair to the other by itself. When a node sets its port down, the wire end facing it
loses carrier; the watcher then takes the other end down, so that the far node sees NO-CARRIER, and puts it back when
carrier returns. At most one end of a cable is ever held down by the watcher: with both held, nobody could see either
port come back.
"""

from collections.abc import Callable

from netopsbench.fabric import netlink

FAULT_GROUP = 99
"""Interfaces in this link group are held down by a carrier fault; the watcher leaves them alone."""


class Watcher:
    """Carries loss of carrier across cables; tells when a port came back."""

    def __init__(self, cables: dict[str, str], on_link_up: Callable[[str], None]) -> None:
        """`cables` maps each wire end to the other one; `on_link_up` hears the wire end whose port came up."""
        self._far = cables
        self._on_link_up = on_link_up
        self._held: set[str] = set()
        self._state: dict[str, netlink.LinkState] = {}
        self._commands = netlink.Netlink()
        self._events = netlink.Netlink(netlink.RTMGRP_LINK)
        self.resync()

    def fileno(self) -> int:
        return self._events.socket.fileno()

    def handle(self) -> None:
        """Work off the events that have arrived."""
        try:
            changed = [
                netlink.LinkState(payload) for kind, payload in self._events.receive() if kind == netlink.RTM_NEWLINK
            ]
        except OSError:
            # ENOBUFS: more events than the socket holds; the present state says what they would have said.
            self.resync()
            return
        for state in changed:
            self._see(state)

    def resync(self) -> None:
        """Look at every wire end afresh."""
        for state in netlink.links(self._commands):
            self._see(state)

    def _see(self, state: netlink.LinkState) -> None:
        far_name = self._far.get(state.name)
        if far_name is None:
            return
        before = self._state.get(state.name)
        self._state[state.name] = state
        if state.group == FAULT_GROUP:
            self._held.discard(state.name)
            return
        if state.name in self._held:
            return
        far = self._state.get(far_name)
        if far is None or far.group == FAULT_GROUP:
            return
        if state.is_up and not state.has_carrier and far_name not in self._held:
            self._held.add(far_name)
            netlink.set_up(self._commands, far.index, False)
        elif state.has_carrier and far_name in self._held:
            self._held.discard(far_name)
            netlink.set_up(self._commands, far.index, True)
        if state.has_carrier and before is not None and not before.has_carrier:
            self._on_link_up(state.name)
