"""The closed list of fault labels, with the definitions that every agent is shown."""

from netopsbench.core.model import Model


class FaultLabel(Model):
    """One fault type of the method."""

    name: str
    definition: str
    """One sentence, shown to agents."""
    has_interface: bool
    """Whether the answer needs an interface beside the device."""
    is_symmetric: bool
    """Whether either end of the link is a right answer (when the peer is a switch)."""
    aliases: tuple[str, ...] = ()


def _label(
    name: str, definition: str, *, interface: bool, symmetric: bool, aliases: tuple[str, ...] = ()
) -> FaultLabel:
    return FaultLabel(
        name=name, definition=definition, has_interface=interface, is_symmetric=symmetric, aliases=aliases
    )


LABELS: tuple[FaultLabel, ...] = (
    _label(
        "link_down",
        "A port is down, administratively or because its cable lost carrier.",
        interface=True,
        symmetric=True,
        aliases=("interface_down", "port_down", "link_failure"),
    ),
    _label(
        "link_flapping",
        "A link goes down and up again and again.",
        interface=True,
        symmetric=True,
        aliases=("interface_flapping", "link_flap"),
    ),
    _label(
        "mtu_mismatch",
        "The MTU of a port is smaller than the fabric needs, so that large packets are dropped.",
        interface=True,
        symmetric=True,
        aliases=("mtu", "mtu_misconfig"),
    ),
    _label(
        "packet_loss",
        "One end of a link loses a share of what it sends.",
        interface=True,
        symmetric=True,
        aliases=("loss",),
    ),
    _label(
        "packet_corruption",
        "One end of a link damages a share of what it sends.",
        interface=True,
        symmetric=True,
        aliases=("corruption",),
    ),
    _label(
        "high_latency",
        "One end of a link delays what it sends.",
        interface=True,
        symmetric=True,
        aliases=("latency", "delay"),
    ),
    _label(
        "blackhole_route",
        "A static route on a device discards the traffic to a prefix.",
        interface=False,
        symmetric=False,
        aliases=("blackhole", "null_route"),
    ),
    _label(
        "static_route_misconfig",
        "A static route on a device sends a host's traffic to a wrong next hop.",
        interface=False,
        symmetric=False,
        aliases=("wrong_static_route",),
    ),
    _label(
        "bgp_neighbor_misconfig",
        "A BGP neighbor of a device is configured so that the session can't come up.",
        interface=False,
        symmetric=False,
        aliases=("bgp_peer_misconfig", "bgp_session_down"),
    ),
    _label(
        "route_policy_misconfig",
        "A device doesn't announce a prefix that it should announce.",
        interface=False,
        symmetric=False,
        aliases=("missing_network", "route_map_deny"),
    ),
    _label(
        "device_down",
        "A device's ports are down and its routing has stopped.",
        interface=False,
        symmetric=False,
        aliases=("node_down", "switch_down"),
    ),
    _label(
        "acl_misconfig",
        "A packet filter on a port drops traffic that should pass.",
        interface=True,
        symmetric=False,
        aliases=("acl", "firewall_drop"),
    ),
)

LABEL_BY_NAME = {label.name: label for label in LABELS}
