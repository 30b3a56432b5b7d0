"""Layouts that Cisco IOS and Arista EOS share: BGP, other routing protocols, policies and packet filters."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import View
from netopsbench.vendors.filters import by_chain, default_of, entries, of_packets, with_wildcard
from netopsbench.vendors.layout import NOT_KNOWN, columns, told
from netopsbench.vendors.lookup import bgp_prefixes, chosen_lists, chosen_policies, chosen_sessions

BGP_OFF = "% BGP not active"
_LEGEND = """\
Status codes: * valid, > best, i - internal, m multipath
Origin codes: i - IGP, e - EGP, ? - incomplete
"""
_ORIGINS = {"IGP": "i", "EGP": "e", "incomplete": "?"}
_COUNTS = {"opens": "Opens", "notifications": "Notifications", "updates": "Updates", "keepalives": "Keepalives",
           "routeRefresh": "Route Refresh", "total": "Total"}  # fmt: skip


def bgp_summary(facts: s.BgpSummary, view: View) -> str:
    """`show ip bgp summary`."""
    if not facts.is_running:
        return BGP_OFF
    rows: list[tuple[object, ...]] = [
        ("Neighbor", "V", "AS", "MsgRcvd", "MsgSent", "TblVer", "InQ", "OutQ", " Up/Down", "State/PfxRcd")
    ]
    for peer in facts.peers:
        state = peer.prefixes_received if peer.state == "Established" else peer.state
        rows.append(
            (peer.address, 4, peer.remote_asn, peer.received, peer.sent, NOT_KNOWN, NOT_KNOWN, peer.queued_out,
             f" {peer.age}", state)
        )  # fmt: skip
    return "\n".join(
        [
            f"BGP router identifier {facts.router_id}, local AS number {facts.asn}",
            f"BGP table version is {facts.table_version}",
            "",
            *columns(rows, (16, 2, -12, -8, -8, -9, -5, -5, 11, -12)),
        ]
    )


def bgp_peer(facts: s.BgpSessions, view: View) -> str:
    """`show ip bgp neighbors`."""
    if not facts.is_running:
        return BGP_OFF
    found = chosen_sessions(facts, view)
    if not found:
        return f"% No such neighbor or address family: {view.arguments.get('address', '')}".rstrip(": ")
    return "\n\n".join(_session(each) for each in found)


def _session(each: s.BgpSession) -> str:
    link = "internal" if each.local_asn == each.remote_asn else "external"
    up = f", up for {each.age}" if each.age else ""
    lines = [f"BGP neighbor is {each.address},  remote AS {each.remote_asn}, {link} link"]
    lines += [f" Description: {each.description}"] if each.description else []
    lines += [
        f"  BGP version 4, remote router ID {told(each.remote_router_id)}",
        f"  BGP state = {each.state}{up}",
        f"  Hold time is {told(each.hold_s)}, keepalive interval is {told(each.keepalive_s)} seconds",
        "  Message statistics:",
        f"                   {'Sent':>10} {'Rcvd':>10}",
    ]
    for key, title in _COUNTS.items():
        sent, received = each.messages.get(f"{key}Sent", 0), each.messages.get(f"{key}Recv", 0)
        lines.append(f"    {title + ':':<15}{sent:>10} {received:>10}")
    lines.append("  For address family: IPv4 Unicast")
    lines += [f"    Inbound path policy: route-map {each.policy_in}"] if each.policy_in else []
    lines += [f"    Outbound path policy: route-map {each.policy_out}"] if each.policy_out else []
    lines += [
        f"    Prefixes accepted {told(each.prefixes_accepted)}, sent {told(each.prefixes_sent)}",
        f"  Connections established {each.times_established}; dropped {each.times_dropped}",
        f"  Last reset: {told(each.last_reset)}{'' if each.last_error is None else f', {each.last_error}'}",
        f"Local host: {told(each.local_address)}, Local port: {told(each.local_port)}",
        f"Foreign host: {each.address}, Foreign port: {told(each.remote_port)}",
    ]
    return "\n".join(lines)


def bgp_table(facts: s.BgpTable, view: View) -> str:
    """`show ip bgp`, whole or of one prefix."""
    if not facts.is_running:
        return BGP_OFF
    found = bgp_prefixes(facts, view)
    if view.arguments:
        return "\n".join(_entry(each) for each in found) or "% Network not in table"
    rows: list[tuple[object, ...]] = [("", "Network", "Next Hop", "Metric", "LocPrf", "Weight", " Path")]
    for each in found:
        for number, path in enumerate(each.paths):
            network = each.prefix if number == 0 else ""
            rows.append(
                (_status(path), network, path.next_hop, *_numbers(path), f" {path.as_path} {_ORIGINS[path.origin]}")
            )
    head = [f"BGP table version is {facts.table_version}, local router ID is {facts.router_id}", _LEGEND]
    return "\n".join([*head, *columns(rows, (5, 19, 16, -7, -7, -7, 1))])


def _numbers(path: s.BgpPath) -> tuple[object, object, object]:
    return "" if path.metric is None else path.metric, path.local_preference or "", path.weight


def _status(path: s.BgpPath) -> str:
    valid, best = "*" if path.is_valid else " ", ">" if path.is_best else "m" if path.is_multipath else " "
    return f" {valid}{best}{'i' if path.is_internal else ' '}"


def _entry(each: s.BgpPrefix) -> str:
    best = next((str(number) for number, path in enumerate(each.paths, start=1) if path.is_best), "none")
    lines = [f"BGP routing table entry for {each.prefix}", f"Paths: ({len(each.paths)} available, best #{best})"]
    for path in each.paths:
        marks = [("valid", path.is_valid), ("internal", path.is_internal), ("external", not path.is_internal)]
        marks += [("multipath", path.is_multipath), ("best", path.is_best)]
        source = "local" if path.peer == "(unspec)" else f"from {path.peer}"
        metric = "" if path.metric is None else f", metric {path.metric}"
        preference = "" if path.local_preference is None else f", localpref {path.local_preference}"
        said = ", ".join(word for word, holds in marks if holds)
        lines += [
            f"  {path.as_path or 'Local'}",
            f"    {path.next_hop} {source}",
            f"      Origin {path.origin}{metric}{preference}, weight {path.weight}, {said}",
        ]
    return "\n".join(lines)


def ospf_neighbors(facts: s.OspfNeighbors, view: View) -> str:
    """`show ip ospf neighbor`."""
    if not facts.is_running:
        return "% OSPF not active"
    rows: list[tuple[object, ...]] = [("Neighbor ID", "Pri", "State", "Dead Time", "Address", "Interface")]
    for each in facts.neighbors:
        state = f"{each.state.upper()}/{each.role:<4}"
        dead = f"00:{each.dead_s // 60:02}:{each.dead_s % 60:02}"
        rows.append((each.router_id, each.priority, state, dead, each.address, view.names.of(each.interface)))
    return "\n".join(columns(rows, (16, 6, 16, 12, 16, 1)))


def isis_neighbors(facts: s.IsisNeighbors, view: View) -> str:
    """`show isis neighbors`."""
    if not facts.is_running:
        return "% IS-IS not active"
    rows: list[tuple[object, ...]] = [("System Id", "Type", "Interface", "State", "Holdtime")]
    rows += [(each.system, each.level, view.names.brief(each.interface), each.state.upper(), each.hold_s)
             for each in facts.neighbors]  # fmt: skip
    return "\n".join(columns(rows, (16, 6, 14, 8, 1)))


def bfd(facts: s.BfdSessions, view: View) -> str:
    """`show bfd neighbors`."""
    if not facts.is_running:
        return "% BFD not active"
    rows: list[tuple[object, ...]] = [("NeighAddr", "LD/RD", "State", "Int")]
    for each in facts.sessions:
        discriminators = f"{each.local_discriminator}/{each.remote_discriminator}"
        rows.append((each.peer, discriminators, each.status.capitalize(), view.names.brief(each.interface)))
    return "\n".join(["IPv4 Sessions", *columns(rows, (40, 24, 10, 1))])


def acl(facts: f.PacketFilter, view: View) -> str:
    """`show access-lists`."""
    lines: list[str] = []
    for chain, rules in by_chain(of_packets(facts)):
        lines.append(f"Extended IP access list {chain}")
        found = [entry for rule in rules for entry in entries(rule, view.names)]
        for number, entry in enumerate(found, start=1):
            ports = f" eq {' '.join(entry.ports)}" if entry.ports else ""
            counted = "" if entry.packets is None else f" ({entry.packets} matches)"
            remark = f" ! {entry.remark}" if entry.remark else ""
            ends = f"{with_wildcard(entry.source)} {with_wildcard(entry.destination)}"
            lines.append(f"    {10 * number} {entry.action} {entry.protocol} {ends}{ports}{counted}{remark}")
        lines.append(f"    {10 * (len(found) + 1)} {default_of(facts, chain)} ip any any")
    return "\n".join(lines)


def route_policy(facts: f.Policies, view: View) -> str:
    """`show route-map`."""
    lines: list[str] = []
    for policy in chosen_policies(facts, view):
        for entry in policy.entries:
            lines.append(f"route-map {policy.name}, {entry.action}, sequence {entry.sequence}")
            lines.append("  Match clauses:")
            lines += [f"    {line.removeprefix('match ')}" for line in entry.lines if line.startswith("match ")]
            lines.append("  Set clauses:")
            lines += [f"    {line.removeprefix('set ')}" for line in entry.lines if line.startswith("set ")]
            lines += [f"  {line}" for line in entry.lines if not line.startswith(("match ", "set "))]
    return "\n".join(lines)


def prefix_list(facts: f.Policies, view: View) -> str:
    """`show ip prefix-list`."""
    lines: list[str] = []
    for each in chosen_lists(facts, view):
        lines.append(f"ip prefix-list {each.name}: {len(each.rules)} entries")
        lines += [f"   {prefix_rule(rule)}" for rule in each.rules]
    return "\n".join(lines)


def prefix_rule(rule: f.PrefixRule) -> str:
    """`seq 5 permit 10.0.0.0/8 ge 9 le 32`."""
    least = "" if rule.at_least is None else f" ge {rule.at_least}"
    most = "" if rule.at_most is None else f" le {rule.at_most}"
    return f"seq {rule.sequence} {rule.action} {rule.prefix}{least}{most}"
