"""Root causes in what devices tell each other of themselves: LLDP that doesn't run, or isn't sent from a port."""

import re
from collections.abc import Iterator

from netopsbench.fabric.labs.lldp import LLDP, lldp_cables
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Broken, Sight, run
from netopsbench.records.names import Port

NO_LLDP = "host information collection function missing"
_SCRIPT = f"/etc/init.d/{LLDP}"


def without_lldp(plan: FabricPlan) -> Iterator[Broken]:
    """A device stops lldpd, or one of its ports only listens: who is at the cable's other end hears nothing of it."""
    cables = list(lldp_cables(plan))
    for name in dict.fromkeys(here.node for here, _ in cables):
        own = [(here, there) for here, there in cables if here.node == name]
        yield Broken(
            triple=Triple(node=name, object=LLDP, cause=NO_LLDP),
            do=(run(name, _SCRIPT, "stop"),),
            undo=(run(name, _SCRIPT, "start"),),
            sights=tuple(_forgotten(here, there) for here, there in own),
            touches=(name, *dict.fromkeys(there.node for _, there in own)),
        )
    for here, there in cables:
        status = ("lldpcli", "configure", "ports", here.interface, "lldp", "status")
        yield Broken(
            triple=Triple(node=here.node, object=here.interface, cause=NO_LLDP),
            do=(run(here.node, *status, "rx-only"),),
            undo=(run(here.node, *status, "rx-and-tx"),),
            sights=(_forgotten(here, there),),
            touches=(here.node, there.node),
        )


def _forgotten(silent: Port, at: Port) -> Sight:
    """The port at a cable's other end has no entry of a device."""
    return Sight(
        node=at.node,
        argv=("lldpcli", "show", "neighbors", "ports", at.interface, "summary"),
        shows=rf"SysName:\s+{re.escape(silent.node)}\s",
        is_shown=False,
    )
