"""What is wrong with routes and with the protocols that bring them, out of what routers print."""

import re
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address

from netopsbench.agent.sweeper.policies import learns_nothing, missing_statics, translates
from netopsbench.agent.sweeper.reading import read_fib, read_peers, read_statics
from netopsbench.agent.sweeper.swept import Finding, Swept

_QUIET = re.compile(r"(?:passive-interface|silent-interface)\s+(\S+)")
_HELLO = re.compile(r"[ \t]+(?:ip )?ospf (?:hello-interval|timer hello) (\d+)")
_AT_A_CABLE = "isis network point-to-point\n"


def wrong_statics(swept: Swept, device: str) -> Iterator[Finding]:
    """Static routes that discard what is for a host, or lead it to where no shortest way goes on."""
    network = swept.network
    for route in read_statics(swept.text(device, "route_table")) or read_fib(swept.text(device, "fib")):
        target = swept.host_in(route.prefix)
        # Old routes to what is gone harm nobody.
        if route.gateway is None and target is not None:
            yield str(route.prefix), "blackhole route"
        elif route.gateway is not None and route.prefix.prefixlen == 32 and target is not None:
            via = network.owner.get(route.gateway, "")
            is_back = via in network.routers and network.only_way(via, target) == device
            yield str(route.prefix), "Layer 3 loop" if is_back else "incorrect static route"


def missing_routes(swept: Swept, device: str) -> Iterator[Finding]:
    """Static routes that are not there, at a router that learns from nobody and whose ports are in order."""
    network = swept.network
    ends = list(swept.far_ends(device))
    is_routing = network.nodes[device].asn is None and not swept.is_bridging(device)
    if not is_routing or not all(swept.is_right(device, name) for name, _ in ends):
        return
    if learns_nothing(swept.text(device, "running_config"), swept.text(device, "cpu")):
        known = {net for name, ports in network.ports.items() if not swept.is_router(name) for net in ports.values()}
        # Nobody beyond a router that translates needs a way to what is behind it.
        hidden = {net for name in network.routers if translates(swept.text(name, "acl")) for net in swept.users(name)}
        routers = {far.device for _, far in ends if swept.is_router(far.device)}
        table = swept.text(device, "route_table") or swept.text(device, "fib")
        yield from missing_statics(table, sorted(known - hidden), has_one_way=len(routers) == 1)


def wrong_sessions(swept: Swept, device: str) -> Iterator[Finding]:
    """BGP neighbors with another AS number than their own."""
    told = read_peers(swept.text(device, "bgp_summary"))
    for name, far in swept.far_ends(device):
        asn, numbers = swept.network.nodes[far.device].asn, told.get(IPv4Address(far.address))
        if asn is not None and numbers is not None and asn not in numbers:
            yield name, "BGP configuration error"


def wrong_ospf(swept: Swept, device: str) -> Iterator[Finding]:
    """OSPF that is passive towards a router, or says hello at another pace than at most ports."""
    blocks, names = swept.blocks(device), swept.names(device)
    paces = Counter(pace for each in swept.network.routers for pace in _HELLO.findall(swept.configured(each)))
    usual = max(paces, key=lambda pace: paces[pace], default="")
    quiet = [names.native(each) for each in _QUIET.findall(swept.configured(device))]
    quiet += [name for name, lines in blocks.items() if re.search(r"[ \t]+ip ospf passive", lines)]
    slow = [name for name, lines in blocks.items() for pace in _HELLO.findall(lines) if pace != usual]
    for name in dict.fromkeys([*quiet, *slow]):
        end = swept.network.ends.get((device, name)) if name else None
        if name and end is not None and swept.is_router(end[1].device) and not swept.is_bridging(end[1].device):
            yield name, "OSPF configuration error"


def wrong_isis(swept: Swept, device: str) -> Iterator[Finding]:
    """IS-IS that is passive towards a router, or takes a cable for a LAN as at no other port."""
    blocks = {name: lines for name, lines in swept.blocks(device).items() if "ip router isis " in lines}
    is_usual = any(_AT_A_CABLE in lines for lines in blocks.values())
    for name, far in swept.far_ends(device):
        lines = blocks.get(name)
        if lines is None or not swept.is_router(far.device):
            continue
        if "isis passive\n" in lines or (is_usual and _AT_A_CABLE not in lines):
            yield name, "ISIS configuration error"
