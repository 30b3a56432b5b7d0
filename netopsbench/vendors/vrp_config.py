"""Configurations in the languages of Huawei and H3C: a table of FRR's statements and theirs."""

import re
from collections.abc import Callable
from ipaddress import IPv4Interface

from netopsbench.vendors import facts as f
from netopsbench.vendors.command import View
from netopsbench.vendors.layout import dotted
from netopsbench.vendors.passive import said_in_process

_WRITTEN: dict[str, Callable[[IPv4Interface], str]] = {
    "masked": lambda prefix: f"{prefix.ip} {dotted(prefix.network.prefixlen)}",
    "wild": lambda prefix: f"{prefix.ip} {prefix.network.hostmask}",
    "sized": lambda prefix: f"{prefix.ip} {prefix.network.prefixlen}",
}
"""How a prefix is written, by the name of its group in a statement."""

_PEER = r"neighbor (?P<peer>\S+) "
_STATEMENTS: tuple[tuple[str, str, str], ...] = (
    (r"hostname (?P<name>\S+)", "sysname {name}", "sysname {name}"),
    (r"interface (?P<port>\S+)", "interface {port}", "interface {port}"),
    (r"description (?P<text>.*)", "description {text}", "description {text}"),
    (r"ip address (?P<masked>\S+)", "ip address {masked}", "ip address {masked}"),
    (r"shutdown", "shutdown", "shutdown"),
    (r"ip ospf network point-to-point", "ospf network-type p2p", "ospf network-type p2p"),
    (r"ip ospf hello-interval (?P<n>\d+)", "ospf timer hello {n}", "ospf timer hello {n}"),
    (r"ip ospf dead-interval (?P<n>\d+)", "ospf timer dead {n}", "ospf timer dead {n}"),
    (r"ip ospf cost (?P<n>\d+)", "ospf cost {n}", "ospf cost {n}"),
    (r"router ospf", "ospf 1", "ospf 1"),
    (r"passive-interface (?P<port>\S+)", "silent-interface {port}", "silent-interface {port}"),
    (r"network (?P<wild>\S+) area (?P<n>\S+)", "area {n}\n  network {wild}", "area {n}\n  network {wild}"),
    (r"redistribute connected", "import-route direct", "import-route direct"),
    (r"redistribute (?P<n>static|bgp|ospf|rip|isis)", "import-route {n}", "import-route {n}"),
    (r"router bgp (?P<n>\d+)", "bgp {n}", "bgp {n}"),
    (r"(?:bgp|ospf) router-id (?P<n>\S+)", "router-id {n}", "router-id {n}"),
    (r"timers bgp (?P<n>\d+) (?P<m>\d+)", "timer keepalive {n} hold {m}", "timer keepalive {n} hold {m}"),
    (_PEER + r"remote-as (?P<n>\d+)", "peer {peer} as-number {n}", "peer {peer} as-number {n}"),
    (_PEER + r"description (?P<text>.*)", "peer {peer} description {text}", "peer {peer} description {text}"),
    (_PEER + r"shutdown", "peer {peer} ignore", "peer {peer} ignore"),
    (_PEER + r"ebgp-multihop (?P<n>\d+)", "peer {peer} ebgp-max-hop {n}", "peer {peer} ebgp-max-hop {n}"),
    (_PEER + r"timers connect (?P<n>\d+)", "peer {peer} timer connect-retry {n}",
     "peer {peer} timer connect-retry {n}"),
    (_PEER + r"advertisement-interval (?P<n>\d+)", "peer {peer} route-update-interval {n}",
     "peer {peer} route-update-interval {n}"),
    (_PEER + r"route-map (?P<name>\S+) in", "peer {peer} route-policy {name} import",
     "peer {peer} route-policy {name} import"),
    (_PEER + r"route-map (?P<name>\S+) out", "peer {peer} route-policy {name} export",
     "peer {peer} route-policy {name} export"),
    (_PEER + r"prefix-list (?P<name>\S+) in", "peer {peer} ip-prefix {name} import",
     "peer {peer} prefix-list {name} import"),
    (_PEER + r"prefix-list (?P<name>\S+) out", "peer {peer} ip-prefix {name} export",
     "peer {peer} prefix-list {name} export"),
    (r"address-family ipv4 unicast", "ipv4-family unicast", "address-family ipv4 unicast"),
    (r"network (?P<masked>\S+)", "network {masked}", "network {masked}"),
    (r"maximum-paths (?P<n>\d+)", "maximum load-balancing {n}", "balance {n}"),
    (r"ip route (?P<masked>\S+) [Nn]ull0", "ip route-static {masked} NULL0", "ip route-static {masked} NULL0"),
    (r"ip route (?P<masked>\S+) (?P<n>[\d.]+)", "ip route-static {masked} {n}", "ip route-static {masked} {n}"),
    (r"ip route (?P<masked>\S+) (?P<n>[\d.]+) (?P<m>\d+)", "ip route-static {masked} {n} preference {m}",
     "ip route-static {masked} {n} preference {m}"),
    (r"ip prefix-list (?P<name>\S+) seq (?P<n>\d+) (?P<do>permit|deny) (?P<sized>[\d./]+)(?P<span>(?: [gl]e \d+)*)",
     "ip ip-prefix {name} index {n} {do} {sized}{span}", "ip prefix-list {name} index {n} {do} {sized}{span}"),
    (r"route-map (?P<name>\S+) (?P<do>permit|deny) (?P<n>\d+)", "route-policy {name} {do} node {n}",
     "route-policy {name} {do} node {n}"),
    (r"match ip address prefix-list (?P<name>\S+)", "if-match ip-prefix {name}",
     "if-match ip address prefix-list {name}"),
    (r"match as-path (?P<name>\S+)", "if-match as-path-filter {name}", "if-match as-path {name}"),
    (r"set metric (?P<n>\d+)", "apply cost {n}", "apply cost {n}"),
    (r"set local-preference (?P<n>\d+)", "apply local-preference {n}", "apply local-preference {n}"),
    (r"set as-path prepend (?P<text>.+)", "apply as-path {text} additive", "apply as-path {text}"),
)  # fmt: skip
"""FRR's statement, Huawei's, H3C's."""
_RULES = tuple((re.compile(pattern), huawei, h3c) for pattern, huawei, h3c in _STATEMENTS)
_DROPPED = ("exit", "exit-address-family")


