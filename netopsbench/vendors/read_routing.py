"""What the other routing daemons say, as facts; None stands for a daemon that doesn't run."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any, Literal

from netopsbench.vendors import facts as f
from netopsbench.vendors import sessions as s

_LEVELS = {1: "L1", 2: "L2", 3: "L1L2"}


def routes(shown: Mapping[str, Any] | None) -> f.Routes:
    """Of `show ip route json`; by prefix."""
    if shown is None:
        return f.Routes(is_running=False, routes=())
    found = [_route(each) for prefix in sorted(shown, key=IPv4Network) for each in shown[prefix]]
    return f.Routes(is_running=True, routes=tuple(found))


def _route(shown: Mapping[str, Any]) -> f.Route:
    hops: list[Mapping[str, Any]] = shown.get("nexthops", [])
    return f.Route(
        prefix=str(shown.get("prefix", "")),
        protocol=str(shown.get("protocol", "")),
        kind=_kind(hops),
        is_selected=bool(shown.get("selected", False)),
        is_installed=bool(shown.get("installed", False)),
        distance=int(shown.get("distance", 0)),
        metric=int(shown.get("metric", 0)),
        age=str(shown.get("uptime", "")),
        hops=tuple(
            f.Hop(gateway=hop.get("ip"), interface=hop.get("interfaceName"), is_active=bool(hop.get("active", False)))
            for hop in hops
            if not hop.get("unreachable")
        ),
    )


def _kind(hops: list[Mapping[str, Any]]) -> Literal["unicast", "blackhole", "reject"]:
    if any(hop.get("blackhole") for hop in hops):
        return "blackhole"
    return "reject" if any(hop.get("unreachable") for hop in hops) else "unicast"


def ospf(shown: Mapping[str, Any] | None) -> s.OspfNeighbors:
    """Of `show ip ospf neighbor json`."""
    if shown is None:
        return s.OspfNeighbors(is_running=False)
    by_router: Mapping[str, list[Mapping[str, Any]]] = shown.get("neighbors", {})
    return s.OspfNeighbors(
        is_running=True,
        neighbors=tuple(_ospf(router, each) for router in sorted(by_router) for each in by_router[router]),
    )


def _ospf(router: str, shown: Mapping[str, Any]) -> s.OspfNeighbor:
    state, _, role = str(shown.get("nbrState", shown.get("state", ""))).partition("/")
    return s.OspfNeighbor(
        router_id=router,
        address=str(shown.get("ifaceAddress", shown.get("address", ""))),
        interface=str(shown.get("ifaceName", "")).partition(":")[0],
        state=state,
        role=role or "-",
        priority=int(shown.get("nbrPriority", shown.get("priority", 0))),
        dead_s=int(shown.get("routerDeadIntervalTimerDueMsec", shown.get("deadTimeMsecs", 0))) // 1000,
    )


def isis(shown: Mapping[str, Any] | None) -> s.IsisNeighbors:
    """Of `show isis neighbor json`."""
    if shown is None:
        return s.IsisNeighbors(is_running=False)
    return s.IsisNeighbors(is_running=True, neighbors=tuple(_isis(shown)))


def _isis(shown: Mapping[str, Any]) -> Iterator[s.IsisNeighbor]:
    for area in shown.get("areas", []):
        for circuit in area.get("circuits", []):
            if "adj" in circuit:
                yield s.IsisNeighbor(
                    system=str(circuit["adj"]),
                    interface=str(circuit.get("interface", "")),
                    level=_LEVELS.get(int(circuit.get("level", 0)), ""),
                    state=str(circuit.get("state", "")),
                    hold_s=_number(str(circuit.get("expires-in", "0"))),
                    snpa=str(circuit.get("snpa", "")),
                )


def _number(text: str) -> int:
    digits = "".join(letter for letter in text if letter.isdigit())
    return int(digits) if digits else 0


def bfd(shown: object) -> s.BfdSessions:
    """Of `show bfd peers json`."""
    if not isinstance(shown, list):
        return s.BfdSessions(is_running=False)
    return s.BfdSessions(
        is_running=True,
        sessions=tuple(
            s.BfdSession(
                peer=str(each.get("peer", "")),
                local=str(each.get("local", "")),
                interface=str(each.get("interface", "")),
                status=str(each.get("status", "")),
                local_discriminator=int(each.get("id", 0)),
                remote_discriminator=int(each.get("remote-id", 0)),
            )
            for each in shown
        ),
    )
