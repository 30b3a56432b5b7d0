"""Why a BGP session ended is read off the daemon, and printed where the vendor's devices print it."""

import pytest

from netopsbench.vendors import ios_routing, read_bgp
from netopsbench.vendors.command import View

REFUSED = {"lastResetDueTo": "BGP Notification received", "lastNotificationReason": "OPEN Message Error/Bad Peer AS"}


def test_what_a_notification_complained_of_is_read() -> None:
    (refused,) = read_bgp.sessions({"10.1.1.1": REFUSED}).sessions
    assert (refused.last_reset, refused.last_error) == tuple(REFUSED.values())
    (fresh,) = read_bgp.sessions({"10.1.1.1": {}}).sessions
    assert (fresh.last_reset, fresh.last_error) == (None, None)


@pytest.mark.parametrize("vendor", ["cisco", "arista"])
def test_it_stands_beside_the_reset(vendor: str) -> None:
    view = View(device="leaf1", vendor=vendor)
    text = ios_routing.bgp_peer(read_bgp.sessions({"10.1.1.1": REFUSED}), view)
    assert "Last reset: BGP Notification received, OPEN Message Error/Bad Peer AS" in text
    assert "Last reset: -\n" in ios_routing.bgp_peer(read_bgp.sessions({"10.1.1.1": {}}), view)
