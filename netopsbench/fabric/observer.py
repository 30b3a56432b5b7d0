"""Reads the kernels and routing daemons of many nodes from beside them; standard library only.

Runs in the sandbox, started by `netopsbench.fabric.observe`. One JSON request a line on stdin, one JSON reply a line
on stdout. Reads netlink and the daemons' own sockets: no command of a node takes part, so nothing that a node's
`ip` or `vtysh` claims can colour what is seen.
"""

import json
import socket
import sys
from typing import Any

from netopsbench.fabric import netlink, nftables

_VTY_END = b"\0\0\0"
_EXAMPLES = 8


def node_state(pid: int) -> dict[str, Any]:
    """Links, addresses, routes, permanent neighbours, packet filters and queueing of one node."""
    with netlink.inside(pid), netlink.Netlink() as kernel:
        links = netlink.links(kernel)
        name = {link.index: link.name for link in links}
        routes = netlink.routes(kernel)
        return {
            "links": {
                link.name: {
                    "is_admin_up": link.is_up,
                    "has_carrier": link.has_carrier,
                    "mtu": link.mtu,
                    "qdisc": link.qdisc,
                }
                for link in links
            },
            "addresses": sorted(f"{name[index]} {address}" for index, address in netlink.addresses(kernel)),
            "neighbors": sorted(
                f"{name[index]} {address} {mac}" for index, address, mac in netlink.permanent_neighbors(kernel)
            ),
            "routes": {
                route.prefix: {
                    "type": route.type,
                    "next_hops": sorted([gateway or "", name.get(index, "")] for gateway, index in route.next_hops),
                    "is_bgp": route.protocol == netlink.RTPROT_BGP,
                }
                for route in routes
                if not route.is_cached
            },
            "path_mtus": sorted(f"{route.prefix} {route.mtu}" for route in routes if route.is_cached and route.mtu),
            "filters": nftables.filter_rules(),
            "chains": nftables.chains(),
        }


def cables() -> dict[str, str]:
    """How the ends of all cables lie where they are joined, and the rules that take packets over there.

    What joins them would be one dump for each end, and each dump waits for a lock of the whole kernel: probes find a
    cable that is not joined.
    """
    with netlink.Netlink() as kernel:
        found = {link.name: f"{'up' if link.is_up else 'down'}, {link.qdisc}" for link in netlink.links(kernel)}
    return found | dict.fromkeys((*nftables.chains(), *nftables.filter_rules()), "set")


def vty(pid: int, daemon: str, command: str) -> str:
    """Answer of a routing daemon to one show command, over its own socket; OSError when it doesn't run."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(10)
        line.connect(f"/proc/{pid}/root/run/frr/{daemon}.vty")
        for words in ("enable", command):
            line.sendall(words.encode() + b"\0")
            answer = b""
            # A reply ends with three zero bytes and a status byte.
            while len(answer) < 4 or answer[-4:-1] != _VTY_END:
                piece = line.recv(1 << 16)
                if not piece:
                    raise ConnectionError(f"{daemon} closed its socket")
                answer += piece
    return answer[:-4].decode(errors="replace")


def sessions(pid: int) -> dict[str, str]:
    """BGP state of every neighbour; empty while bgpd can't answer."""
    try:
        found = json.loads(vty(pid, "bgpd", "show bgp ipv4 unicast summary json"))
    except (OSError, ValueError):
        return {}
    return {address: peer["state"] for address, peer in found.get("peers", {}).items()}


def unequal_routes(pid: int) -> list[str]:
    """Where zebra believes in next hops that the kernel doesn't have, or the other way round."""
    try:
        believed = json.loads(vty(pid, "zebra", "show ip route json"))
    except (OSError, ValueError):
        return ["zebra does not answer"]
    with netlink.inside(pid), netlink.Netlink() as kernel:
        held = netlink.unicast_gateways(kernel)
    found = []
    for prefix, entries in believed.items():
        address, length = prefix.split("/")
        hops = frozenset(
            socket.inet_aton(hop["ip"])
            for entry in entries
            if entry.get("selected")
            for hop in entry.get("nexthops", ())
            # zebra 8.4 at times forgets the mark of a next hop in a route that it reports as installed.
            if "ip" in hop and (hop.get("fib") or (entry.get("installed") and hop.get("active")))
        )
        has = held.get(socket.inet_aton(address) + bytes((int(length),)), frozenset())
        if hops != has:
            found.append(f"{prefix}: {len(hops)} next hops in zebra, {len(has)} in the kernel")
    return found


