"""The commands of Linux. Most answers are what the device's own programs print."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import ios_system, layer2_layouts
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors.command import Row, View, row
from netopsbench.vendors.layout import columns
from netopsbench.vendors.printed import KernelPrinted, as_printed

_ON = "[[dev] <interface>]"
_SHOW = "show=list=lst"
_ADDRESSES = "addr=address"


def _saved(facts: f.SavedConfiguration, view: View) -> str:
    return "\n".join(facts.lines)


def _aliases(facts: f.Interfaces, view: View) -> str:
    return "\n".join(columns([(each.name, each.description) for each in facts.interfaces], (16, 1)))


def _link_neighbors(facts: f.LinkNeighbors, view: View) -> str:
    if not facts.is_running:
        return "[WARN/control] unable to connect to socket /run/lldpd.socket: No such file or directory"
    rule = "-" * 79
    lines = [rule, "LLDP neighbors:", rule]
    for each in facts.neighbors:
        port = view.port_of(each.device, each.port)
        lines += [
            f"Interface:    {each.interface}, via: LLDP",
            "  Chassis:",
            f"    ChassisID:    mac {each.mac}",
            f"    SysName:      {each.device}",
            *(f"    Capability:   {capability}, on" for capability in each.capabilities),
            "  Port:",
            f"    PortID:       ifname {port}",
            f"    TTL:          {each.ttl_s}",
            rule,
        ]
    return "\n".join(lines)


def _logs(facts: f.LogLines, view: View) -> str:
    if not facts.is_kept:
        return "No journal files were found.\n-- No entries --"
    return "\n".join(f"{each.at_s:+.3f}s {view.device} {each.program}: {each.message}" for each in facts.lines)


def cpu(facts: f.Processes, view: View) -> str:
    """Processor use of each process, averaged over its life, as `ps` has it."""
    rows: list[tuple[object, ...]] = [("PID", "%CPU", "RSS", " COMMAND")]
    rows += [(each.pid, each.cpu_pct, each.resident_kib, f" {each.name}") for each in facts.processes]
    return "\n".join(columns(rows, (-7, -6, -8, 1)))


def ping(facts: f.Ping, view: View) -> str:
    """`ping`; what a reply's time to live was isn't kept."""
    source = f" from {facts.source}" if facts.source else ""
    lines = [f"PING {facts.target} ({facts.target}){source}: {facts.size_bytes} data bytes"]
    lines += [f"ping: {facts.error}"] if facts.error else []
    lines += [f"{facts.size_bytes + 8} bytes from {facts.target}: time={rtt:.3f} ms" for rtt in facts.rtts_ms]
    got = len(facts.rtts_ms)
    loss = 100 * (facts.sent - got) // max(1, facts.sent)
    lines += [
        "",
        f"--- {facts.target} ping statistics ---",
        f"{facts.sent} packets transmitted, {got} received, {loss}% packet loss",
    ]
    return "\n".join([*lines, *([f"rtt min/avg/max = {ios_system.round_trips(facts, '/')} ms"] if got else [])])


def traceroute(facts: f.Trace, view: View) -> str:
    """`traceroute -n`."""
    lines = [f"traceroute to {facts.target}, {len(facts.hops)} hops"]
    for hop in facts.hops:
        times = [f"{rtt:.3f} ms" for rtt in hop.rtts_ms] + ["*"] * (hop.sent - len(hop.rtts_ms))
        note = [f"!{hop.note}"] if hop.note else []
        lines.append(f"{hop.ttl:>2}  {'  '.join([*([hop.address] if hop.address else []), *times, *note])}".rstrip())
    return "\n".join(lines)


ROWS: tuple[Row, ...] = (
    row("saved_config", ["cat /etc/frr/*.conf"], f.SavedConfiguration, _saved),
    row("interface_brief", [f"ip -br=-brief ({_ADDRESSES}|link) [{_SHOW} {_ON}]"], KernelPrinted, as_printed),
    row("interface_detail", [f"ip ({_ADDRESSES}|link) [{_SHOW} {_ON}]"], KernelPrinted, as_printed),
    row("interface_counters", [f"ip -s=-stats=-statistics link [{_SHOW} {_ON}]"], KernelPrinted, as_printed),
    row("interface_description", ["cat /sys/class/net/*/ifalias"], f.Interfaces, _aliases),
    row("link_neighbors", ["lldpcli show neighbors"], f.LinkNeighbors, _link_neighbors),
    row("fib", [f"ip route [{_SHOW}]"], KernelPrinted, as_printed),
    row("route_lookup", ["ip route get <address>"], KernelPrinted, as_printed),
    row("arp", [f"ip neigh=neighbour=neighbor [{_SHOW} [dev <interface>]]"], KernelPrinted, as_printed),
    row("queues", ["tc -s=-statistics qdisc [show=list=ls [dev <interface>]]"], KernelPrinted, as_printed),
    row("spanning_tree", ["brctl showstp br0"], l2.Bridges, layer2_layouts.linux_spanning_tree),
    row("vxlan", [f"ip -d=-details link {_SHOW} type vxlan"], KernelPrinted, as_printed),
    row("acl", ["nft list ruleset"], KernelPrinted, as_printed),
    row("logs", ["journalctl"], f.LogLines, _logs),
    row("cpu", ["ps aux"], f.Processes, cpu),
    row("memory", ["ps -eo pid,pcpu,rss,comm"], f.Processes, cpu),
    row("ping", ["ping {-I <source>|-c <count>|-s <size>} <address>"], f.Ping, ping),
    row("traceroute", ["traceroute [-n] [-s <source>] <address>"], f.Trace, traceroute),
)
