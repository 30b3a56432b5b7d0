"""Layouts that Huawei VRP and H3C Comware share: interfaces, routes, neighbours, log, processes, ping."""

from netopsbench.vendors import facts as f
from netopsbench.vendors.command import View
from netopsbench.vendors.ios_system import round_trips
from netopsbench.vendors.layout import NOT_KNOWN, columns, mac_dashes
from netopsbench.vendors.lookup import chosen_interfaces, chosen_neighbors, fib_routes

PROTOCOLS = {"connected": "Direct", "static": "Static", "bgp": "BGP", "ospf": "OSPF", "isis": "ISIS", "rip": "RIP"}
LINE = "-" * 78
_LEVELS = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")


def physical(interface: f.Interface) -> str:
    """`up`, `down`, or `*down` for one that is switched off."""
    if not interface.is_admin_up:
        return "*down"
    return "up" if interface.has_carrier else "down"


def line_protocol(interface: f.Interface) -> str:
    """Whether IP runs on the interface."""
    return "up" if interface.is_up and interface.addresses else "down"


def interface_detail(facts: f.Interfaces, view: View) -> str:
    """`display interface`."""
    return "\n\n".join(_one_interface(each, view) for each in chosen_interfaces(facts, view))


def _one_interface(each: f.Interface, view: View) -> str:
    state = "Administratively DOWN" if not each.is_admin_up else "UP" if each.has_carrier else "DOWN"
    lines = [
        f"{view.names.of(each.name)} current state : {state}",
        f"Line protocol current state : {line_protocol(each).upper()}",
        f"Description: {each.description}",
        f"Route Port,The Maximum Transmit Unit is {each.mtu_bytes}",
    ]
    lines += [f"Internet Address is {address}" for address in each.addresses]
    if each.name != "lo":
        lines.append(f"IP Sending Frames' Format is PKTFMT_ETHNT_2, Hardware address is {mac_dashes(each.mac)}")
    lines += [
        f"Input:  {each.rx_packets} packets, {each.rx_bytes} bytes",
        f"  Total Error: {each.rx_errors}, Discard: {each.rx_dropped}",
        f"Output: {each.tx_packets} packets, {each.tx_bytes} bytes",
        f"  Total Error: {each.tx_errors}, Discard: {each.tx_dropped}",
    ]
    return "\n".join(lines)


def interface_counters(facts: f.Interfaces, view: View) -> str:
    """`display counters inbound` and `outbound`."""
    chosen = [each for each in chosen_interfaces(facts, view) if each.name != "lo"]
    is_out = view.says("outbound")
    rows: list[tuple[object, ...]] = [("Interface", "Total(pkts)", "Total(bytes)", "Error(pkts)", "Drop(pkts)")]
    for each in chosen:
        cells = (
            (each.tx_packets, each.tx_bytes, each.tx_errors, each.tx_dropped)
            if is_out
            else (each.rx_packets, each.rx_bytes, each.rx_errors, each.rx_dropped)
        )
        rows.append((view.names.brief(each.name), *cells))
    return "\n".join(["Outbound" if is_out else "Inbound", *columns(rows, (22, -14, -16, -14, -14))])


def fib(facts: f.Fib, view: View) -> str:
    """`display fib`."""
    routes = fib_routes(facts, view)
    rows: list[tuple[object, ...]] = [("Destination/Mask", "Nexthop", "Flag", "Interface")]
    for route in routes:
        host = "H" if route.prefix.endswith("/32") else ""
        origin = {"static": "S", "kernel": ""}.get(route.protocol, "D")
        if route.kind != "unicast":
            rows.append((route.prefix, "0.0.0.0", f"B{origin}U{host}", "NULL0"))
        for hop in route.hops:
            flags = f"{origin}{'G' if hop.gateway else ''}{'U' if hop.is_active else ''}{host}"
            out = NOT_KNOWN if hop.interface is None else view.names.brief(hop.interface)
            rows.append((route.prefix, hop.gateway or NOT_KNOWN, flags, out))
    head = [
        "Route Flags: G - Gateway Route, H - Host Route, U - Up Route, S - Static Route,",
        "             D - Dynamic Route, B - Black Hole Route",
        LINE,
        "FIB Table:",
        f"Total number of Routes : {len(rows) - 1}",
        "",
    ]
    return "\n".join([*head, *columns(rows, (20, 17, 7, 1))])


