"""Layouts that Cisco IOS and Arista EOS share: configuration, log, processes, ping and traceroute."""

import re
from ipaddress import IPv4Network

from netopsbench.vendors import facts as f
from netopsbench.vendors.command import View
from netopsbench.vendors.layout import columns, dotted
from netopsbench.vendors.passive import said_in_process

_ONLY_FRR = re.compile(
    r"zebra |no zebra |no ipv6 forwarding|no service integrated|ip protocol |log syslog|bgp route-map delay-timer"
    r"| update-delay| no bgp ebgp-requires-policy| no bgp network import-check| set src | ip ospf retransmit"
    r"| ip ospf passive| neighbor \S+ timers connect| vrrp \d+ (?:version|shutdown)"
)
_RESPELLED = {"router ospf": "router ospf 1"}
"""IOS numbers its processes."""
_ROUTER_ID = re.compile(r" ospf (router-id \S+)")
_ADDRESS = re.compile(r"( ip address )(\d[\d.]*)/(\d+)(.*)")
_STATIC = re.compile(r"(ip route )(\d[\d.]*)/(\d+)(.*)")
_NETWORK = re.compile(r"( +network )(\d[\d.]*)/(\d+)(.*)")
_LEVELS = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")


def configuration(facts: f.Configuration, view: View) -> str:
    """The running or saved configuration; lines that only FRR has are comments."""
    body = [_line(line, view) for line in said_in_process(facts.lines) if line.strip() not in ("exit",)]
    start = [] if body[:1] == ["!"] else ["!"]
    return "\n".join([*start, *body, *([] if body[-1:] == ["!"] else ["!"]), "end"])


def _line(line: str, view: View) -> str:
    if _ONLY_FRR.match(line):
        return f"! FRR only: {view.names.in_text(line.strip())}"
    line = _ROUTER_ID.sub(r" \1", _RESPELLED.get(line, line))
    if view.vendor == "cisco":
        if found := _ADDRESS.fullmatch(line) or _STATIC.fullmatch(line):
            line = f"{found[1]}{found[2]} {dotted(int(found[3]))}{found[4]}"
        elif (found := _NETWORK.fullmatch(line)) and " area " not in line:
            line = f"{found[1]}{found[2]} mask {dotted(int(found[3]))}{found[4]}"
        elif found:
            line = f"{found[1]}{found[2]} {IPv4Network(f'{found[2]}/{found[3]}').hostmask}{found[4]}"
    is_free_text = line.lstrip().startswith(("description ", "hostname ")) or " description " in line
    return line if is_free_text else view.names.in_text(line)


def logs(facts: f.LogLines, view: View) -> str:
    """`show logging`; times count from the start of the time in question."""
    if not facts.is_kept:
        return "Syslog logging: disabled"
    lines = []
    for each in facts.lines:
        level = _LEVELS.index(each.severity) if each.severity in _LEVELS else each.severity
        lines.append(f"{each.at_s:+.3f}s: %{each.facility.upper()}-{level}-{each.program.upper()}: {each.message}")
    return "\n".join(lines)


def cpu(facts: f.Processes, view: View) -> str:
    """Processor use of each process, averaged over its life."""
    rows: list[tuple[object, ...]] = [("PID", "CPU%", " Process")]
    rows += [(each.pid, f"{each.cpu_pct:.1f}%", f" {each.name}") for each in facts.processes]
    return "\n".join(columns(rows, (-5, -8, 1)))


def memory(facts: f.Processes, view: View) -> str:
    """Memory that each process holds."""
    rows: list[tuple[object, ...]] = [("PID", "Holding", " Process")]
    rows += [(each.pid, each.resident_kib * 1024, f" {each.name}") for each in facts.processes]
    return "\n".join(columns(rows, (-5, -12, 1)))


def ping(facts: f.Ping, view: View) -> str:
    """`ping`: an exclamation mark for each answer, a point for each missing one."""
    lines = [f"Sending {facts.sent}, {facts.size_bytes}-byte ICMP Echos to {facts.target}:"]
    if facts.source is not None:
        lines.append(f"Packet sent with a source of {view.names.of(facts.source)}")
    got = len(facts.rtts_ms)
    lines.append("!" * got + "." * (facts.sent - got))
    if facts.error is not None:
        lines.append(f"% {facts.error}")
    times = f", round-trip min/avg/max = {round_trips(facts, '/')} ms" if got else ""
    lines.append(f"Success rate is {100 * got // max(1, facts.sent)} percent ({got}/{facts.sent}){times}")
    return "\n".join(lines)


def round_trips(facts: f.Ping, mark: str) -> str:
    """Shortest, mean and longest time in ms."""
    rtts = facts.rtts_ms
    return mark.join(f"{value:.3f}" for value in (min(rtts), sum(rtts) / len(rtts), max(rtts)))


def traceroute(facts: f.Trace, view: View) -> str:
    """`traceroute`."""
    lines = [f"Tracing the route to {facts.target}"]
    return "\n".join([*lines, *(f"{hop.ttl:>3} {_answers(hop)}" for hop in facts.hops)])


def _answers(hop: f.TraceHop) -> str:
    missing = ["*"] * (hop.sent - len(hop.rtts_ms))
    times = [f"{rtt:.3f} msec" for rtt in hop.rtts_ms]
    note = [f"({hop.note})"] if hop.note else []
    return " ".join([*([hop.address] if hop.address else []), *times, *missing, *note])
