"""Rules about links between switches and the BGP sessions over them."""

from netopsbench.agent.baseline.diagnosis import Diagnosis, shown, written
from netopsbench.agent.baseline.network import Network
from netopsbench.tools.results import BgpNeighbors, DeviceInterface, LinkEnd, TopologyLink

_LOOKS = 12
_PAUSE_S = 0.6
"""Together longer than a link needs to go down and come up again once."""
_MOST_SUSPECTS = 6


def flapping_link(network: Network) -> Diagnosis | None:
    """A link that is seen up and down within seconds."""
    suspects = [link for link in _unsteady_links(network) if not _is_shut(network, link)][:_MOST_SUSPECTS]
    seen: dict[str, set[bool]] = {link.prefix: set() for link in suspects}
    for look in range(_LOOKS if suspects else 0):
        if look:
            network.wait(_PAUSE_S)
        for link in suspects:
            port = network.interfaces(link.a.device, again=True).get(link.a.interface)
            if port:
                seen[link.prefix].add(port.is_up)
            if len(seen[link.prefix]) > 1:
                end = _lower(network, link)
                lost = sum(event.times_lost for event in network.events if event.peer in _ends(link))
                evidence = (f"{written(link.a)} was seen up and down", f"its BGP session was lost {lost} times before")
                why = f"the link {written(link.a)} to {written(link.b)} goes down and up again and again"
                return Diagnosis("link_flapping", end.device, end.interface, evidence, why, 0.95)
    return None


def fabric_link_down(network: Network) -> Diagnosis | None:
    """A link between switches whose session is not Established because a port is down."""
    for link in _links_without_session(network):
        ports = [(end, network.interfaces(end.device).get(end.interface)) for end in (link.a, link.b)]
        down = [(end, port) for end, port in ports if port and not port.is_up]
        if not down:
            continue
        end = _end_to_name(network, down)
        states = tuple(shown(end.device, port) for end, port in ports if port)
        why = f"the BGP session over {written(link.a)} and {written(link.b)} is not up, and the link is down"
        return Diagnosis("link_down", end.device, end.interface, states, why, 0.95)
    return None


def session_down(network: Network) -> Diagnosis | None:
    """A session that stays down although its link is up: who configured it wrongly, or whose routing has stopped."""
    for link in _links_without_session(network):
        lower = _lower(network, link)
        ends = [(lower, _other(link, lower)), (_other(link, lower), lower)]
        found = {near.device: network.bgp(near.device, again=True) for near, _ in ends}
        for near, _ in ends:
            sessions = found[near.device]
            if sessions and not sessions.is_running:
                silent = (f"{near.device}: {sessions.message}",)
                return Diagnosis(
                    "device_down", near.device, None, silent, f"the routing of {near.device} has stopped", 0.9
                )
        if all(_state(found[near.device], far) == "Established" for near, far in ends):
            continue
        blamed = [(near, why) for near, far in ends if (why := _mistake(network, near, far, found[near.device]))]
        near, why = blamed[0] if blamed else (lower, "the link is up, and neither end shows a mistake")
        far = _other(link, near)
        seen = f"{near.device}: session to {far.address} ({far.device}) is {_state(found[near.device], far)}"
        reason = f"the link {written(near)} to {written(far)} is up, but its BGP session is not: {why}"
        return Diagnosis("bgp_neighbor_misconfig", near.device, None, (seen,), reason, 0.9 if blamed else 0.5)
    return None


def _mistake(network: Network, near: LinkEnd, far: LinkEnd, sessions: BgpNeighbors | None) -> str:
    """What one end's configuration of the neighbor has against the design; empty when nothing."""
    if sessions is None:
        return ""
    mine = [neighbor for neighbor in sessions.neighbors if neighbor.address == far.address]
    if not mine:
        return f"{near.device} has no neighbor {far.address}"
    designed = network.nodes[far.device].asn
    if mine[0].remote_asn != designed:
        return f"{near.device} expects AS {mine[0].remote_asn}, but {far.device} is in AS {designed}"
    lines = network.config(near.device, "router bgp")
    special = [line for line in lines if line.startswith(f"neighbor {far.address} ") and _is_special(line)]
    return f"{near.device} has `{special[0]}`" if special else ""


def _is_special(line: str) -> bool:
    words = line.split()[2:3]
    return words in (["password"], ["update-source"], ["shutdown"], ["ttl-security"], ["passive"], ["local-as"])


def _state(sessions: BgpNeighbors | None, far: LinkEnd) -> str:
    states = {neighbor.address: neighbor.state for neighbor in sessions.neighbors} if sessions else {}
    return states.get(far.address, "not configured")


def _unsteady_links(network: Network) -> list[TopologyLink]:
    """Links whose session is down or was lost, those lost most often first."""
    lost: dict[str, int] = {}
    for link in network.fabric_links:
        times = sum(max(1, event.times_lost) for event in network.events if event.peer in _ends(link))
        if times:
            lost[link.prefix] = times
    down = {link.prefix for link in _links_without_session(network)}
    suspects = [link for link in network.fabric_links if link.prefix in lost or link.prefix in down]
    return sorted(suspects, key=lambda link: -lost.get(link.prefix, 0))


def _links_without_session(network: Network) -> list[TopologyLink]:
    by_port = {written(end): link for link in network.fabric_links for end in (link.a, link.b)}
    found: dict[str, TopologyLink] = {}
    for device in network.watch_points():
        sessions = network.bgp(device)
        if sessions is None:
            continue
        silent = [neighbor.peer for neighbor in sessions.neighbors if neighbor.state != "Established"]
        for port in (*silent, *sessions.missing):
            if port in by_port:
                found[by_port[port].prefix] = by_port[port]
    return list(found.values())


def _is_shut(network: Network, link: TopologyLink) -> bool:
    """Whether somebody switched the link off, which explains that it is down."""
    ports = (network.interfaces(end.device).get(end.interface) for end in (link.a, link.b))
    return any(port is not None and not port.is_admin_up for port in ports)


def _ends(link: TopologyLink) -> tuple[str, str]:
    return written(link.a), written(link.b)


def _lower(network: Network, link: TopologyLink) -> LinkEnd:
    return max((link.a, link.b), key=lambda end: network.tier(end.device))


def _other(link: TopologyLink, end: LinkEnd) -> LinkEnd:
    return link.b if end is link.a or end == link.a else link.a


def _end_to_name(network: Network, down: list[tuple[LinkEnd, DeviceInterface]]) -> LinkEnd:
    """The end that somebody switched off; else the lower one."""
    switched_off = [end for end, port in down if not port.is_admin_up]
    return max(switched_off or [end for end, _ in down], key=lambda end: network.tier(end.device))
