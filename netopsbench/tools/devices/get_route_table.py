"""The routing table of a device, whole or by longest match."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any, Literal

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask, ask_router
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.results import NextHop, Page, Route, RouteTable


def get_route_table(
    context: ToolContext,
    device: Device,
    prefix: Annotated[IPv4Network | None, Field(description="Only routes to this prefix or inside it.")] = None,
    address: Annotated[
        IPv4Address | None,
        Field(description="Only the routes that match this address best (longest prefix)."),
    ] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> RouteTable:
    """The routing table of a device with next hops and whether each is installed in the kernel.

    `address` looks up by longest match, as forwarding does; `prefix` selects a part of the table.
    """
    if prefix is not None and address is not None:
        raise ToolError("give either `prefix` or `address`, not both", "bad_arguments")
    looked_up = None if address is None else str(address)
    routes = _routes(context, device)
    if routes is None:
        nothing = Page(offset=0, returned=0, total=0, next_offset=None)
        message = "the routing daemon did not answer"
        return RouteTable(
            device=device, is_running=False, looked_up=looked_up, routes=(), page=nothing, message=message
        )
    if prefix is not None:
        routes = [route for route in routes if IPv4Network(route.prefix).subnet_of(prefix)]
    if address is not None:
        routes = _longest_match(routes, address)
    chosen, page = page_of(routes, offset, limit)
    message = f"no route matches {address}" if address is not None and not routes else ""
    return RouteTable(device=device, is_running=True, looked_up=looked_up, routes=chosen, page=page, message=message)


def _routes(context: ToolContext, device: str) -> list[Route] | None:
    if context.device(device).is_switch:
        answer = ask_router(context, device, "show ip route json")
        if answer is None:
            return None
        found = [_router_route(entry) for entries in answer.values() for entry in entries]
    else:
        shown = ask(context, device, ["ip", "-j", "-4", "route", "show"])
        if shown is None:
            return None
        found = [_kernel_route(entry) for entry in shown]
    return sorted(found, key=lambda route: (IPv4Network(route.prefix), route.distance))


def _longest_match(routes: list[Route], address: IPv4Address) -> list[Route]:
    matching = [route for route in routes if route.is_selected and address in IPv4Network(route.prefix)]
    longest = max((IPv4Network(route.prefix).prefixlen for route in matching), default=0)
    return [route for route in matching if IPv4Network(route.prefix).prefixlen == longest]


def _router_route(entry: dict[str, Any]) -> Route:
    hops: list[dict[str, Any]] = entry.get("nexthops", [])
    kind: Literal["unicast", "blackhole", "reject"] = "unicast"
    # FRR marks Null0 as unreachable + blackhole, a reject route as unreachable + reject.
    if any(hop.get("reject") for hop in hops):
        kind = "reject"
    elif any(hop.get("blackhole") or hop.get("unreachable") for hop in hops):
        kind = "blackhole"
    return Route(
        prefix=str(entry["prefix"]),
        protocol=str(entry.get("protocol", "")),
        kind=kind,
        is_selected=bool(entry.get("selected", False)),
        is_installed=bool(entry.get("installed", False)),
        distance=int(entry.get("distance", 0)),
        metric=int(entry.get("metric", 0)),
        next_hops=tuple(_router_hop(hop) for hop in hops if kind == "unicast"),
    )


def _router_hop(hop: dict[str, Any]) -> NextHop:
    return NextHop(address=hop.get("ip"), interface=hop.get("interfaceName"), is_installed=bool(hop.get("fib", False)))


def _kernel_route(entry: dict[str, Any]) -> Route:
    kinds: dict[str, Literal["blackhole", "reject"]] = {
        "blackhole": "blackhole",
        "unreachable": "reject",
        "prohibit": "reject",
    }
    prefix = "0.0.0.0/0" if entry["dst"] == "default" else entry["dst"]
    hop = NextHop(address=entry.get("gateway"), interface=entry.get("dev"), is_installed=True)
    return Route(
        prefix=str(IPv4Network(prefix)),
        protocol="connected" if entry.get("scope") == "link" else str(entry.get("protocol", "kernel")),
        kind=kinds.get(entry.get("type", ""), "unicast"),
        is_selected=True,
        is_installed=True,
        distance=0,
        metric=int(entry.get("metric", 0)),
        next_hops=() if entry.get("type") in kinds else (hop,),
    )
