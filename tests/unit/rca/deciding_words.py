"""The words by which a root cause is decided, and whether what a device prints has them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network

from netopsbench.core.errors import ToolError
from netopsbench.fabric.labs.lldp import LLDP
from netopsbench.fabric.plan import FabricPlan, Interface
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.discovery import NO_LLDP
from netopsbench.records.names import Port
from netopsbench.vendors.command import Command, View
from netopsbench.vendors.grammar import Blank
from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.recorded import FactBook
from netopsbench.vendors.table import commands_for, read, spelled

_OFF = (
    r"(?i)administratively|admin down|\*down|\bADM\b|\bdisabled\b|^\s*shutdown\b|\bdown +down\s*$|down/down"
    r"|^eth\d+ +down +down\b|\bX\b.*\d|interface \S+ is down|<BROADCAST,MULTICAST>|\bdown +down\b +(routed|N/A|-)"
)
_NO_CARRIER = (
    r"(?i)NO-CARRIER|notconnect|\bdown +down\b|\bdown +up\b|up/down|\bup +down\b|\bD\b.*\d|state ?: DOWN"
    r"|is (up|down), line protocol is down"
)


@dataclass(frozen=True)
class Words:
    """What has to stand in an answer."""

    pattern: str
    is_new: bool = True
    """Whether in a line that a healthy network's answer doesn't have, or has where the broken one's hasn't."""


def _port(plan: FabricPlan, at: Port) -> Interface:
    (node,) = (node for node in plan.nodes if node.name == at.node)
    return next(port for port in node.interfaces if port.name == at.interface)


def _done(broken: Broken) -> str:
    return "\n".join(" ".join((*step.argv, step.stdin)) for step in broken.do)


def _mac(text: str) -> str:
    return "[:.-]?".join(text.lower().split(":"))


_ALWAYS = {
    "shutdown": _OFF,
    "NAT external interface attribute misconfiguration or missing configuration": "masquerade|mark set|iifname",
    "NAT internal interface attribute misconfiguration or missing configuration": "masquerade|mark set|iifname",
    "ISIS configuration error": "passive|silent|point-to-point|p2p|circuit-type",
    "L2VPN configuration error": "activate|enable",
    "VPN configuration missing": "advertise-all-vni",
    "global STP not enabled": r"(?i)disabled|stp enabled\s+no",
    "port STP not enabled": r"BPDU filter|ether daddr 01:80:c2",
    "global VRRP hot standby redundancy protocol not enabled": (
        r"(?i)\bvrrp|^\S+ +\d+ .*(Master|Backup)|^\d+ +(Master|Backup)"
    ),
    "traffic congestion occupying port bandwidth": r"(?<!qlen )\b1000\b|\b1Mbit",
}
"""Causes that are told by the same words wherever they are."""


def words_of(broken: Broken, device: str, need: Need, plan: FabricPlan) -> Words:
    """The words that decide a cause in a device's answer to a need."""
    cause, thing, done = broken.triple.cause, broken.triple.object, _done(broken)
    if device != broken.triple.node:
        return _across(broken, device, need, plan)
    if cause in _ALWAYS:
        return Words(_ALWAYS[cause])
    if cause == NO_LLDP:
        return _own_lldp(thing, device, plan)
    if cause == "OSPF configuration error":
        return _own_ospf(_port(plan, Port(node=device, interface=thing)), need, plan)
    if cause.startswith("security policy"):
        network = _port(plan, Port(node=device, interface=thing)).address.network
        return Words(re.escape(str(network.network_address)))
    if cause == "interface IP error":
        wrong = IPv4Interface(re.findall(r"ip address (\S+)", done)[0])
        return Words(f"{re.escape(str(wrong.ip))}|{re.escape(str(wrong.network.network_address))}")
    if cause in ("blackhole route", "incorrect static route", "Layer 3 loop"):
        return Words(re.escape(str(IPv4Network(thing).network_address)))
    if cause == "missing static route":
        return Words(rf"ip route.* {re.escape(str(IPv4Network(thing).network_address))}")
    if cause.startswith("IP prefix list"):
        return Words(rf"\b{thing}\b")
    return Words(_done_to_it(cause, done))


