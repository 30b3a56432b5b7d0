"""What is usually typed on devices: every command of their vendor, with the arguments that one has at hand there."""

from collections.abc import Iterator
from dataclasses import dataclass

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.vendors import facts as f
from netopsbench.vendors.grammar import Blank
from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.printed import KernelPrinted, RouterPrinted
from netopsbench.vendors.table import TABLE, golden, spelled

BY_WORDS: tuple[type[Model], ...] = (RouterPrinted, KernelPrinted)
"""Facts that are the answer to one command in its own words."""
BY_ARGUMENTS: tuple[type[Model], ...] = (f.Ping, f.Trace)
"""Facts that depend on what the command names."""
AT_HAND: tuple[type[Model], ...] = tuple(
    kind for kind in dict.fromkeys(command.facts for command in TABLE) if kind not in (*BY_WORDS, *BY_ARGUMENTS)
)
"""Facts that a device has whatever it is asked for, and whatever its vendor."""

_LOOKED_UP_FIRST: tuple[Need, ...] = ("interface_detail", "interface_brief", "bgp_peer", "arp")


@dataclass(frozen=True)
class Around:
    """What a device's look-ups may be about."""

    hosts: tuple[str, ...]
    """Addresses."""
    prefixes: tuple[str, ...]
    """Networks of hosts."""
    neighbors: tuple[str, ...]
    """Addresses at the other ends of its links."""
    interfaces: tuple[str, ...]
    """By the kernel's names."""
    names: tuple[str, ...] = ()
    """Of its routing policies and prefix lists."""

    def values(self, blank: str, need: Need) -> tuple[str, ...]:
        """What may stand in a blank of a command for a need."""
        if blank == "address":
            return self.neighbors if need == "bgp_peer" else self.hosts
        return {"prefix": self.prefixes, "interface": self.interfaces, "name": self.names}.get(blank, ())


def around(plan: FabricPlan, device: Node) -> Around:
    """What is around a device by its network's design."""
    hosts = [node for node in plan.nodes if not node.is_switch and node.interfaces]
    address = {f"{node.name}:{port.name}": str(port.address.ip) for node in plan.nodes for port in node.interfaces}
    far = [address.get(str(port.peer)) for port in device.interfaces]
    return Around(
        hosts=tuple(str(host.interfaces[0].address.ip) for host in hosts),
        prefixes=tuple(dict.fromkeys(str(host.interfaces[0].address.network) for host in hosts)),
        neighbors=tuple(each for each in far if each is not None),
        interfaces=("lo", *(port.name for port in device.interfaces)),
    )


def kinds_of(vendor: Vendor) -> tuple[type[Model], ...]:
    """Facts at hand that a vendor's commands ask for."""
    asked = {command.facts for command in TABLE if command.vendor == vendor}
    return tuple(kind for kind in AT_HAND if kind in asked)


def plain_lines(vendor: Vendor) -> Iterator[str]:
    """Every command without arguments that the device's own programs answer."""
    for command in TABLE:
        if command.vendor == vendor and command.facts in BY_WORDS:
            for form in command.forms:
                if not any(isinstance(element, Blank) for element in form):
                    yield spelled(vendor, form, {})


def route_look_ups(vendor: Vendor, near: Around) -> Iterator[str]:
    """Every look-up of a route that the device's own programs answer."""
    yield from (line for need, line in _with_one_argument(vendor, near) if need == "route_lookup")


def other_look_ups(vendor: Vendor, near: Around) -> Iterator[str]:
    """Every other command with one argument that they answer, what is asked most first."""
    found = [(need, line) for need, line in _with_one_argument(vendor, near) if need != "route_lookup"]
    yield from (line for _, line in sorted(found, key=lambda each: each[0] not in _LOOKED_UP_FIRST))


def _with_one_argument(vendor: Vendor, near: Around) -> Iterator[tuple[Need, str]]:
    for command in TABLE:
        if command.vendor != vendor or command.facts not in BY_WORDS:
            continue
        for form in command.forms:
            blanks = [element.name for element in form if isinstance(element, Blank)]
            for value in near.values(blanks[0], command.need) if len(blanks) == 1 else ():
                yield command.need, spelled(vendor, form, {blanks[0]: value})


def probes(vendor: Vendor, targets: tuple[str, ...]) -> Iterator[str]:
    """A ping and a traceroute to each target address."""
    for need in ("ping", "traceroute"):
        yield from (golden(vendor, need, {"address": target}) for target in targets)
