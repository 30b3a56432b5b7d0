"""Who answers for a gateway address that routers share by VRRP, asked on the devices' own command lines."""

import re
from ipaddress import IPv4Address

from netopsbench.agent.contract import Tools
from netopsbench.agent.design import DesignedNetwork
from netopsbench.agent.sweeper.layer2 import ReadGroup, read_groups
from netopsbench.agent.sweeper.reading import read_arp
from netopsbench.core.errors import ToolError
from netopsbench.vendors.names import Need
from netopsbench.vendors.table import golden

_SHARED = re.compile(r"00005e0001([0-9a-f]{2})")
"""Hardware address of a group, its number at the end."""


class Gateways:
    """The routers of a network that stand by for each other."""

    def __init__(self, tools: Tools, network: DesignedNetwork) -> None:
        self._tools, self._network = tools, network
        self._masters: dict[IPv4Address, str | None] = {}
        self._shown: dict[tuple[str, Need], str | None] = {}

    def master(self, asker: str, address: IPv4Address) -> str | None:
        """The router that answers for an address now; None when it isn't shared, or nobody answers for it.

        Where all routers refuse to tell, the one that the asking host belongs to by design.
        """
        if address not in self._masters:
            self._masters[address] = self._found(asker, address)
        return self._masters[address]

    def _found(self, asker: str, address: IPv4Address) -> str | None:
        mac = _SHARED.fullmatch(read_arp(self._told(asker, "arp") or "").get(address, ""))
        routers = self._routers_at(address)
        groups = {name: read_groups(text) for name in routers if (text := self._told(name, "vrrp")) is not None}
        for name, shown in groups.items():
            if any(group.is_master and self._is(group, address, mac) for group in shown):
                return name
        silent = [name for name in routers if name not in groups]
        is_shared = mac is not None or any(group.address == address for shown in groups.values() for group in shown)
        if not is_shared or not silent:
            return None
        # Everybody who tells is no master: of several that don't, the design says which is meant.
        meant = self._network.nodes[asker].attached_to
        return meant if meant in silent else silent[0] if len(silent) == 1 else None

    def _is(self, group: ReadGroup, address: IPv4Address, mac: re.Match[str] | None) -> bool:
        return group.address == address and (mac is None or int(mac[1], 16) == group.number)

    def _routers_at(self, address: IPv4Address) -> list[str]:
        """Routers in the address's network that lead on into others; what only bridges has nothing to route."""
        found = []
        for name in self._network.routers:
            networks = set(self._network.ports.get(name, {}).values())
            if len(networks) > 1 and any(address in network for network in networks):
                found.append(name)
        return found

    def _told(self, device: str, need: Need) -> str | None:
        """What a device prints; None where it is denied, or nothing that its vendor can tell."""
        if (device, need) not in self._shown:
            self._shown[device, need] = self._asked(device, need)
        return self._shown[device, need]

    def _asked(self, device: str, need: Need) -> str | None:
        vendor = self._tools.call("execute", device=device, command="?")["vendor"]
        try:
            done = self._tools.call("execute", device=device, command=golden(vendor, need))
        except (ToolError, LookupError):
            return None
        # The device repeats the line first.
        return str(done["result"]).partition("\n")[2]