def _done_to_it(cause: str, done: str) -> str:
    """The value that was set."""
    if cause == "MTU value misconfiguration":
        return rf"\b{done.split()[-1]}\b"
    if cause in ("MAC address configuration error", "ARP configuration error"):
        return _mac(re.findall(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", done)[0])
    if cause == "loopback IP configuration conflict":
        return re.escape(re.findall(r"ip address ([\d.]+)", done)[0])
    if cause == "BGP configuration error":
        return rf"\b{re.findall(r'remote-as ([0-9]+)', done)[0]}\b"
    if cause == "VXLAN configuration error":
        return r"\b8472\b|\b" + re.findall(r" id (\d+)", done)[0] + r"\b"
    raise LookupError(cause)


def _own_lldp(thing: str, device: str, plan: FabricPlan) -> Words:
    if thing == LLDP:
        return Words(r"(?i)not (enabled|running)|unable to connect")
    # It hears others, so it runs.
    others = [node.name for node in plan.nodes if node.is_switch and node.name != device]
    return Words(rf"\b({'|'.join(others)})\b", is_new=False)


def _own_ospf(port: Interface, need: Need, plan: FabricPlan) -> Words:
    if need == "ospf_neighbors":
        return Words(re.escape(str(_port(plan, port.peer).address.ip)))
    if need == "interface_detail":
        return Words(re.escape(str(port.address.ip)), is_new=False)
    return Words("passive|silent|hello")


def _across(broken: Broken, device: str, need: Need, plan: FabricPlan) -> Words:
    cause, thing = broken.triple.cause, broken.triple.object
    if cause == "shutdown":
        return Words(_NO_CARRIER)
    if cause == "BGP configuration error":
        return Words("Bad Peer AS")
    if cause in ("MAC address configuration error", "ARP configuration error"):
        port = _port(plan, Port(node=broken.triple.node, interface=thing))
        far = _port(plan, port.peer)
        return Words(_mac((port if need == "arp" else far).mac), is_new=False)
    if cause == "VXLAN configuration error":
        return Words(r"\b4789\b", is_new=False)
    if "VRRP" in cause and need == "vrrp":
        return Words("(?i)master")
    if "VRRP" in cause and need in ("running_config", "saved_config"):
        return Words(r"\bvrrp", is_new=False)
    if "VRRP" in cause:
        return Words(r"(?i)\bup\b|connected|\bU\b", is_new=False)
    if cause == "OSPF configuration error":
        return Words(r"ospf", is_new=False)
    if cause == NO_LLDP and need == "link_neighbors":
        # Of one port that doesn't send the far end alone has no entry; others show that the device runs it.
        is_far = thing == LLDP or _port(plan, Port(node=broken.triple.node, interface=thing)).peer.node == device
        return Words(rf"\b{broken.triple.node}\b", is_new=is_far)
    if cause == NO_LLDP:
        return Words(r"(?i)\bup\b|connected", is_new=False)
    raise LookupError((cause, need))


def printed(book: FactBook, device: str, vendor: Vendor, need: Need) -> Iterator[tuple[str, str]]:
    """Line and answer of each of a vendor's commands for a need that names nothing."""
    for command in commands_for(vendor, need):
        for form in command.forms:
            if not any(isinstance(element, Blank) for element in form):
                line = spelled(vendor, form, {})
                try:
                    yield line, _answer(command, book, device, vendor, line)
                except ToolError:
                    continue


def _answer(command: Command, book: FactBook, device: str, vendor: Vendor, line: str) -> str:
    asked = read(vendor, line)
    return command.answer(book.device(device), View(device, vendor, asked.words, asked.arguments))


def has(words: Words, broken: str, healthy: str) -> bool:
    """Whether an answer has the words."""
    now, before = Counter(broken.splitlines()), Counter(healthy.splitlines())
    lines = [*(now - before), *(before - now)] if words.is_new else list(now)
    return any(re.search(words.pattern, line) for line in lines)
