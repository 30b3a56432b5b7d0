"""The commands of H3C Comware."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import layer2_layouts, vrp, vrp_routing
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Row, View, row
from netopsbench.vendors.layout import NOT_KNOWN, columns, first_address, mac_dashes
from netopsbench.vendors.lookup import chosen_interfaces, chosen_neighbors, chosen_routes, found_routes, interfaces_of
from netopsbench.vendors.vrp_config import configuration


def _link(interface: f.Interface) -> str:
    if not interface.is_admin_up:
        return "ADM"
    return "UP" if interface.has_carrier else "DOWN"


def _interface_brief(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "Link", "Protocol", "Primary IP", "Description")]
    for each in interfaces_of(facts):
        own = first_address(each.addresses)
        address = "--" if own is None else own.ip
        state = (_link(each), vrp.line_protocol(each).upper())
        rows.append((view.names.brief(each.name), *state, address, each.description))
    head = ["Brief information on interfaces in route mode:", "Link: ADM - administratively down"]
    return "\n".join([*head, *columns(rows, (21, 5, 9, 16, 1))])


def _ip_interface_brief(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "Physical", "Protocol", "IP address/Mask", "Description")]
    for each in interfaces_of(facts):
        address = each.addresses[0] if each.addresses else "--"
        state = (vrp.physical(each), vrp.line_protocol(each))
        rows.append((view.names.brief(each.name), *state, address, each.description))
    return "\n".join(["*down: administratively down", *columns(rows, (21, 9, 9, 19, 1))])


def _description(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "Link", "Protocol", "Description")]
    for each in chosen_interfaces(facts, view):
        rows.append((view.names.brief(each.name), _link(each), vrp.line_protocol(each).upper(), each.description))
    head = ["Brief information on interfaces in route mode:", "Link: ADM - administratively down"]
    return "\n".join([*head, *columns(rows, (21, 5, 9, 1))])


def _link_neighbors(facts: f.LinkNeighbors, view: View) -> str:
    if not facts.is_running:
        return "LLDP is not enabled."
    rows: list[tuple[object, ...]] = [("System Name", "Local Interface", "Chassis ID", "Port ID")]
    for each in facts.neighbors:
        port = view.port_of(each.device, each.port)
        rows.append((each.device, view.names.brief(each.interface), mac_dashes(each.mac), port))
    return "\n".join(columns(rows, (21, 17, 16, 1)))


def _routes(routes: list[f.Route], view: View) -> str:
    rows: list[tuple[object, ...]] = [("Destination/Mask", "Proto", "Pre", "Cost", "NextHop", "Interface")]
    for route in routes:
        protocol = vrp.PROTOCOLS.get(route.protocol, route.protocol)
        start = (route.prefix, protocol, route.distance, route.metric)
        if route.kind != "unicast":
            rows.append((*start, "0.0.0.0", "NULL0"))
        for number, hop in enumerate(route.hops):
            out = NOT_KNOWN if hop.interface is None else view.names.brief(hop.interface)
            shown = start if number == 0 else ("", "", "", "")
            rows.append((*shown, hop.gateway or NOT_KNOWN, out))
    counted = f"Destinations : {len({route.prefix for route in routes})}        Routes : {len(rows) - 1}"
    return "\n".join([counted, "", *columns(rows, (19, 8, 4, 12, 16, 1))])


def _route_table(facts: f.Routes, view: View) -> str:
    return _routes(chosen_routes(facts, view), view)


def _route_lookup(facts: f.Routes, view: View) -> str:
    return _routes(found_routes(facts, view), view)


def _arp(facts: f.Neighbors, view: View) -> str:
    rows: list[tuple[object, ...]] = [("IP address", "MAC address", "VLAN/VSI", "Interface", "Aging", "Type")]
    for each in chosen_neighbors(facts, view):
        kind = "S" if each.state == "permanent" else "I" if each.mac is None else "D"
        mac = "--" if each.mac is None else mac_dashes(each.mac)
        rows.append((each.address, mac, "--", view.names.brief(each.interface), "--", kind))
    return "\n".join(["  Type: S-Static   D-Dynamic   I-Invalid", *columns(rows, (16, 15, 9, 25, 6, 1))])


def _bgp_summary(facts: s.BgpSummary, view: View) -> str:
    if not facts.is_running:
        return vrp_routing.OFF
    rows: list[tuple[object, ...]] = [("  Peer", "AS", "MsgRcvd", "MsgSent", "OutQ", "PrefRcv", "Up/Down", " State")]
    for peer in facts.peers:
        counted = (peer.received, peer.sent, peer.queued_out, peer.prefixes_received)
        rows.append((f"  {peer.address}", peer.remote_asn, *counted, peer.age, f" {peer.state}"))
    up = sum(peer.state == "Established" for peer in facts.peers)
    head = [
        f" BGP local router ID: {facts.router_id}",
        f" Local AS number: {facts.asn}",
        f" Total number of peers: {len(facts.peers)}           Peers in established state: {up}",
        "",
    ]
    return "\n".join([*head, *columns(rows, (24, -11, -9, -9, -5, -8, -10, 1))])


_QUEUES = ("Interface", "CIR(kbps)", "Forwarded(Pkts)", "Forwarded(B)", "Dropped(Pkts)", "Queued(B)")
_VXLANS = ("VXLAN ID", "Tunnel", "Source", "UDP port", "VSI", "Destination")

ROWS: tuple[Row, ...] = (
    row("running_config", ["display current-configuration"], f.Configuration, configuration),
    row("saved_config", ["display saved-configuration"], f.SavedConfiguration, configuration),
    row("interface_brief", ["display interface brief"], f.Interfaces, _interface_brief),
    row("interface_brief", ["display ip interface brief"], f.Interfaces, _ip_interface_brief),
    row("interface_detail", ["display interface [<interface>]"], f.Interfaces, vrp.interface_detail),
    row(
        "interface_counters",
        ["display counters (inbound|outbound) interface [<interface>]"],
        f.Interfaces,
        vrp.interface_counters,
    ),
    row("interface_description", ["display interface [<interface>] brief description"], f.Interfaces, _description),
    row("link_neighbors", ["display lldp neighbor-information list"], f.LinkNeighbors, _link_neighbors),
    row(
        "route_table",
        ["display ip routing-table [protocol (bgp|direct|isis|ospf|rip|static)]"],
        f.Routes,
        _route_table,
    ),
    row("route_lookup", ["display ip routing-table <address> [<mask>]"], f.Routes, _route_lookup),
    row("fib", ["display fib [<address>]"], f.Fib, vrp.fib),
    row("arp", ["display arp [(all|interface <interface>)]"], f.Neighbors, _arp),
    row("bgp_summary", ["display bgp peer ipv4 [unicast]"], s.BgpSummary, _bgp_summary),
    row("bgp_peer", ["display bgp peer ipv4 [unicast] [<address>] verbose"], s.BgpSessions, vrp_routing.bgp_peer),
    row(
        "bgp_table",
        ["display bgp routing-table ipv4 [unicast] [<address> [<mask>]]"],
        s.BgpTable,
        vrp_routing.bgp_table,
    ),
    row("ospf_neighbors", ["display ospf peer"], s.OspfNeighbors, vrp_routing.ospf_neighbors),
    row("isis_neighbors", ["display isis peer"], s.IsisNeighbors, vrp_routing.isis_neighbors),
    row("bfd", ["display bfd session"], s.BfdSessions, vrp_routing.bfd),
    row(
        "queues",
        ["display qos queue-statistics interface [<interface>] outbound"],
        l2.PortQueues,
        layer2_layouts.queues(_QUEUES),
    ),
    row("spanning_tree", ["display stp [brief]"], l2.Bridges, layer2_layouts.vrp_spanning_tree),
    row("vrrp", ["display vrrp"], l2.StandbyGroups, layer2_layouts.vrp_standby),
    row("vxlan", ["display vxlan tunnel"], l2.Tunnels, layer2_layouts.tunnels(_VXLANS)),
    row("acl", ["display acl all"], f.PacketFilter, vrp_routing.acl),
    row("route_policy", ["display route-policy [name <name>]"], f.Policies, vrp_routing.route_policy),
    row("prefix_list", ["display ip prefix-list [name <name>]"], f.Policies, vrp_routing.prefix_list),
    row("logs", ["display logbuffer"], f.LogLines, vrp.logs),
    row("cpu", ["display process cpu"], f.Processes, vrp.cpu),
    row("memory", ["display process memory"], f.Processes, vrp.memory),
    row("ping", ["ping [ip] {-a <source>|-c <count>|-s <size>|-f} <address>"], f.Ping, vrp.ping),
    row("traceroute", ["tracert [-a <source>] <address>"], f.Trace, vrp.traceroute),
)
