"""The commands of Linux. Most answers are what the device's own programs print."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import ios_system, layer2_layouts
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors.command import Row, View, row
from netopsbench.vendors.filters import by_chain
from netopsbench.vendors.layout import columns
from netopsbench.vendors.printed import KernelPrinted, as_printed

_ON = "[[dev] <interface>]"


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


def _rules(facts: f.PacketFilter, view: View) -> str:
    lines: list[str] = []
    for chain, rules in by_chain(facts):
        of_frames, _, place = chain.rpartition(" ")
        family = of_frames or (rules[0].family if rules else "ip")
        table, _, name = place.rpartition(".")
        default = facts.defaults.get(f.chain_of(family, name))
        lines += [f"table {family} {table or 'filter'} {{", f"\tchain {name} {{"]
        lines += [f"\t\tpolicy {default};"] if default else []
        lines += [*(f"\t\t{_rule(rule)}" for rule in rules), "\t}", "}"]
    return "\n".join(lines)


def _rule(rule: f.FilterRule) -> str:
    conditions = [
        ("iifname", [f'"{each}"' for each in rule.in_interfaces]),
        ("oifname", [f'"{each}"' for each in rule.out_interfaces]),
        ("ip saddr", list(rule.sources)),
        ("ip daddr", list(rule.destinations)),
    ]
    if rule.destination_ports:
        conditions.append((f"{' '.join(rule.protocols)} dport", list(rule.destination_ports)))
    else:
        conditions.append(("ip protocol", list(rule.protocols)))
    words = [f"{name} {_set(values)}" for name, values in conditions if values]
    words += rule.others
    words += [] if rule.packets is None else [f"counter packets {rule.packets}"]
    return " ".join([*words, *([rule.action] if rule.action != "count" else [])])


def _set(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{{ {', '.join(values)} }}"


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
    row("interface_brief", [f"ip -br (addr|link) [show {_ON}]"], KernelPrinted, as_printed),
    row("interface_detail", [f"ip (addr|link) [show {_ON}]"], KernelPrinted, as_printed),
    row("interface_counters", [f"ip -s link [show {_ON}]"], KernelPrinted, as_printed),
    row("interface_description", ["cat /sys/class/net/*/ifalias"], f.Interfaces, _aliases),
    row("link_neighbors", ["lldpcli show neighbors"], f.LinkNeighbors, _link_neighbors),
    row("fib", ["ip route [show]"], KernelPrinted, as_printed),
    row("route_lookup", ["ip route get <address>"], KernelPrinted, as_printed),
    row("arp", [f"ip neigh [show {_ON}]"], KernelPrinted, as_printed),
    row("queues", ["tc -s qdisc [show [dev <interface>]]"], KernelPrinted, as_printed),
    row("spanning_tree", ["brctl showstp br0"], l2.Bridges, layer2_layouts.linux_spanning_tree),
    row("vxlan", ["ip -d link show type vxlan"], KernelPrinted, as_printed),
    row("acl", ["nft list ruleset"], f.PacketFilter, _rules),
    row("logs", ["journalctl"], f.LogLines, _logs),
    row("cpu", ["ps aux"], f.Processes, cpu),
    row("memory", ["ps -eo pid,pcpu,rss,comm"], f.Processes, cpu),
    row("ping", ["ping {-I <source>|-c <count>|-s <size>} <address>"], f.Ping, ping),
    row("traceroute", ["traceroute [-n] [-s <source>] <address>"], f.Trace, traceroute),
)