class Expectation:
    """The routes and sessions that a converged fabric has."""

    def __init__(self, nodes: dict[str, Any]) -> None:
        """`nodes` maps a switch to its pid, routes (pairs of gateways and the prefixes that share them), sessions."""
        self._pid: dict[str, int] = {name: node["pid"] for name, node in nodes.items()}
        self._sessions: dict[str, list[str]] = {name: node["sessions"] for name, node in nodes.items()}
        self._routes = {name: _raw_routes(node["routes"]) for name, node in nodes.items()}
        self._open = dict.fromkeys(nodes)

    def missing(self, most_switches: int | None = None) -> list[str]:
        """Look at the switches that weren't complete last time; when none is left, at all of them once more.

        With `most_switches` stop looking when so many are found incomplete: looking at hundreds of routing tables
        again and again would slow down the routers that are waited for.
        """
        problems = self._look(list(self._open), most_switches)
        if not self._open and not problems:
            problems = self._look(list(self._pid), most_switches)
        return problems

    @property
    def incomplete(self) -> int:
        """Switches that weren't complete when they were looked at last."""
        return len(self._open)

    def _look(self, names: list[str], most_switches: int | None) -> list[str]:
        problems: list[str] = []
        found = 0
        for name in names:
            lacking = self._routes_lacking(name) or self._sessions_lacking(name)
            if lacking:
                self._open[name] = None
                problems += lacking
                found += 1
                if found == most_switches:
                    break
            else:
                self._open.pop(name, None)
        return problems

    def _routes_lacking(self, name: str) -> list[str]:
        with netlink.inside(self._pid[name]), netlink.Netlink() as kernel:
            held = netlink.unicast_gateways(kernel)
        nothing: frozenset[bytes] = frozenset()
        return [
            f"{name}: {socket.inet_ntoa(prefix[:4])}/{prefix[4]} lacks {len(short)} of {len(gateways)} next hops"
            for prefix, gateways in self._routes[name].items()
            if (short := gateways - held.get(prefix, nothing))
        ]

    def _sessions_lacking(self, name: str) -> list[str]:
        state = sessions(self._pid[name])
        return [
            f"{name}: session with {address} is {state.get(address, 'absent')}"
            for address in self._sessions[name]
            if state.get(address) != "Established"
        ]


def _raw_routes(grouped: list[tuple[list[str], list[str]]]) -> dict[bytes, frozenset[bytes]]:
    found: dict[bytes, frozenset[bytes]] = {}
    for gateways, prefixes in grouped:
        raw = frozenset(socket.inet_aton(gateway) for gateway in gateways)
        for prefix in prefixes:
            address, length = prefix.split("/")
            found[socket.inet_aton(address) + bytes((int(length),))] = raw
    return found


def main() -> None:
    """Answer requests until stdin closes."""
    expectation = Expectation({})
    for line in sys.stdin:
        request = json.loads(line)
        reply: Any
        if request["ask"] == "state":
            reply = {name: node_state(pid) for name, pid in request["nodes"].items()}
        elif request["ask"] == "sessions":
            reply = {name: sessions(pid) for name, pid in request["nodes"].items()}
        elif request["ask"] == "cables":
            reply = cables()
        elif request["ask"] == "unequal":
            reply = {name: unequal_routes(pid) for name, pid in request["nodes"].items()}
        elif request["ask"] == "expect":
            expectation = Expectation(request["nodes"])
            reply = {}
        else:
            problems = expectation.missing(request.get("most_switches"))
            reply = {"count": len(problems), "examples": problems[:_EXAMPLES], "incomplete": expectation.incomplete}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
