"""Layouts that Huawei VRP and H3C Comware share: BGP, other routing protocols, policies and packet filters."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import View
from netopsbench.vendors.filters import Entry, by_chain, default_of, entries, of_packets, with_wildcard
from netopsbench.vendors.layout import columns, told
from netopsbench.vendors.lookup import bgp_prefixes, chosen_lists, chosen_policies, chosen_sessions
from netopsbench.vendors.vrp_config import statement

OFF = "Info: This protocol is not enabled."
_ORIGINS = {"IGP": "i", "EGP": "e", "incomplete": "?"}


def bgp_peer(facts: s.BgpSessions, view: View) -> str:
    """`display bgp peer verbose`."""
    if not facts.is_running:
        return OFF
    found = chosen_sessions(facts, view)
    return "\n\n".join(_session(each) for each in found) or "Error: The peer does not exist."


def _session(each: s.BgpSession) -> str:
    kind = "IBGP" if each.local_asn == each.remote_asn else "EBGP"
    up = f", Up for {each.age}" if each.age else ""
    said = each.messages
    lines = [
        f" BGP Peer is {each.address},  remote AS {each.remote_asn}",
        f" Type: {kind} link",
        f" BGP version 4, Remote router ID {told(each.remote_router_id)}",
        f" BGP current state: {each.state}{up}",
        f" Port:  Local - {told(each.local_port)}        Remote - {told(each.remote_port)}",
        f" Configured: Active Hold Time: {told(each.hold_s)} sec   Keepalive Time:{told(each.keepalive_s)} sec",
        f" Times established: {each.times_established}, dropped: {each.times_dropped}",
        f" Last reset: {told(each.last_reset)}",
    ]
    for title, way in (("Received", "Recv"), ("Sent", "Sent")):
        lines += [
            f" {title}: Total {said.get(f'total{way}', 0)} messages",
            f"          Update messages                {said.get(f'updates{way}', 0)}",
            f"          Open messages                  {said.get(f'opens{way}', 0)}",
            f"          KeepAlive messages             {said.get(f'keepalives{way}', 0)}",
            f"          Notification messages          {said.get(f'notifications{way}', 0)}",
            f"          Refresh messages               {said.get(f'routeRefresh{way}', 0)}",
        ]
    lines += [f" Received active routes total: {told(each.prefixes_accepted)}"]
    lines += [f" Advertised total routes: {told(each.prefixes_sent)}"]
    lines += [f" Import route policy is: {each.policy_in}"] if each.policy_in else []
    lines += [f" Export route policy is: {each.policy_out}"] if each.policy_out else []
    lines += [f" Peer's description: {each.description}"] if each.description else []
    return "\n".join(lines)


def bgp_table(facts: s.BgpTable, view: View) -> str:
    """`display bgp routing-table`, whole or of one prefix."""
    if not facts.is_running:
        return OFF
    found = bgp_prefixes(facts, view)
    if view.arguments:
        return "\n".join(_entry(each, facts) for each in found) or "Info: The network does not exist."
    rows: list[tuple[object, ...]] = [("", "Network", "NextHop", "MED", "LocPrf", "PrefVal", " Path/Ogn")]
    for each in found:
        for number, path in enumerate(each.paths):
            best = ">" if path.is_best else "&" if path.is_multipath else " "
            status = f" {'*' if path.is_valid else ' '}{best}{'i' if path.is_internal else ' '}"
            med, preference = "" if path.metric is None else path.metric, path.local_preference or ""
            network = each.prefix if number == 0 else ""
            rows.append(
                (
                    status,
                    network,
                    path.next_hop,
                    med,
                    preference,
                    path.weight,
                    f" {path.as_path}{_ORIGINS[path.origin]}",
                )
            )
    head = [
        f" BGP Local router ID is {facts.router_id}",
        " Status codes: * - valid, > - best, & - multipath, i - internal",
        "               Origin : i - IGP, e - EGP, ? - incomplete",
        "",
        f" Total Number of Routes: {len(rows) - 1}",
    ]
    return "\n".join([*head, *columns(rows, (6, 20, 16, -7, -8, -8, 1))])


def _entry(each: s.BgpPrefix, facts: s.BgpTable) -> str:
    best = sum(path.is_best for path in each.paths)
    lines = [
        f" BGP local router ID : {facts.router_id}",
        f" Local AS number : {facts.asn}",
        f" Paths:   {len(each.paths)} available, {best} best",
    ]
    for path in each.paths:
        marks = [("valid", path.is_valid), ("internal", path.is_internal), ("external", not path.is_internal)]
        marks += [("multipath", path.is_multipath), ("best", path.is_best)]
        said = ", ".join(word for word, holds in marks if holds)
        source = "local" if path.peer == "(unspec)" else path.peer
        lines += [
            f" BGP routing table entry information of {each.prefix}:",
            f" From: {source}",
            f" Original nexthop: {path.next_hop}",
            f" AS-path {path.as_path or 'Nil'}, origin {path.origin.lower()}, MED {told(path.metric)}, "
            f"localpref {told(path.local_preference)}, pref-val {path.weight}, {said}",
        ]
    return "\n".join(lines)


def ospf_neighbors(facts: s.OspfNeighbors, view: View) -> str:
    """`display ospf peer`."""
    if not facts.is_running:
        return OFF
    rows: list[tuple[object, ...]] = [("Router ID", "Address", "Pri", "Dead-Time", "State", "Interface")]
    for each in facts.neighbors:
        state = each.state if each.role == "-" else f"{each.state}/{each.role}"
        rows.append((each.router_id, each.address, each.priority, each.dead_s, state, view.names.brief(each.interface)))
    return "\n".join(columns(rows, (16, 16, 4, 10, 16, 1)))


def isis_neighbors(facts: s.IsisNeighbors, view: View) -> str:
    """`display isis peer`."""
    if not facts.is_running:
        return OFF
    rows: list[tuple[object, ...]] = [("System Id", "Interface", "State", "HoldTime", "Type")]
    rows += [(each.system, view.names.brief(each.interface), each.state, f"{each.hold_s}s", each.level)
             for each in facts.neighbors]  # fmt: skip
    return "\n".join(columns(rows, (16, 14, 8, 10, 1)))


def bfd(facts: s.BfdSessions, view: View) -> str:
    """`display bfd session`."""
    if not facts.is_running:
        return OFF
    rows: list[tuple[object, ...]] = [("Local", "Remote", "PeerIpAddr", "State", "InterfaceName")]
    for each in facts.sessions:
        ends = (each.local_discriminator, each.remote_discriminator)
        rows.append((*ends, each.peer, each.status.capitalize(), view.names.of(each.interface)))
    return "\n".join([*columns(rows, (12, 12, 17, 10, 1)), f" Total Session Number : {len(facts.sessions)}"])


def acl(facts: f.PacketFilter, view: View) -> str:
    """`display acl all`."""
    chains = by_chain(of_packets(facts))
    lines = [f" Total nonempty ACL number is {len(chains)}"]
    for chain, rules in chains:
        found = [entry for rule in rules for entry in entries(rule, view.names)]
        lines += ["", f"Advanced ACL {chain}, {len(found) + 1} rules", "Acl's step is 5"]
        lines += [f" rule {5 * number} {_rule(entry)}" for number, entry in enumerate(found, start=1)]
        lines.append(f" rule {5 * (len(found) + 1)} {default_of(facts, chain)} ip")
    return "\n".join(lines)


def _rule(entry: Entry) -> str:
    words = [entry.action, entry.protocol]
    words += [f"source {_place(entry.source)}"] if entry.source else []
    words += [f"destination {_place(entry.destination)}"] if entry.destination else []
    words += [f"destination-port eq {' '.join(entry.ports)}"] if entry.ports else []
    words += [] if entry.packets is None else [f"({entry.packets} matches)"]
    words += [f"# {entry.remark}"] if entry.remark else []
    return " ".join(words)


def _place(prefix: str) -> str:
    text = with_wildcard(prefix)
    return f"{text.removeprefix('host ')} 0" if text.startswith("host ") else text


def route_policy(facts: f.Policies, view: View) -> str:
    """`display route-policy`."""
    lines: list[str] = []
    for policy in chosen_policies(facts, view):
        lines.append(f"Route-policy : {policy.name}")
        for entry in policy.entries:
            lines.append(f"  {entry.action} : {entry.sequence}")
            for title, word in (("Match clauses :", "match "), ("Apply clauses :", "set ")):
                of_kind = [statement(line, view) for line in entry.lines if line.startswith(word)]
                lines += [f"    {title}", *(f"      {line}" for line in of_kind)] if of_kind else []
            lines += [f"    {line}" for line in entry.lines if not line.startswith(("match ", "set "))]
    return "\n".join(lines)


def prefix_list(facts: f.Policies, view: View) -> str:
    """`display ip ip-prefix`."""
    lines: list[str] = []
    for each in chosen_lists(facts, view):
        lines.append(f"Prefix-list {each.name}")
        for rule in each.rules:
            least = "" if rule.at_least is None else f" ge {rule.at_least}"
            most = "" if rule.at_most is None else f" le {rule.at_most}"
            lines.append(f"        index: {rule.sequence:<16}{rule.action:<8}{rule.prefix:<18}{least}{most}".rstrip())
    return "\n".join(lines)
