"""What the BGP daemon of a switch knows of each prefix."""

from ipaddress import IPv4Network
from typing import Annotated, Any

from pydantic import Field

from netopsbench.tools.arguments import Switch
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask_router
from netopsbench.tools.devices.config_results import BgpRib, RibPath, RibPrefix
from netopsbench.tools.paging import Limit, Offset, page_of


def get_bgp_rib(
    context: ToolContext,
    device: Switch,
    prefix: Annotated[IPv4Network | None, Field(description="Only prefixes equal to this one or inside it.")] = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> BgpRib:
    """Every path that a switch's BGP daemon knows, with next hop and AS path, before the routing table is made."""
    context.switch(device)
    answer = ask_router(context, device, "show bgp ipv4 unicast json")
    ports = {
        str(port.address.ip): f"{node.name}:{port.name}" for node in context.plan.nodes for port in node.interfaces
    }
    table: dict[str, list[dict[str, Any]]] = (answer or {}).get("routes", {})
    wanted = sorted(((IPv4Network(text), paths) for text, paths in table.items()), key=lambda entry: entry[0])
    chosen, page = page_of(
        [(net, paths) for net, paths in wanted if prefix is None or net.subnet_of(prefix)], offset, limit
    )
    return BgpRib(
        device=device,
        is_running=answer is not None,
        prefixes=tuple(
            RibPrefix(prefix=str(net), paths=tuple(_path(path, ports) for path in paths)) for net, paths in chosen
        ),
        page=page,
        message="" if answer is not None else "the BGP daemon did not answer",
    )


def _path(path: dict[str, Any], ports: dict[str, str]) -> RibPath:
    hops: list[dict[str, Any]] = path.get("nexthops", [])
    hop = str(hops[0].get("ip", "")) if hops else ""
    return RibPath(
        next_hop=hop,
        from_peer=ports.get(hop),
        as_path=tuple(int(word) for word in str(path.get("path", "")).split() if word.isdigit()),
        is_valid=bool(path.get("valid", False)),
        is_best=bool(path.get("bestpath", False)),
        is_multipath=bool(path.get("multipath", False)),
        metric=path.get("metric"),
        local_preference=path.get("locPrf"),
        weight=int(path.get("weight", 0)),
    )
