"""Which of a device's facts a command asks for."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network

from netopsbench.vendors import facts as f
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import View

_PROTOCOLS = {
    "bgp": "bgp",
    "static": "static",
    "connected": "connected",
    "direct": "connected",
    "ospf": "ospf",
    "isis": "isis",
    "rip": "rip",
}


def chosen_routes(facts: f.Routes, view: View) -> list[f.Route]:
    """The selected routes, of one protocol where the command names one."""
    wanted = {_PROTOCOLS[word] for word in view.words if word in _PROTOCOLS}
    return [route for route in facts.routes if route.is_selected and (not wanted or route.protocol in wanted)]


def found_routes(facts: f.Routes, view: View) -> list[f.Route]:
    """The selected routes to the prefix of the command, or those that match its address best."""
    routes = [route for route in facts.routes if route.is_selected]
    wanted = _prefix(view)
    if wanted is not None:
        return [route for route in routes if IPv4Network(route.prefix) == wanted]
    address = IPv4Address(view.arguments["address"])
    matching = [route for route in routes if address in IPv4Network(route.prefix)]
    longest = max((IPv4Network(route.prefix).prefixlen for route in matching), default=0)
    return [route for route in matching if IPv4Network(route.prefix).prefixlen == longest]


def fib_routes(facts: f.Fib, view: View) -> Sequence[f.FibRoute]:
    """All of the kernel's routes, or the one that the command's address takes."""
    if "address" not in view.arguments:
        return facts.routes
    address = IPv4Address(view.arguments["address"])
    matching = [route for route in facts.routes if address in IPv4Network(route.prefix)]
    return sorted(matching, key=lambda route: (-IPv4Network(route.prefix).prefixlen, route.metric))[:1]


def bgp_prefixes(facts: s.BgpTable, view: View) -> Sequence[s.BgpPrefix]:
    """All prefixes, or the one of the command: equal to its prefix, or matching its address best."""
    wanted = _prefix(view)
    if wanted is not None:
        return [each for each in facts.prefixes if IPv4Network(each.prefix) == wanted]
    if "address" not in view.arguments:
        return facts.prefixes
    address = IPv4Address(view.arguments["address"])
    matching = [each for each in facts.prefixes if address in IPv4Network(each.prefix)]
    return sorted(matching, key=lambda each: -IPv4Network(each.prefix).prefixlen)[:1]


def _prefix(view: View) -> IPv4Network | None:
    asked = view.arguments
    if "prefix" in asked:
        return IPv4Network(asked["prefix"])
    if "mask" in asked:
        return IPv4Network(f"{asked['address']}/{asked['mask']}", strict=False)
    return None


def interfaces_of(facts: f.Interfaces) -> list[f.Interface]:
    """The interfaces that a vendor's device has too, the loopback among them where somebody gave it an address.

    The kernel has further ones, for VRRP and below bridges without addresses, and `127.0.0.1` on each device.
    """
    found = []
    for each in facts.interfaces:
        own = tuple(address for address in each.addresses if not address.startswith("127."))
        is_kernels = each.name.startswith("vrrp") or (not own and (each.name == "lo" or each.name.startswith("br")))
        if not is_kernels:
            found.append(each.model_copy(update={"addresses": own}))
    return found


def chosen_interfaces(facts: f.Interfaces, view: View) -> list[f.Interface]:
    """The interface of the command, or all."""
    wanted = view.arguments.get("interface")
    return [each for each in interfaces_of(facts) if wanted is None or each.name == wanted]


def chosen_neighbors(facts: f.Neighbors, view: View) -> list[f.Neighbor]:
    """The entries of the command's interface, or all."""
    wanted = view.arguments.get("interface")
    return [each for each in facts.neighbors if wanted is None or each.interface == wanted]


def chosen_sessions(facts: s.BgpSessions, view: View) -> list[s.BgpSession]:
    """The session with the command's address, or all."""
    wanted = view.arguments.get("address")
    return [each for each in facts.sessions if wanted is None or each.address == wanted]


def chosen_policies(facts: f.Policies, view: View) -> list[f.Policy]:
    """The policy of the command's name, or all."""
    wanted = view.arguments.get("name")
    return [each for each in facts.policies if wanted is None or each.name == wanted]


def chosen_lists(facts: f.Policies, view: View) -> list[f.PrefixList]:
    """The prefix list of the command's name, or all."""
    wanted = view.arguments.get("name")
    return [each for each in facts.lists if wanted is None or each.name == wanted]
