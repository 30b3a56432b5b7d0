"""The commands of SONiC, whose routing software is FRR: what FRR prints there stands in FRR's words."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import layer2_layouts, linux
from netopsbench.vendors.command import Row, View, row
from netopsbench.vendors.filters import by_chain, default_of, entries, of_packets
from netopsbench.vendors.layout import NOT_KNOWN, columns, told
from netopsbench.vendors.lookup import chosen_interfaces, chosen_neighbors, fib_routes, interfaces_of
from netopsbench.vendors.printed import KernelPrinted, RouterPrinted, as_printed, printed_for


def _status(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "MTU", "Alias", "Vlan", "Oper", "Admin")]
    rows.append(("-" * 15, "-" * 5, "-" * 12, "-" * 6, "-" * 6, "-" * 7))
    for each in chosen_interfaces(facts, view):
        if each.name != "lo":
            oper, admin = ("up" if each.is_up else "down"), ("up" if each.is_admin_up else "down")
            rows.append((view.names.of(each.name), each.mtu_bytes, NOT_KNOWN, "routed", oper, admin))
    return "\n".join(columns(rows, (17, 7, 14, 8, 8, 1)))


def _addresses(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "IPv4 address/mask", "Admin/Oper")]
    rows.append(("-" * 11, "-" * 19, "-" * 12))
    for each in interfaces_of(facts):
        state = f"{'up' if each.is_admin_up else 'down'}/{'up' if each.is_up else 'down'}"
        for number, address in enumerate(each.addresses):
            rows.append((view.names.of(each.name) if number == 0 else "", address, state if number == 0 else ""))
    return "\n".join(columns(rows, (13, 21, 1)))


def _counters(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [
        ("IFACE", "STATE", "RX_OK", "RX_BYTES", "RX_ERR", "RX_DRP", "TX_OK", "TX_BYTES", "TX_ERR", "TX_DRP")
    ]
    for each in chosen_interfaces(facts, view):
        if each.name != "lo":
            state = "U" if each.is_up else "D" if each.is_admin_up else "X"
            received = (each.rx_packets, each.rx_bytes, each.rx_errors, each.rx_dropped)
            sent = (each.tx_packets, each.tx_bytes, each.tx_errors, each.tx_dropped)
            rows.append((view.names.of(each.name), state, *received, *sent))
    return "\n".join(columns(rows, (13, 6, -9, -13, -8, -8, -9, -13, -8, -8)))


def _description(facts: f.Interfaces, view: View) -> str:
    rows: list[tuple[object, ...]] = [("Interface", "Oper", "Admin", "Alias", "Description")]
    rows.append(("-" * 11, "-" * 6, "-" * 7, "-" * 7, "-" * 13))
    for each in chosen_interfaces(facts, view):
        if each.name != "lo":
            oper, admin = ("up" if each.is_up else "down"), ("up" if each.is_admin_up else "down")
            rows.append((view.names.of(each.name), oper, admin, NOT_KNOWN, each.description or "N/A"))
    return "\n".join(columns(rows, (13, 8, 9, 9, 1)))


def _link_neighbors(facts: f.LinkNeighbors, view: View) -> str:
    if not facts.is_running:
        return "Error response from daemon: Container lldp is not running"
    rows: list[tuple[object, ...]] = [
        ("LocalPort", "RemoteDevice", "RemotePortID", "Capability"),
        ("-" * 11, "-" * 14, "-" * 20, "-" * 12),
    ]
    for each in facts.neighbors:
        port = view.port_of(each.device, each.port)
        does = "".join(capability[0] for capability in each.capabilities)
        rows.append((view.names.of(each.interface), each.device, port, told(does)))
    return "\n".join([*columns(rows, (13, 16, 22, 1)), "-" * 50, f"Total entries displayed:  {len(facts.neighbors)}"])


def _arp(facts: f.Neighbors, view: View) -> str:
    rows: list[tuple[object, ...]] = [
        ("Address", "MacAddress", "Iface", "Vlan"),
        ("-" * 12, "-" * 17, "-" * 11, "-" * 6),
    ]
    chosen = chosen_neighbors(facts, view)
    for each in chosen:
        rows.append((each.address, each.mac or "(incomplete)", view.names.of(each.interface), NOT_KNOWN))
    return "\n".join([*columns(rows, (17, 19, 13, 1)), f"Total number of entries {len(chosen)}"])


def _acl(facts: f.PacketFilter, view: View) -> str:
    rows: list[tuple[object, ...]] = [
        ("Table", "Rule", "Priority", "Action", "Match"),
        ("-" * 9, "-" * 9, "-" * 10, "-" * 8, "-" * 20),
    ]
    for chain, rules in by_chain(of_packets(facts)):
        found = [entry for rule in rules for entry in entries(rule, view.names)]
        for number, entry in enumerate(found, start=1):
            matches = [] if entry.protocol == "ip" else [f"IP_PROTOCOL: {entry.protocol}"]
            matches += [f"SRC_IP: {entry.source}"] if entry.source else []
            matches += [f"DST_IP: {entry.destination}"] if entry.destination else []
            matches += [f"L4_DST_PORT: {','.join(entry.ports)}"] if entry.ports else []
            matches += [f"({entry.remark})"] if entry.remark else []
            action = {"deny": "DROP", "permit": "FORWARD"}.get(entry.action, NOT_KNOWN)
            rows.append((chain, f"RULE_{number}", NOT_KNOWN, action, "  ".join(matches)))
        rows.append((chain, "DEFAULT", NOT_KNOWN, "DROP" if default_of(facts, chain) == "deny" else "FORWARD", ""))
    return "\n".join(columns(rows, (11, 11, 12, 10, 1)))


def _fib(facts: f.Fib, view: View) -> str:
    rows: list[tuple[object, ...]] = [("No.", "  Vrf", "Route", "Nexthop", "Ifname")]
    rows.append(("-" * 5, "  " + "-" * 5, "-" * 18, "-" * 20, "-" * 20))
    routes = fib_routes(facts, view)
    for number, route in enumerate(routes, start=1):
        hops = ",".join(hop.gateway or "0.0.0.0" for hop in route.hops) or route.kind
        out = ",".join("-" if hop.interface is None else view.names.of(hop.interface) for hop in route.hops)
        dead = "" if all(hop.is_active for hop in route.hops) else " (dead)"
        rows.append((number, f"  {NOT_KNOWN}", route.prefix, f"{hops}{dead}", out or NOT_KNOWN))
    return "\n".join([*columns(rows, (-5, 9, 20, 22, 1)), f"Total number of entries {len(routes)}"])


def _saved(facts: f.SavedConfiguration, view: View) -> str:
    return "\n".join(_renamed(line, view) for line in facts.lines)


def _renamed(line: str, view: View) -> str:
    return line if "description " in line else view.names.in_text(line)


def _running(facts: f.Configuration, view: View) -> str:
    return "\n".join(_renamed(line, view) for line in facts.lines)


def _logs(facts: f.LogLines, view: View) -> str:
    if not facts.is_kept:
        return "cat: /var/log/syslog: No such file or directory"
    return "\n".join(
        f"{each.at_s:+.3f}s {view.device} {each.severity.upper()} {each.program}: {each.message}"
        for each in facts.lines
    )


_QUEUES = ("Port", "Shape(kbps)", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Queued/bytes")
_VXLANS = ("VNI", "Interface", "VTEP source", "UDP port", "Bridge", "Remote VTEPs")

ROWS: tuple[Row, ...] = (
    row("running_config", ["show runningconfiguration (all|bgp)"], f.Configuration, _running),
    row("saved_config", ["show startupconfiguration bgp"], f.SavedConfiguration, _saved),
    row("interface_brief", ["show interfaces status [<interface>]"], f.Interfaces, _status),
    row("interface_brief", ["show ip interfaces"], f.Interfaces, _addresses),
    row("interface_detail", ["ip (addr=address|link) [show=list=lst]"], KernelPrinted, as_printed),
    row("interface_counters", ["show interfaces counters"], f.Interfaces, _counters),
    row("interface_description", ["show interfaces description [<interface>]"], f.Interfaces, _description),
    row("link_neighbors", ["show lldp table"], f.LinkNeighbors, _link_neighbors),
    row("route_table", ["show ip route [(bgp|connected|kernel|ospf|static)]"], RouterPrinted, as_printed),
    row("route_lookup", ["show ip route (<address>|<prefix>)"], RouterPrinted, as_printed),
    row("fib", ["show ip fib [<address>]"], f.Fib, _fib),
    row("arp", ["show arp"], f.Neighbors, _arp),
    row("bgp_summary", ["show ip bgp summary"], RouterPrinted, as_printed),
    row("bgp_peer", ["show ip bgp neighbors [<address>]"], RouterPrinted, as_printed),
    row("bgp_table", ["show ip bgp [(<address>|<prefix>)]"], RouterPrinted, as_printed),
    Row(
        "bgp_table",
        ["show ip bgp network [(<address>|<prefix>)]"],
        RouterPrinted,
        printed_for("show ip bgp network", "show ip bgp"),
    ),
    row("ospf_neighbors", ["show ip ospf neighbor"], RouterPrinted, as_printed),
    row("isis_neighbors", ["show isis neighbor"], RouterPrinted, as_printed),
    row("bfd", ["show bfd peers"], RouterPrinted, as_printed),
    row("queues", ["show queue counters [<interface>]"], l2.PortQueues, layer2_layouts.queues(_QUEUES)),
    row("spanning_tree", ["show spanning-tree"], l2.Bridges, layer2_layouts.ios_spanning_tree),
    row("vrrp", ["show vrrp"], l2.StandbyGroups, layer2_layouts.ios_standby),
    row("vxlan", ["show vxlan interface"], l2.Tunnels, layer2_layouts.tunnels(_VXLANS)),
    row("acl", ["show acl rule"], f.PacketFilter, _acl),
    row("route_policy", ["show route-map [<name>]"], RouterPrinted, as_printed),
    row("prefix_list", ["show ip prefix-list [<name>]"], RouterPrinted, as_printed),
    row("logs", ["show logging"], f.LogLines, _logs),
    row("cpu", ["show processes cpu"], f.Processes, linux.cpu),
    row("memory", ["show processes memory"], f.Processes, linux.cpu),
    row("ping", ["ping {-I <source>|-c <count>|-s <size>} <address>"], f.Ping, linux.ping),
    row("traceroute", ["traceroute [-n] [-s <source>] <address>"], f.Trace, linux.traceroute),
)
