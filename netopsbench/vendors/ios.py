"""Layouts that Cisco IOS and Arista EOS share: interfaces, routes, neighbours."""

from netopsbench.vendors import facts as f
from netopsbench.vendors.command import View
from netopsbench.vendors.layout import NOT_KNOWN, columns, first_address, mac_dots, told
from netopsbench.vendors.lookup import (
    chosen_interfaces,
    chosen_neighbors,
    chosen_routes,
    fib_routes,
    found_routes,
    interfaces_of,
)

_CODES = {
    "connected": "C",
    "static": "S",
    "rip": "R",
    "bgp": "B",
    "eigrp": "D",
    "ospf": "O",
    "isis": "i",
    "kernel": "K",
}
LLDP_OFF = "% LLDP is not enabled"
_LEGEND = """\
Codes: C - connected, S - static, R - RIP, B - BGP, D - EIGRP, O - OSPF
       i - IS-IS, K - kernel
"""


def status_words(interface: f.Interface) -> tuple[str, str]:
    """State of the interface, and of its line."""
    if not interface.is_admin_up:
        return "administratively down", "down"
    return ("up", "up") if interface.has_carrier else ("down", "down")


def interface_brief(facts: f.Interfaces, view: View) -> str:
    """`show ip interface brief`."""
    rows: list[tuple[object, ...]] = [("Interface", "IP-Address", "OK?", "Method", "Status", "Protocol")]
    for each in interfaces_of(facts):
        own = first_address(each.addresses)
        address = "unassigned" if own is None else str(own.ip)
        rows.append((view.names.of(each.name), address, NOT_KNOWN, NOT_KNOWN, *status_words(each)))
    return "\n".join(columns(rows, (23, 16, 4, 7, 22, 8)))


def interface_detail(facts: f.Interfaces, view: View) -> str:
    """`show interfaces`."""
    return "\n".join(_one_interface(each, view) for each in chosen_interfaces(facts, view))


def _one_interface(each: f.Interface, view: View) -> str:
    status, line = status_words(each)
    lines = [f"{view.names.of(each.name)} is {status}, line protocol is {line}"]
    if each.name != "lo":
        lines.append(f"  Hardware address is {mac_dots(each.mac)}")
    if each.description:
        lines.append(f"  Description: {each.description}")
    lines += [f"  Internet address is {address}" for address in each.addresses]
    lines += [
        f"  MTU {each.mtu_bytes} bytes",
        f"     {each.rx_packets} packets input, {each.rx_bytes} bytes",
        f"     {each.rx_errors} input errors, {each.rx_dropped} input drops",
        f"     {each.tx_packets} packets output, {each.tx_bytes} bytes",
        f"     {each.tx_errors} output errors, {each.tx_dropped} output drops",
    ]
    return "\n".join(lines)


def interface_counters(facts: f.Interfaces, view: View) -> str:
    """`show interfaces counters`: octets and packets, or errors and drops."""
    chosen = [each for each in chosen_interfaces(facts, view) if each.name != "lo"]
    names = [view.names.brief(each.name) for each in chosen]
    if view.says("errors"):
        heads = ("Port", "InErrors", "OutErrors", "InDrops", "OutDrops")
        cells = [(each.rx_errors, each.tx_errors, each.rx_dropped, each.tx_dropped) for each in chosen]
    else:
        heads = ("Port", "InOctets", "InPkts", "OutOctets", "OutPkts")
        cells = [(each.rx_bytes, each.rx_packets, each.tx_bytes, each.tx_packets) for each in chosen]
    return "\n".join(columns([heads, *((name, *row) for name, row in zip(names, cells, strict=True))], _COUNTERS))


_COUNTERS = (12, -15, -15, -15, -15)


def interface_description(facts: f.Interfaces, view: View) -> str:
    """`show interfaces description`."""
    short = {"administratively down": "admin down"}
    rows: list[tuple[object, ...]] = [("Interface", "Status", "Protocol", "Description")]
    for each in chosen_interfaces(facts, view):
        status, line = status_words(each)
        rows.append((view.names.brief(each.name), short.get(status, status), line, each.description))
    return "\n".join(columns(rows, (31, 15, 9, 1)))


