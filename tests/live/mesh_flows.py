"""The flows of the Pingmesh, as the fabric's tables see them."""

from netopsbench.fabric.flows import Flow
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import client_address, clients


def mesh_flows(plan: FabricPlan) -> list[Flow]:
    """What the Pingmesh sends: every ordered pair over its 16 source ports, and the replies."""
    ends = [client_address(node) for node in clients(plan)]
    there = [
        Flow(source=one, destination=other, source_port=port, destination_port=33434)
        for one in ends
        for other in ends
        if one != other
        for port in range(33000, 33016)
    ]
    back = [
        Flow(source=each.destination, destination=each.source, source_port=33434, destination_port=each.source_port)
        for each in there
    ]
    return there + back
