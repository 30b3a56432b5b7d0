"""What the BGP daemon says, as facts; None stands for a daemon that doesn't run."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Literal

from netopsbench.vendors import sessions as s

_COUNTS = ("opens", "notifications", "updates", "keepalives", "routeRefresh", "total")


def summary(shown: Mapping[str, Any] | None) -> s.BgpSummary:
    """Of `show bgp ipv4 unicast summary json`; peers by address."""
    if shown is None:
        return s.BgpSummary(is_running=False)
    peers: Mapping[str, Mapping[str, Any]] = shown.get("peers", {})
    return s.BgpSummary(
        is_running=True,
        asn=int(shown.get("as", 0)),
        router_id=str(shown.get("routerId", "")),
        table_version=int(shown.get("tableVersion", 0)),
        peers=tuple(_peer(address, peers[address]) for address in sorted(peers, key=_order)),
    )


def _order(address: str) -> tuple[int, str]:
    try:
        return int(IPv4Address(address)), ""
    except ValueError:
        # Neighbors may be interfaces.
        return 1 << 32, address


def _peer(address: str, shown: Mapping[str, Any]) -> s.BgpPeer:
    return s.BgpPeer(
        address=address,
        remote_asn=int(shown.get("remoteAs", 0)),
        state=str(shown.get("state", "unknown")),
        age=str(shown.get("peerUptime", "never")),
        received=int(shown.get("msgRcvd", 0)),
        sent=int(shown.get("msgSent", 0)),
        prefixes_received=int(shown.get("pfxRcd", 0)),
        prefixes_sent=int(shown.get("pfxSnt", 0)),
        queued_out=int(shown.get("outq", 0)),
        description=str(shown.get("desc", "")),
    )


def sessions(shown: Mapping[str, Any] | None) -> s.BgpSessions:
    """Of `show bgp neighbors json`; by address."""
    if shown is None:
        return s.BgpSessions(is_running=False)
    found = {address: each for address, each in shown.items() if isinstance(each, dict)}
    return s.BgpSessions(
        is_running=True, sessions=tuple(_session(address, found[address]) for address in sorted(found, key=_order))
    )


def _session(address: str, shown: Mapping[str, Any]) -> s.BgpSession:
    family: Mapping[str, Any] = shown.get("addressFamilyInfo", {}).get("ipv4Unicast", {})
    counts: Mapping[str, Any] = shown.get("messageStats", {})
    is_up = shown.get("bgpState") == "Established"
    return s.BgpSession(
        address=address,
        remote_asn=int(shown.get("remoteAs", 0)),
        local_asn=int(shown.get("localAs", 0)),
        state=str(shown.get("bgpState", "unknown")),
        age=shown.get("bgpTimerUpString") if is_up else None,
        remote_router_id=shown.get("remoteRouterId"),
        local_router_id=shown.get("localRouterId"),
        hold_s=_seconds(shown, "bgpTimerHoldTimeMsecs", "bgpTimerConfiguredHoldTimeMsecs"),
        keepalive_s=_seconds(shown, "bgpTimerKeepAliveIntervalMsecs", "bgpTimerConfiguredKeepAliveIntervalMsecs"),
        local_address=shown.get("hostLocal"),
        local_port=shown.get("portLocal"),
        remote_port=shown.get("portForeign"),
        times_established=int(shown.get("connectionsEstablished", 0)),
        times_dropped=int(shown.get("connectionsDropped", 0)),
        last_reset=shown.get("lastResetDueTo"),
        last_error=shown.get("lastNotificationReason"),
        messages={f"{name}{way}": int(counts.get(f"{name}{way}", 0)) for name in _COUNTS for way in ("Sent", "Recv")},
        prefixes_accepted=family.get("acceptedPrefixCounter"),
        prefixes_sent=family.get("sentPrefixCounter"),
        policy_in=family.get("routeMapForIncomingAdvertisements"),
        policy_out=family.get("routeMapForOutgoingAdvertisements"),
        description=str(shown.get("nbrDesc", "")),
    )


def _seconds(shown: Mapping[str, Any], *keys: str) -> int | None:
    found = next((shown[key] for key in keys if key in shown), None)
    return None if found is None else int(found) // 1000


def table(shown: Mapping[str, Any] | None) -> s.BgpTable:
    """Of `show bgp ipv4 unicast json`; by prefix."""
    if shown is None:
        return s.BgpTable(is_running=False)
    routes: Mapping[str, list[Mapping[str, Any]]] = shown.get("routes", {})
    return s.BgpTable(
        is_running=True,
        router_id=str(shown.get("routerId", "")),
        asn=int(shown.get("localAS", 0)),
        table_version=int(shown.get("tableVersion", 0)),
        prefixes=tuple(
            s.BgpPrefix(prefix=prefix, paths=tuple(_path(path) for path in routes[prefix]))
            for prefix in sorted(routes, key=IPv4Network)
        ),
    )


def _path(shown: Mapping[str, Any]) -> s.BgpPath:
    hops: list[Mapping[str, Any]] = shown.get("nexthops", [])
    return s.BgpPath(
        next_hop=str(hops[0].get("ip", "")) if hops else "",
        as_path=str(shown.get("path", "")),
        origin=_origin(str(shown.get("origin", ""))),
        peer=str(shown.get("peerId", "")),
        metric=shown.get("metric"),
        local_preference=shown.get("locPrf"),
        weight=int(shown.get("weight", 0)),
        is_valid=bool(shown.get("valid", False)),
        is_best=bool(shown.get("bestpath", False)),
        is_multipath=bool(shown.get("multipath", False)),
        is_internal=shown.get("pathFrom") == "internal",
    )


def _origin(shown: str) -> Literal["IGP", "EGP", "incomplete"]:
    return "IGP" if shown == "IGP" else "EGP" if shown == "EGP" else "incomplete"
