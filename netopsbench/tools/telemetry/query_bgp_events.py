"""Changes of BGP sessions over time."""

from typing import Annotated

from pydantic import Field

from netopsbench.records.telemetry import BgpEvent
from netopsbench.tools.context import ToolContext
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.telemetry.collector_results import BgpEvents, BgpEventView
from netopsbench.tools.telemetry.collectors import at_s, of_type, span_of, view_of, whole_time


def query_bgp_events(
    context: ToolContext,
    device: Annotated[str | None, Field(description="Only sessions of this switch.")] = None,
    neighbor: Annotated[str | None, Field(description="Only sessions with this address.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> BgpEvents:
    """BGP sessions that came up, went down, were lost and came back, or were configured differently; oldest first.

    Covers the time from the start of the healthy baseline to the end of the time in question. A session that changed
    before the first poll and stayed so shows no event: get_bgp_neighbors shows its present state.
    """
    where = {} if device is None else {"source": context.switch(device).name}
    if neighbor is not None:
        where["neighbor_address"] = neighbor
    events = of_type(context.store.query("bgp_event", whole_time(context), where), BgpEvent)
    chosen, page = page_of(events, offset, limit)
    ports = {
        str(port.address.ip): f"{node.name}:{port.name}" for node in context.plan.nodes for port in node.interfaces
    }
    return BgpEvents(
        span=span_of(context),
        events=tuple(
            BgpEventView(
                at_s=at_s(context, event.t_ns),
                device=event.source,
                neighbor=event.neighbor_address,
                peer=ports.get(event.neighbor_address),
                from_state=event.from_state,
                to_state=event.to_state,
                times_lost=event.times_lost,
            )
            for event in chosen
        ),
        page=page,
        collector=view_of(context, "bgp", whole_time(context), device),
    )
