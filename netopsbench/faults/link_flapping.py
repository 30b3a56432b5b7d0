"""link_flapping: a cable loses carrier and gets it back, again and again."""

import sys

from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places, wire
from netopsbench.faults.contract import WIRE, Change, Effect, FlapClaim, ReadBack, Step
from netopsbench.records.answers import Location
from netopsbench.records.faults import LinkFlapping
from netopsbench.records.names import Port

_SLACK_S = 1.5
"""For the session to be seen lost, which a switch is told only after its port went down."""


def change(fault: LinkFlapping, plan: FabricPlan) -> Change:
    """Keep a process that flaps the cable, and prove it at both ends.

    Raises SpecError when the port doesn't lead to another switch.
    """
    port = wire.fabric_port(plan, fault.at)
    node, (peer, far) = queries.node(plan, fault.at.node), places.peer_of(plan, port)
    ends = wire.ends_of(plan, fault.at)
    command = (sys.executable, "-P", "-m", "netopsbench.faults.wire_flap")
    period_s = fault.down_s + fault.up_s + _SLACK_S

    def step(verb: str, *words: str) -> Step:
        return Step(where=WIRE, argv=(*command, verb, *ends, *words))

    return Change(
        do=(step("start", f"{fault.down_s:g}", f"{fault.up_s:g}"),),
        undo=(step("end"),),
        read_back=(ReadBack(where=WIRE, argv=step("show").argv, shows="flapping"),),
        effect=Effect(
            flaps=(_flap(node, port, far, period_s), _flap(peer, far, port, period_s)),
            sessions=(
                *wire.sessions_of(plan, node, but=fault.at),
                *wire.sessions_of(plan, peer, but=Port(node=peer.name, interface=far.name)),
            ),
            paths=(*wire.beside(plan, node, but=port), *wire.beside(plan, peer, but=far)),
        ),
        place=Location(device=fault.at.node, interface=fault.at.interface),
    )


def _flap(node: Node, port: Interface, far: Interface, period_s: float) -> FlapClaim:
    return FlapClaim(port=Port(node=node.name, interface=port.name), neighbor=far.address.ip, period_s=period_s)