def route_table(facts: f.Routes, view: View) -> str:
    """`show ip route`."""
    routes = chosen_routes(facts, view)
    default = next((route for route in facts.routes if route.is_selected and route.prefix == "0.0.0.0/0"), None)
    gateway = next((hop.gateway for hop in default.hops), None) if default is not None else None
    resort = f"Gateway of last resort is {gateway}" if gateway else "Gateway of last resort is not set"
    return "\n".join([_LEGEND, resort, "", *(line for route in routes for line in route_lines(route, view))])


def route_lines(route: f.Route, view: View) -> list[str]:
    """A route, a line for each way."""
    code = f"{_CODES.get(route.protocol, '?'):<6}"
    if route.kind != "unicast":
        return [f"{code}{route.prefix} is directly connected, Null0"]
    if route.protocol == "connected":
        return [f"{code}{route.prefix} is directly connected, {_out(hop, view)}" for hop in route.hops]
    cost, lead = f"[{route.distance}/{route.metric}]", f"{code}{route.prefix} "
    lines = []
    for hop in route.hops:
        dead = "" if hop.is_active else ", inactive"
        lines.append(f"{lead}{cost} via {told(hop.gateway)}, {route.age}, {_out(hop, view)}{dead}")
        lead = " " * len(lead)
    return lines


def _out(hop: f.Hop, view: View) -> str:
    return NOT_KNOWN if hop.interface is None else view.names.of(hop.interface)


def route_lookup(facts: f.Routes, view: View) -> str:
    """`show ip route ADDRESS`."""
    found = found_routes(facts, view)
    if not found:
        return "% Subnet not in table" if {"mask", "prefix"} & view.arguments.keys() else "% Network not in table"
    lines = []
    for route in found:
        lines += [
            f"Routing entry for {route.prefix}",
            f'  Known via "{route.protocol}", distance {route.distance}, metric {route.metric}',
            "  Routing Descriptor Blocks:",
        ]
        if route.kind != "unicast":
            lines.append("  * directly connected, via Null0")
        for hop in route.hops:
            via = "directly connected" if hop.gateway is None else f"{hop.gateway}, {route.age} ago"
            lines.append(f"  {'*' if hop.is_active else ' '} {via}, via {_out(hop, view)}")
    return "\n".join(lines)


def fib(facts: f.Fib, view: View) -> str:
    """`show ip cef`."""
    rows: list[tuple[object, ...]] = [("Prefix", "Next Hop", "Interface")]
    for route in fib_routes(facts, view):
        if route.kind != "unicast":
            rows.append((route.prefix, "drop", "Null0"))
        for number, hop in enumerate(route.hops):
            via = hop.gateway or "attached"
            rows.append(
                (route.prefix if number == 0 else "", via if hop.is_active else f"{via} (dead)", _out(hop, view))
            )
    return "\n".join(columns(rows, (21, 21, 1)))


def arp(facts: f.Neighbors, view: View) -> str:
    """`show ip arp`."""
    rows: list[tuple[object, ...]] = [("Protocol", "Address", "Age (min)", "  Hardware Addr", "Type", "Interface")]
    for each in chosen_neighbors(facts, view):
        mac = "Incomplete" if each.mac is None else mac_dots(each.mac)
        rows.append(("Internet", each.address, NOT_KNOWN, f"  {mac}", "ARPA", view.names.of(each.interface)))
    return "\n".join(columns(rows, (10, 16, -10, 18, 7, 1)))


def link_neighbors(facts: f.LinkNeighbors, view: View) -> str:
    """`show lldp neighbors`."""
    if not facts.is_running:
        return LLDP_OFF
    rows: list[tuple[object, ...]] = [("Device ID", "Local Intf", "Hold-time", "Capability", "Port ID")]
    for each in facts.neighbors:
        port = view.port_of(each.device, each.port)
        does = ",".join(capability[0] for capability in each.capabilities)
        rows.append((each.device, view.names.brief(each.interface), each.ttl_s, told(does), port))
    return "\n".join([*columns(rows, (20, 15, 11, 16, 1)), "", f"Total entries displayed: {len(facts.neighbors)}"])
