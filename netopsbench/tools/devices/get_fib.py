"""What the kernel of a device forwards by."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask
from netopsbench.tools.devices.live_results import Fib, FibHop, FibRoute
from netopsbench.tools.paging import Limit, Offset, page_of


def get_fib(
    context: ToolContext,
    device: Device,
    address: Annotated[
        IPv4Address | None, Field(description="Only the route that matches this address best (longest prefix).")
    ] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Fib:
    """The kernel's forwarding table of a device, with all next hops of each route.

    get_route_table asks the routing daemon; packets go by this table. Where the two differ, something is wrong.
    """
    context.device(device)
    shown = ask(context, device, ["ip", "-j", "-4", "route", "show", "table", "main"])
    if not isinstance(shown, list):
        raise ToolError(f"{device} did not show its forwarding table")
    routes = sorted((_route(each) for each in shown), key=lambda route: (IPv4Network(route.prefix), route.metric))
    if address is not None:
        routes = _longest(routes, address)
    chosen, page = page_of(routes, offset, limit)
    message = f"no route matches {address}" if address is not None and not routes else ""
    looked_up = None if address is None else str(address)
    return Fib(device=device, routes=chosen, page=page, looked_up=looked_up, message=message)


def _longest(routes: list[FibRoute], address: IPv4Address) -> list[FibRoute]:
    """The one route that forwarding takes: the longest prefix, then the lowest metric."""
    matching = [route for route in routes if address in IPv4Network(route.prefix)]
    return sorted(matching, key=lambda route: (-IPv4Network(route.prefix).prefixlen, route.metric))[:1]


def _route(shown: dict[str, Any]) -> FibRoute:
    prefix = "0.0.0.0/0" if shown["dst"] == "default" else str(IPv4Network(shown["dst"]))
    kind = str(shown.get("type", "unicast"))
    hops = shown.get("nexthops", [shown] if kind == "unicast" else [])
    return FibRoute(
        prefix=prefix,
        kind=kind,
        protocol=str(shown.get("protocol", "")).replace("196", "static"),
        metric=int(shown.get("metric", 0)),
        next_hops=tuple(_hop(hop) for hop in hops),
    )


def _hop(shown: dict[str, Any]) -> FibHop:
    dead = {"dead", "linkdown"} & {str(flag).lower() for flag in shown.get("flags", [])}
    return FibHop(gateway=shown.get("gateway"), interface=shown.get("dev"), is_usable=not dead)
