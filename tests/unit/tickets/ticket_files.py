"""Tickets and published files for tests, all made up here."""

from netopsbench.tickets.axes import Axis, Identifies, NoAnomaly, NoFaultyDevices, NotIdentifies
from netopsbench.tickets.model import Check, Claim, Command, InjectedFault, Persona, Ticket, TicketClass

PUBLISHED = """\
==================================================
Scenario: shop-till2-link-misdirected
Topology: Shop
Fault family: link down (wrong device)
==================================================

[PROMPT-TO-AGENT]
Ticket 17: the tills on floor two are dead.
  - I think gw1 broke.

Have a look at gw1?

[INJECTION]
device: gw10
action: shut the port
cmd: |
  ip link set eth2 down
  ip route flush dev eth2
note: |
  gw1 is healthy.

[POST-INJECT-CHECK]
# both ends
gw10  ip -br link show eth2   => expect down
gw1   ping -c2 10.0.0.1       => expect 0% loss

[GROUND-TRUTH]
gw10:eth2 is down.

[FIX]
Bring eth2 of gw10 up.

[SCORING-AXES]
assert-identifies: gw10
assert-not-identifies: gw1
must-name-port: eth2 of gw10 is down / eth2 down
# a remark

[NIKA-LABEL]
nika_label: link_down
in_taxonomy: true
"""


def false_premise(name: str = "premise", persona: Persona = "standard", parent: str | None = None) -> Ticket:
    """Nothing is wrong, and the ticket says that something is."""
    return Ticket(
        id=name,
        lab="shop",
        ticket_class="false-premise",
        persona=persona,
        parent=parent,
        text="The internet is down for everybody on floor two.",
        claims=(_claim("pc1 gets no answer", is_true=False),),
        axes=(NoAnomaly(), NoFaultyDevices()),
    )


def broken(
    name: str = "broken",
    ticket_class: TicketClass = "correct-fault",
    culprit: str = "r10",
    blamed: tuple[str, ...] = (),
) -> Ticket:
    """Something is wrong at `culprit`."""
    axes: tuple[Axis, ...] = (Identifies(device=culprit), *(NotIdentifies(device=each) for each in blamed))
    return Ticket(
        id=name,
        lab="shop",
        ticket_class=ticket_class,
        text="The tills lost their server since this morning.",
        fault=InjectedFault(
            family="link down",
            devices=(culprit,),
            cause="eth1 is switched off",
            inject=(Command(on=culprit, run="ip link set eth1 down"),),
            effect=(Check(on=culprit, run="ip link", expect="down"),),
            fix=(Command(on=culprit, run="ip link set eth1 up"),),
            fixed=(Check(on="pc1", run="ping -c1 10.0.0.1", expect="0% loss"),),
        ),
        blamed=blamed,
        claims=(
            _claim("the server is gone", is_true=True),
            *(_claim(f"{each} is broken", is_true=False) for each in blamed),
        ),
        axes=axes,
    )


def _claim(says: str, *, is_true: bool) -> Claim:
    return Claim(says=says, is_true=is_true, check=Check(on="pc1", run="ping -c1 10.0.0.1", expect="loss>0"))
