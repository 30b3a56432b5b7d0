"""The commands of Cisco IOS."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import ios, ios_routing, ios_system, layer2_layouts
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Row, row

_PING = "{source <source>|repeat <count>|size <size>|df-bit}"

_QUEUES = ("Interface", "Shape(kbps)", "Output pkts", "Output bytes", "Total drops", "Queued bytes")
_VXLANS = ("VNI", "Interface", "Source", "UDP port", "BD", "Peers")

ROWS: tuple[Row, ...] = (
    row("running_config", ["show running-config"], f.Configuration, ios_system.configuration),
    row("saved_config", ["show startup-config"], f.SavedConfiguration, ios_system.configuration),
    row("interface_brief", ["show ip interface brief"], f.Interfaces, ios.interface_brief),
    row("interface_detail", ["show interfaces [<interface>]"], f.Interfaces, ios.interface_detail),
    row(
        "interface_counters",
        ["show interfaces counters [errors]", "show interfaces <interface> counters [errors]"],
        f.Interfaces,
        ios.interface_counters,
    ),
    row(
        "interface_description",
        ["show interfaces description", "show interfaces <interface> description"],
        f.Interfaces,
        ios.interface_description,
    ),
    row("link_neighbors", ["show lldp neighbors"], f.LinkNeighbors, ios.link_neighbors),
    row("route_table", ["show ip route [(bgp|connected|isis|ospf|rip|static)]"], f.Routes, ios.route_table),
    row("route_lookup", ["show ip route <address> [<mask>]"], f.Routes, ios.route_lookup),
    row("fib", ["show ip cef [<address>]"], f.Fib, ios.fib),
    row("arp", ["show ip arp [<interface>]", "show arp"], f.Neighbors, ios.arp),
    row("bgp_summary", ["show ip bgp summary", "show bgp ipv4 unicast summary"], s.BgpSummary, ios_routing.bgp_summary),
    row(
        "bgp_peer",
        ["show ip bgp neighbors [<address>]", "show bgp ipv4 unicast neighbors [<address>]"],
        s.BgpSessions,
        ios_routing.bgp_peer,
    ),
    row(
        "bgp_table",
        [f"{head} [(<prefix>|<address> [<mask>])]" for head in ("show ip bgp", "show bgp ipv4 unicast")],
        s.BgpTable,
        ios_routing.bgp_table,
    ),
    row("ospf_neighbors", ["show ip ospf neighbor"], s.OspfNeighbors, ios_routing.ospf_neighbors),
    row("isis_neighbors", ["show isis neighbors"], s.IsisNeighbors, ios_routing.isis_neighbors),
    row("bfd", ["show bfd neighbors"], s.BfdSessions, ios_routing.bfd),
    row("queues", ["show queueing [interface <interface>]"], l2.PortQueues, layer2_layouts.queues(_QUEUES)),
    row("spanning_tree", ["show spanning-tree"], l2.Bridges, layer2_layouts.ios_spanning_tree),
    row("vrrp", ["show vrrp [brief]"], l2.StandbyGroups, layer2_layouts.ios_standby),
    row("vxlan", ["show nve vni"], l2.Tunnels, layer2_layouts.tunnels(_VXLANS)),
    row("acl", ["show access-lists", "show ip access-lists"], f.PacketFilter, ios_routing.acl),
    row("route_policy", ["show route-map [<name>]"], f.Policies, ios_routing.route_policy),
    row("prefix_list", ["show ip prefix-list [<name>]"], f.Policies, ios_routing.prefix_list),
    row("logs", ["show logging"], f.LogLines, ios_system.logs),
    row("cpu", ["show processes cpu"], f.Processes, ios_system.cpu),
    row("memory", ["show processes memory"], f.Processes, ios_system.memory),
    row("ping", [f"ping [ip] <address> {_PING}"], f.Ping, ios_system.ping),
    row("traceroute", ["traceroute [ip] <address> [source <source>]"], f.Trace, ios_system.traceroute),
)
