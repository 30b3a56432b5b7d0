"""Packet filters that operators usually have: where routers filter nothing, a rule that is added gives itself away."""

from collections.abc import Iterator

from netopsbench.fabric.labs.spec import Lab, LabHost, LabRouter

_FRAMES = "nftables-frames.conf"
_DISCOVERY = "01:00:0c:cc:cc:cc"
"""Where devices of Cisco tell their neighbours of themselves."""
_AT_BOOT = f"""\
#!/bin/sh
[ "$1" = start ] || exit 0
# A kernel without filters of frames does without them.
nft -f /etc/{_FRAMES} 2>/dev/null || true
"""


def filter_files(name: str, router: LabRouter, lab: Lab) -> dict[str, str]:
    """A router's packet filter, and the one of frames where it joins ports; none where the lab doesn't want them."""
    if not lab.usual_filters:
        return {}
    files = {"nftables.conf": _lines(_packets(name, router, lab))}
    if router.bridge is not None:
        files |= {"init.d/frames": _AT_BOOT, _FRAMES: _lines(_frames(router.bridge.ports))}
    return files


def _packets(name: str, router: LabRouter, lab: Lab) -> Iterator[str]:
    yield "table ip filter {"
    yield "\tchain input {"
    yield "\t\ttype filter hook input priority filter; policy accept;"
    yield "\t\tip protocol icmp counter accept"
    yield "\t\ttcp dport { 23, 111 } counter drop"
    yield "\t}"
    yield "\tchain forward {"
    yield "\t\ttype filter hook forward priority filter; policy accept;"
    yield "\t\tip saddr 127.0.0.0/8 counter drop"
    for port in _towards_hosts(name, lab):
        network = router.interfaces[port].network
        yield f'\t\tiifname "{port}" udp dport 161 counter drop'
        yield f'\t\toifname "{port}" ip daddr {network} tcp dport 23 counter drop'
    yield "\t}"
    yield "}"


def _towards_hosts(name: str, lab: Lab) -> Iterator[str]:
    for a, b in lab.links:
        for here, there in ((a, b), (b, a)):
            if here.node == name and isinstance(lab.nodes.get(there.node), LabHost):
                yield here.interface


def _frames(ports: tuple[str, ...]) -> Iterator[str]:
    """Discovery that no device here speaks is kept off each port."""
    yield "table bridge filter {"
    yield "\tchain output {"
    yield "\t\ttype filter hook output priority filter; policy accept;"
    yield f"\t\tether daddr {_DISCOVERY} drop"
    yield "\t}"
    yield "}"
    yield "table netdev filter {"
    for port in ports:
        yield f"\tchain ingress_{port} {{"
        yield f'\t\ttype filter hook ingress device "{port}" priority filter; policy accept;'
        yield f"\t\tether daddr {_DISCOVERY} drop"
        yield "\t}"
    yield "}"


def _lines(rows: Iterator[str]) -> str:
    return "".join(f"{row}\n" for row in rows)
