"""The commands of Huawei VRP."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import layer2_layouts, vrp, vrp_routing
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Row, View, row
from netopsbench.vendors.layout import NOT_KNOWN, columns
from netopsbench.vendors.lookup import chosen_interfaces, chosen_routes, found_routes, interfaces_of
from netopsbench.vendors.vrp_config import configuration


def _interface_brief(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "PHY", "Protocol", "InUti", "OutUti", "inErrors", "outErrors")]
    for each in interfaces_of(facts):
        state = (vrp.physical(each), vrp.line_protocol(each))
        rows.append((view.names.of(each.name), *state, NOT_KNOWN, NOT_KNOWN, each.rx_errors, each.tx_errors))
    return "\n".join(["PHY: Physical", "*down: administratively down", *columns(rows, (28, 6, 9, 6, 7, -9, -10))])


def _ip_interface_brief(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "IP Address/Mask", "Physical", "Protocol")]
    for each in interfaces_of(facts):
        address = each.addresses[0] if each.addresses else "unassigned"
        rows.append((view.names.of(each.name), address, vrp.physical(each), vrp.line_protocol(each)))
    return "\n".join(["*down: administratively down", *columns(rows, (34, 21, 11, 1))])


def _description(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "PHY", "Protocol", "Description")]
    for each in chosen_interfaces(facts, view):
        rows.append((view.names.brief(each.name), vrp.physical(each), vrp.line_protocol(each), each.description))
    return "\n".join(["PHY: Physical", "*down: administratively down", *columns(rows, (28, 8, 9, 1))])


def _link_neighbors(facts: f.LinkNeighbors, view: View) -> str:
    if not facts.is_running:
        return "Info: Global LLDP is not enabled."
    rows: list[tuple[object, ...]] = [("Local Intf", "Neighbor Dev", "Neighbor Intf", "Exptime(s)")]
    for each in facts.neighbors:
        port = view.port_of(each.device, each.port)
        rows.append((view.names.brief(each.interface), each.device, port, NOT_KNOWN))
    return "\n".join(columns(rows, (15, 22, 24, 1)))


def _routes(routes: list[f.Route], view: View) -> str:
    rows: list[tuple[object, ...]] = [("Destination/Mask", "Proto", "Pre", "Cost", "Flags", "NextHop", "Interface")]
    for route in routes:
        flag = "  D" if route.is_installed else ""
        start = (
            f"{route.prefix:>18}",
            vrp.PROTOCOLS.get(route.protocol, route.protocol),
            route.distance,
            route.metric,
            flag,
        )
        if route.kind != "unicast":
            rows.append((*start, "0.0.0.0", "NULL0"))
        for number, hop in enumerate(route.hops):
            out = NOT_KNOWN if hop.interface is None else view.names.of(hop.interface)
            shown = start if number == 0 else ("", *start[1:])
            rows.append((*shown, hop.gateway or NOT_KNOWN, out))
    head = [
        "Route Flags: R - relay, D - download to fib",
        vrp.LINE,
        "Routing Tables: Public",
        f"         Destinations : {len({route.prefix for route in routes})}        Routes : {len(rows) - 1}",
        "",
    ]
    return "\n".join([*head, *columns(rows, (20, 8, 5, 12, 6, 16, 1))])


def _route_table(facts: f.Routes, view: View) -> str:
    return _routes(chosen_routes(facts, view), view)


def _route_lookup(facts: f.Routes, view: View) -> str:
    return _routes(found_routes(facts, view), view)


def _bgp_summary(facts: s.BgpSummary, view: View) -> str:
    if not facts.is_running:
        return vrp_routing.OFF
    rows: list[tuple[object, ...]] = [
        ("  Peer", "V", "AS", "MsgRcvd", "MsgSent", "OutQ", "Up/Down", "State", "PrefRcv")
    ]
    for peer in facts.peers:
        counted = (peer.received, peer.sent, peer.queued_out)
        rows.append((f"  {peer.address}", 4, peer.remote_asn, *counted, peer.age, peer.state, peer.prefixes_received))
    up = sum(peer.state == "Established" for peer in facts.peers)
    head = [
        f" BGP local router ID : {facts.router_id}",
        f" Local AS number : {facts.asn}",
        f" Total number of peers : {len(facts.peers)}                 Peers in established state : {up}",
        "",
    ]
    return "\n".join([*head, *columns(rows, (18, 2, -11, -9, -9, -6, -10, -12, -9))])


_QUEUES = ("Interface", "PIR(kbps)", "Passed(Pkts)", "Passed(Bytes)", "Dropped(Pkts)", "Queued(Bytes)")
_VXLANS = ("VNI", "NVE", "Source", "UDP-Port", "BD", "Peers")

ROWS: tuple[Row, ...] = (
    row("running_config", ["display current-configuration"], f.Configuration, configuration),
    row("saved_config", ["display saved-configuration"], f.SavedConfiguration, configuration),
    row("interface_brief", ["display interface brief"], f.Interfaces, _interface_brief),
    row("interface_brief", ["display ip interface brief"], f.Interfaces, _ip_interface_brief),
    row("interface_detail", ["display interface [<interface>]"], f.Interfaces, vrp.interface_detail),
    row(
        "interface_counters",
        ["display counters [(inbound|outbound)] [interface <interface>]"],
        f.Interfaces,
        vrp.interface_counters,
    ),
    row("interface_description", ["display interface description [<interface>]"], f.Interfaces, _description),
    row("link_neighbors", ["display lldp neighbor brief"], f.LinkNeighbors, _link_neighbors),
    row(
        "route_table",
        ["display ip routing-table [protocol (bgp|direct|isis|ospf|rip|static)]"],
        f.Routes,
        _route_table,
    ),
    row("route_lookup", ["display ip routing-table <address> [<mask>]"], f.Routes, _route_lookup),
    row("fib", ["display fib [<address>]"], f.Fib, vrp.fib),
    row("arp", ["display arp [(all|interface <interface>)]"], f.Neighbors, vrp.arp),
    row("bgp_summary", ["display bgp peer"], s.BgpSummary, _bgp_summary),
    row("bgp_peer", ["display bgp peer [<address>] verbose"], s.BgpSessions, vrp_routing.bgp_peer),
    row("bgp_table", ["display bgp routing-table [<address> [<mask>]]"], s.BgpTable, vrp_routing.bgp_table),
    row("ospf_neighbors", ["display ospf peer [brief]"], s.OspfNeighbors, vrp_routing.ospf_neighbors),
    row("isis_neighbors", ["display isis peer"], s.IsisNeighbors, vrp_routing.isis_neighbors),
    row("bfd", ["display bfd session all"], s.BfdSessions, vrp_routing.bfd),
    row(
        "queues",
        ["display qos queue statistics [interface <interface>]"],
        l2.PortQueues,
        layer2_layouts.queues(_QUEUES),
    ),
    row("spanning_tree", ["display stp [brief]"], l2.Bridges, layer2_layouts.vrp_spanning_tree),
    row("vrrp", ["display vrrp [brief]"], l2.StandbyGroups, layer2_layouts.vrp_standby),
    row("vxlan", ["display vxlan vni"], l2.Tunnels, layer2_layouts.tunnels(_VXLANS)),
    row("acl", ["display acl all"], f.PacketFilter, vrp_routing.acl),
    row("route_policy", ["display route-policy [<name>]"], f.Policies, vrp_routing.route_policy),
    row("prefix_list", ["display ip ip-prefix [<name>]"], f.Policies, vrp_routing.prefix_list),
    row("logs", ["display logbuffer"], f.LogLines, vrp.logs),
    row("cpu", ["display cpu-usage"], f.Processes, vrp.cpu),
    row("memory", ["display memory-usage"], f.Processes, vrp.memory),
    row("ping", ["ping [ip] {-a <source>|-c <count>|-s <size>|-f} <address>"], f.Ping, vrp.ping),
    row("traceroute", ["tracert [-a <source>] <address>"], f.Trace, vrp.traceroute),
)
