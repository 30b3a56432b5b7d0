"""One BGP session in detail, now and over time."""

from ipaddress import IPv4Address
from typing import Annotated, Any

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.records.telemetry import BgpEvent, BgpNeighbor, Window
from netopsbench.tools.arguments import Switch
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask_router
from netopsbench.tools.telemetry.collector_results import BgpSample, BgpSession, BgpSessionDetail
from netopsbench.tools.telemetry.collectors import at_s, of_type, view_of, whole_time, without_collector
from netopsbench.tools.telemetry.unmeasured import NOT_MEASURED


def get_bgp_neighbor(
    context: ToolContext,
    device: Switch,
    neighbor: Annotated[
        IPv4Address, Field(description="Address of the neighbor, as get_bgp_neighbors shows it.", examples=["10.1.1.1"])
    ],
) -> BgpSession:
    """One BGP session of a switch in detail: timers, messages, policies, why it was lost last, and how it was before.

    `detail` is the present state, from the routing daemon; the samples are from the polls of the two windows.
    """
    context.switch(device)
    address = str(neighbor)
    answer = ask_router(context, device, f"show bgp neighbors {address} json")
    told = answer.get(address) if answer is not None else None
    return BgpSession(
        device=device,
        neighbor=address,
        peer=_peer(context, address),
        is_running=answer is not None,
        detail=_detail(told) if isinstance(told, dict) else None,
        **_history(context, device, address),
    )


def _history(context: ToolContext, device: str, address: str) -> dict[str, Any]:
    """What the polls saw. Where nobody polls, the present state is told all the same, and the collector's view why."""
    whole, where = whole_time(context), {"source": device, "neighbor_address": address}
    try:
        return {
            "before": _last_sample(context, where, Window(since_ns=0, until_ns=context.baseline.until_ns)),
            "at_end": _last_sample(context, where, Window(since_ns=0, until_ns=whole.until_ns)),
            "events": len(of_type(context.store.query("bgp_event", whole, where), BgpEvent)),
            "collector": view_of(context, "bgp", whole, device),
        }
    except ToolError as refused:
        if refused.kind != NOT_MEASURED:
            raise
        return {"before": None, "at_end": None, "events": 0, "collector": without_collector("bgp", str(refused))}


def _peer(context: ToolContext, address: str) -> str | None:
    ports = ((port, node) for node in context.plan.nodes for port in node.interfaces if str(port.address.ip) == address)
    return next((f"{node.name}:{port.name}" for port, node in ports), None)


def _last_sample(context: ToolContext, where: dict[str, str], window: Window) -> BgpSample | None:
    found = of_type(context.store.query("bgp_neighbor", window, where), BgpNeighbor)
    if not found:
        return None
    last = found[-1]
    return BgpSample(
        at_s=at_s(context, last.t_ns),
        state=last.session_state,
        prefixes_received=last.prefixes_received,
        messages_received=last.msg_rcvd,
        messages_sent=last.msg_sent,
    )


def _detail(told: dict[str, Any]) -> BgpSessionDetail:
    counts: dict[str, Any] = told.get("messageStats", {})
    family: dict[str, Any] = told.get("addressFamilyInfo", {}).get("ipv4Unicast", {})
    return BgpSessionDetail(
        state=str(told.get("bgpState", "unknown")),
        remote_asn=int(told.get("remoteAs", 0)),
        local_asn=int(told.get("localAs", 0)),
        remote_router_id=told.get("remoteRouterId"),
        uptime_s=_seconds(told.get("bgpTimerUpMsec")),
        hold_time_s=_seconds(told.get("bgpTimerHoldTimeMsecs", told.get("bgpTimerConfiguredHoldTimeMsecs"))),
        keepalive_s=_seconds(
            told.get("bgpTimerKeepAliveIntervalMsecs", told.get("bgpTimerConfiguredKeepAliveIntervalMsecs"))
        ),
        times_established=int(told.get("connectionsEstablished", 0)),
        times_lost=int(told.get("connectionsDropped", 0)),
        last_reset=told.get("lastResetDueTo"),
        last_reset_s=_seconds(told.get("lastResetTimerMsecs")),
        updates_received=int(counts.get("updatesRecv", 0)),
        updates_sent=int(counts.get("updatesSent", 0)),
        notifications_received=int(counts.get("notificationsRecv", 0)),
        notifications_sent=int(counts.get("notificationsSent", 0)),
        prefixes_accepted=family.get("acceptedPrefixCounter"),
        prefixes_sent=family.get("sentPrefixCounter"),
        route_map_in=family.get("routeMapForIncomingAdvertisements"),
        route_map_out=family.get("routeMapForOutgoingAdvertisements"),
        local_address=told.get("hostLocal"),
        description=str(told.get("nbrDesc", "")),
    )


def _seconds(milliseconds: Any) -> float | None:
    return None if milliseconds is None else int(milliseconds) / 1000
