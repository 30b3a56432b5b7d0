"""What has gathered in configurations over the years: lines that do nothing, on some switches more than on others."""

import random
from collections.abc import Iterator
from ipaddress import IPv4Network

from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import switches
from netopsbench.faults.benign import BenignEvent, test_nets
from netopsbench.faults.contract import Step, configure

MOST_SWITCHES = 8
MOST_LINES = 6
"""A fault's own line must not stand out by the length of a configuration."""
_LIST = "MANAGEMENT"
"""A prefix list that no policy uses: an entry more makes no switch think its routes over."""


def gathered(plan: FabricPlan, seed: int) -> tuple[BenignEvent, ...]:
    """Lines on a drawn number of drawn switches, whatever the case; nothing where the fabric uses every example net."""
    draw = random.Random(f"housekeeping {seed}")
    names = [node.name for node in switches(plan)]
    chosen = draw.sample(names, draw.randint(1, min(MOST_SWITCHES, len(names))))
    nets = test_nets(plan)
    if not nets:
        return ()
    return (
        BenignEvent(
            what=f"entries of the prefix list {_LIST} of {', '.join(chosen)}",
            switch=chosen[0],
            pause_s=0.0,
            do=tuple(_typed(name, nets, draw) for name in chosen),
            saves=tuple(chosen),
        ),
    )


def _typed(switch: str, nets: tuple[IPv4Network, ...], draw: random.Random) -> Step:
    return configure(switch, *_entries(nets, draw))


def _entries(nets: tuple[IPv4Network, ...], draw: random.Random) -> Iterator[str]:
    # FRR leaves out an entry that says the same as another one.
    racks = [rack for net in nets for rack in net.subnets(new_prefix=28)]
    for number, rack in enumerate(draw.sample(racks, draw.randint(1, MOST_LINES)), start=1):
        yield f"ip prefix-list {_LIST} seq {5 * number} permit {rack} le 32"