def configuration(facts: f.Configuration, view: View) -> str:
    """The running or saved configuration; statements that the vendor hasn't are comments."""
    lines = [
        text for line in said_in_process(facts.lines) if line.strip() not in _DROPPED for text in _line(line, view)
    ]
    start = [] if lines[:1] == ["#"] else ["#"]
    return "\n".join([*start, *lines, *([] if lines[-1:] == ["#"] else ["#"]), "return"])


def _line(line: str, view: View) -> list[str]:
    if line.strip() == "!":
        return ["#"] if line == "!" else [" #"]
    margin = line[: len(line) - len(line.lstrip())]
    return f"{margin}{statement(line.strip(), view)}".splitlines()


def statement(line: str, view: View) -> str:
    """One of FRR's statements in the vendor's language, or marked as FRR's own."""
    for pattern, huawei, h3c in _RULES:
        if found := pattern.fullmatch(line):
            parts = {name: _part(name, text or "", view) for name, text in found.groupdict().items()}
            return (huawei if view.vendor == "huawei" else h3c).format(**parts)
    return f"# FRR only: {view.names.in_text(line)}"


def _part(name: str, text: str, view: View) -> str:
    if name == "port":
        return view.names.of(text)
    if name == "span":
        return text.replace(" ge ", " greater-equal ").replace(" le ", " less-equal ")
    return _WRITTEN[name](IPv4Interface(text)) if name in _WRITTEN else text
