"""The commands of FRR: those of its shell, answered by the running daemons, and those of the Linux below."""

from netopsbench.vendors import facts as f
from netopsbench.vendors import linux
from netopsbench.vendors.command import Row, row
from netopsbench.vendors.printed import RouterPrinted, as_printed

_BGP = ("show ip bgp", "show bgp ipv4 unicast")

ROWS: tuple[Row, ...] = (
    row("running_config", ["show running-config"], RouterPrinted, as_printed),
    row("interface_brief", ["show interface brief"], RouterPrinted, as_printed),
    row("interface_detail", ["show interface [<interface>]"], RouterPrinted, as_printed),
    row("interface_description", ["show interface description"], RouterPrinted, as_printed),
    row(
        "route_table", ["show ip (route|fib) [(bgp|connected|isis|kernel|ospf|rip|static)]"], RouterPrinted, as_printed
    ),
    row("route_lookup", ["show ip route (<address>|<prefix>)"], RouterPrinted, as_printed),
    row(
        "bgp_summary",
        ["show ip bgp summary", "show bgp ipv4 unicast summary", "show bgp summary"],
        RouterPrinted,
        as_printed,
    ),
    row(
        "bgp_peer",
        [f"{head} neighbors [<address>]" for head in ("show ip bgp", "show bgp", "show bgp ipv4")],
        RouterPrinted,
        as_printed,
    ),
    row("bgp_table", [f"{head} [(<address>|<prefix>)]" for head in _BGP], RouterPrinted, as_printed),
    row("ospf_neighbors", ["show ip ospf neighbor [detail]"], RouterPrinted, as_printed),
    row("isis_neighbors", ["show isis neighbor [detail]"], RouterPrinted, as_printed),
    row("bfd", ["show bfd peers [brief]"], RouterPrinted, as_printed),
    row("vrrp", ["show vrrp [summary]", "show vrrp interface <interface>"], RouterPrinted, as_printed),
    row("route_policy", ["show route-map [<name>]"], RouterPrinted, as_printed),
    row("prefix_list", ["show ip prefix-list [<name>]"], RouterPrinted, as_printed),
    row("memory", ["show memory"], RouterPrinted, as_printed),
    row("ping", ["ping ip <address>"], f.Ping, linux.ping),
    # What it tells of VXLANs lacks the UDP port.
    row("evpn", ["show evpn vni"], RouterPrinted, as_printed),
    *linux.ROWS,
)