def arp(facts: f.Neighbors, view: View) -> str:
    """`display arp`."""
    rows: list[tuple[object, ...]] = [("IP ADDRESS", "MAC ADDRESS", "EXPIRE(M)", "TYPE", "INTERFACE")]
    chosen = chosen_neighbors(facts, view)
    for each in chosen:
        kind = "Static" if each.state == "permanent" else "Dynamic"
        mac = "Incomplete" if each.mac is None else mac_dashes(each.mac)
        rows.append((each.address, mac, NOT_KNOWN, kind, view.names.brief(each.interface)))
    return "\n".join([*columns(rows, (16, 16, 10, 9, 1)), LINE, f"Total:{len(chosen)}"])


def logs(facts: f.LogLines, view: View) -> str:
    """`display logbuffer`; times count from the start of the time in question."""
    if not facts.is_kept:
        is_huawei = view.vendor == "huawei"
        return "Logging buffer configuration and contents : disabled" if is_huawei else "Log buffer: Disabled"
    lines = []
    for each in facts.lines:
        level = _LEVELS.index(each.severity) if each.severity in _LEVELS else each.severity
        lines.append(
            f"{each.at_s:+.3f}s {view.device} {each.program.upper()}/{level}/{each.facility.upper()}: {each.message}"
        )
    return "\n".join([f"Current messages : {len(facts.lines)}", "", *lines])


def cpu(facts: f.Processes, view: View) -> str:
    """`display cpu-usage`: of each process, averaged over its life."""
    rows: list[tuple[object, ...]] = [("TaskName", "CPU")]
    rows += [(each.name, f"{each.cpu_pct:.1f}%") for each in facts.processes]
    return "\n".join(columns(rows, (16, 1)))


def memory(facts: f.Processes, view: View) -> str:
    """`display memory`: what each process holds."""
    rows: list[tuple[object, ...]] = [("TaskName", "Memory(KBytes)")]
    rows += [(each.name, each.resident_kib) for each in facts.processes]
    return "\n".join(columns(rows, (16, -15)))


def ping(facts: f.Ping, view: View) -> str:
    """`ping`."""
    lines = [f"  PING {facts.target}: {facts.size_bytes}  data bytes, press CTRL_C to break"]
    lines += [f"    Reply from {facts.target}: bytes={facts.size_bytes} time={rtt:.3f} ms" for rtt in facts.rtts_ms]
    got = len(facts.rtts_ms)
    lines += ["    Request time out"] * (facts.sent - got)
    lines += [f"    Error: {facts.error}"] if facts.error else []
    lines += [
        "",
        f"  --- {facts.target} ping statistics ---",
        f"    {facts.sent} packet(s) transmitted",
        f"    {got} packet(s) received",
        f"    {100 * (facts.sent - got) / max(1, facts.sent):.2f}% packet loss",
    ]
    return "\n".join([*lines, *([f"    round-trip min/avg/max = {round_trips(facts, '/')} ms"] if got else [])])


def traceroute(facts: f.Trace, view: View) -> str:
    """`tracert`."""
    lines = [f" traceroute to  {facts.target}"]
    for hop in facts.hops:
        times = [f"{rtt:.3f} ms" for rtt in hop.rtts_ms] + ["*"] * (hop.sent - len(hop.rtts_ms))
        note = [f"({hop.note})"] if hop.note else []
        lines.append(f" {hop.ttl} {' '.join([*([hop.address] if hop.address else []), *times, *note])}")
    return "\n".join(lines)
