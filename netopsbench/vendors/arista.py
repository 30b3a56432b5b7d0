"""The commands of Arista EOS."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import ios, ios_routing, ios_system, layer2_layouts
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Row, View, row
from netopsbench.vendors.layout import NOT_KNOWN, columns, first_address, mac_dots, told
from netopsbench.vendors.lookup import (
    chosen_interfaces,
    chosen_neighbors,
    chosen_routes,
    fib_routes,
    found_routes,
    interfaces_of,
)

_CODES = {"connected": "C", "static": "S", "rip": "R", "bgp": "B", "ospf": "O", "isis": "I", "kernel": "K"}
_LEGEND = """\
VRF: default
Codes: C - connected, S - static, K - kernel,
       O - OSPF, B - BGP, R - RIP, I - IS-IS
"""
_PING = "{source <source>|interface <source>|repeat <count>|size <size>|df-bit}"


def _interface_brief(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "IP Address", "Status", "Protocol", "MTU")]
    for each in interfaces_of(facts):
        status, line = ios.status_words(each)
        shown = {"administratively down": "admin down"}.get(status, status)
        address = each.addresses[0] if first_address(each.addresses) else "unassigned"
        rows.append((view.names.of(each.name), address, shown, line, each.mtu_bytes))
    return "\n".join(columns(rows, (18, 22, 13, 13, -8)))


def _interface_status(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Port", "Name", "Status", "Vlan", "Type")]
    for each in chosen_interfaces(facts, view):
        if each.name != "lo":
            status = "disabled" if not each.is_admin_up else "connected" if each.has_carrier else "notconnect"
            rows.append((view.names.brief(each.name), each.description, status, "routed", NOT_KNOWN))
    return "\n".join(columns(rows, (11, 26, 13, 9, 1)))


def _route_table(facts: f.Routes, view: View) -> str:
    return "\n".join([_LEGEND, *(line for route in chosen_routes(facts, view) for line in _route(route, view))])


def _route_lookup(facts: f.Routes, view: View) -> str:
    found = found_routes(facts, view)
    return "\n".join([_LEGEND, *(line for route in found for line in _route(route, view))])


def _route(route: f.Route, view: View) -> list[str]:
    lead = f" {_CODES.get(route.protocol, '?'):<9}{route.prefix}"
    if route.kind != "unicast":
        return [f"{lead} is directly connected, Null0"]
    lines = []
    for hop in route.hops:
        out = NOT_KNOWN if hop.interface is None else view.names.of(hop.interface)
        if hop.gateway is None:
            lines.append(f"{lead} directly connected, {out}")
            continue
        start = lead if route.protocol == "connected" else f"{lead} [{route.distance}/{route.metric}]"
        # Further ways stand below the first one's `via`.
        start = " " * len(start) if lines else start
        lines.append(f"{start} via {hop.gateway}, {out}{'' if hop.is_active else ', inactive'}")
    return lines


def _kernel_routes(facts: f.Fib, view: View) -> str:
    lines = []
    for route in fib_routes(facts, view):
        kind = "" if route.kind == "unicast" else f"{route.kind} "
        hops = [_kernel_hop(hop, view) for hop in route.hops]
        tail = f" proto {route.protocol} metric {route.metric}"
        if len(hops) == 1:
            lines.append(f"{kind}{route.prefix} {hops[0]}{tail}")
        else:
            lines += [f"{kind}{route.prefix}{tail}", *(f"\tnexthop {hop}" for hop in hops)]
    return "\n".join(lines)


def _kernel_hop(hop: f.Hop, view: View) -> str:
    via = f"via {hop.gateway} " if hop.gateway else ""
    out = NOT_KNOWN if hop.interface is None else view.names.brief(hop.interface).lower()
    return f"{via}dev {out}{'' if hop.is_active else ' dead'}"


def _arp(facts: f.Neighbors, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Address", "Age (sec)", "  Hardware Addr", "Interface")]
    for each in chosen_neighbors(facts, view):
        mac = "incomplete" if each.mac is None else mac_dots(each.mac)
        rows.append((each.address, NOT_KNOWN, f"  {mac}", view.names.of(each.interface)))
    return "\n".join(columns(rows, (16, -10, 18, 1)))


def _link_neighbors(facts: f.LinkNeighbors, view: View) -> str:
    if not facts.is_running:
        return ios.LLDP_OFF
    rows: list[tuple[object, ...]] = [("Port", "Neighbor Device ID", "Neighbor Port ID", "TTL")]
    for each in facts.neighbors:
        rows.append((view.names.brief(each.interface), each.device, view.port_of(each.device, each.port), each.ttl_s))
    return "\n".join(columns(rows, (11, 25, 22, 1)))


def _bgp_summary(facts: s.BgpSummary, view: View) -> str:
    if not facts.is_running:
        return "BGP inactive"
    rows: list[tuple[object, ...]] = [
        ("  Description", "Neighbor", "V", "AS", "MsgRcvd", "MsgSent", "InQ", "OutQ", " Up/Down", "State", "PfxRcd",
         "PfxAcc")
    ]  # fmt: skip
    for peer in facts.peers:
        is_up = peer.state == "Established"
        rows.append(
            (f"  {told(peer.description)}", peer.address, 4, peer.remote_asn, peer.received, peer.sent, NOT_KNOWN,
             peer.queued_out, f" {peer.age}", "Estab" if is_up else peer.state,
             peer.prefixes_received if is_up else "", NOT_KNOWN)
        )  # fmt: skip
    head = "BGP summary information for VRF default"
    own = f"Router identifier {facts.router_id}, local AS number {facts.asn}"
    return "\n".join([head, own, *columns(rows, (27, 16, 2, -11, -9, -9, -5, -5, 10, 12, -7, -7))])


_QUEUES = ("Port", "Shape(kbps)", "OutPkts", "OutBytes", "DropPkts", "QueuedBytes")
_VXLANS = ("VNI", "Interface", "Source", "UDP port", "Bridge", "Flood list")

ROWS: tuple[Row, ...] = (
    row("running_config", ["show running-config"], f.Configuration, ios_system.configuration),
    row("saved_config", ["show startup-config"], f.SavedConfiguration, ios_system.configuration),
    row("interface_brief", ["show ip interface brief"], f.Interfaces, _interface_brief),
    row("interface_brief", ["show interfaces [<interface>] status"], f.Interfaces, _interface_status),
    row("interface_detail", ["show interfaces [<interface>]"], f.Interfaces, ios.interface_detail),
    row(
        "interface_counters",
        ["show interfaces [<interface>] counters [errors]"],
        f.Interfaces,
        ios.interface_counters,
    ),
    row(
        "interface_description",
        ["show interfaces [<interface>] description"],
        f.Interfaces,
        ios.interface_description,
    ),
    row("link_neighbors", ["show lldp neighbors"], f.LinkNeighbors, _link_neighbors),
    row("route_table", ["show ip route [(bgp|connected|isis|ospf|rip|static)]"], f.Routes, _route_table),
    row("route_lookup", ["show ip route (<address>|<prefix>)"], f.Routes, _route_lookup),
    row("fib", ["show kernel ip route"], f.Fib, _kernel_routes),
    row("arp", ["show ip arp [interface <interface>]", "show arp"], f.Neighbors, _arp),
    row("bgp_summary", ["show ip bgp summary", "show bgp ipv4 unicast summary"], s.BgpSummary, _bgp_summary),
    row("bgp_peer", ["show ip bgp neighbors [<address>]"], s.BgpSessions, ios_routing.bgp_peer),
    row(
        "bgp_table",
        [f"{head} [(<prefix>|<address>)]" for head in ("show ip bgp", "show bgp ipv4 unicast")],
        s.BgpTable,
        ios_routing.bgp_table,
    ),
    row("ospf_neighbors", ["show ip ospf neighbor"], s.OspfNeighbors, ios_routing.ospf_neighbors),
    row("isis_neighbors", ["show isis neighbors"], s.IsisNeighbors, ios_routing.isis_neighbors),
    row("bfd", ["show bfd peers"], s.BfdSessions, ios_routing.bfd),
    row("queues", ["show qos interfaces [<interface>]"], l2.PortQueues, layer2_layouts.queues(_QUEUES)),
    row("spanning_tree", ["show spanning-tree"], l2.Bridges, layer2_layouts.ios_spanning_tree),
    row("vrrp", ["show vrrp [brief]"], l2.StandbyGroups, layer2_layouts.ios_standby),
    row("vxlan", ["show vxlan vni"], l2.Tunnels, layer2_layouts.tunnels(_VXLANS)),
    row("acl", ["show ip access-lists"], f.PacketFilter, ios_routing.acl),
    row("route_policy", ["show route-map [<name>]"], f.Policies, ios_routing.route_policy),
    row("prefix_list", ["show ip prefix-list [<name>]"], f.Policies, ios_routing.prefix_list),
    row("logs", ["show logging"], f.LogLines, ios_system.logs),
    row("cpu", ["show processes top once"], f.Processes, ios_system.cpu),
    row("memory", ["show processes top memory once"], f.Processes, ios_system.memory),
    row("ping", [f"ping [ip] <address> {_PING}"], f.Ping, ios_system.ping),
    row("traceroute", ["traceroute [ip] <address> [source <source>]"], f.Trace, ios_system.traceroute),
)
