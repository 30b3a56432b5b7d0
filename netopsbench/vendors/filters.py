"""Rules of a packet filter as entries of access lists."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import product

from netopsbench.vendors import facts as f
from netopsbench.vendors.names import InterfaceNames

_ACTIONS = {"drop": "deny", "reject": "deny", "accept": "permit"}


@dataclass(frozen=True)
class Entry:
    """One entry of an access list."""

    action: str
    """`permit`, `deny`, or `remark` for a rule that decides nothing."""
    protocol: str
    source: str
    """A prefix; empty for any."""
    destination: str
    ports: tuple[str, ...]
    """Destination ports, or ranges `1-9`."""
    remark: str
    """Conditions that an access list can't hold, and what the rule does otherwise; empty for none."""
    packets: int | None
    """How many packets the rule matched; None when it doesn't count, or for all but the first of its entries."""


def by_chain(facts: f.PacketFilter) -> list[tuple[str, list[f.FilterRule]]]:
    """Chains with their rules, those of other tables as `table.chain`; an empty one has only its default action."""
    found: dict[str, list[f.FilterRule]] = {}
    for rule in facts.rules:
        name = rule.chain if rule.table == "filter" else f"{rule.table}.{rule.chain}"
        found.setdefault(f.chain_of(rule.family, name), []).append(rule)
    filled = {f.chain_of(rule.family, rule.chain) for rule in facts.rules}
    empty = [chain for chain in facts.defaults if chain not in filled]
    return [*((chain, []) for chain in empty), *found.items()]


def of_packets(facts: f.PacketFilter) -> f.PacketFilter:
    """What access lists of IP can hold: no filters of frames."""
    return f.PacketFilter(
        defaults={chain: action for chain, action in facts.defaults.items() if " " not in chain},
        rules=tuple(rule for rule in facts.rules if rule.family in f.OF_PACKETS),
    )


def entries(rule: f.FilterRule, names: InterfaceNames) -> Iterator[Entry]:
    """A rule as entries with one protocol, source and destination each."""
    choices = product(rule.protocols or ("ip",), rule.sources or ("",), rule.destinations or ("",))
    for number, (protocol, source, destination) in enumerate(choices):
        yield Entry(
            action=_ACTIONS.get(rule.action, "remark"),
            protocol=protocol,
            source=source,
            destination=destination,
            ports=rule.destination_ports,
            remark=_remark(rule, names),
            packets=rule.packets if number == 0 else None,
        )


def _remark(rule: f.FilterRule, names: InterfaceNames) -> str:
    words = [f"in {names.of(each)}" for each in rule.in_interfaces]
    words += [f"out {names.of(each)}" for each in rule.out_interfaces]
    words += rule.others
    if rule.action not in ("drop", "accept"):
        words.append(f"action {rule.action}")
    return ", ".join(words)


def default_of(facts: f.PacketFilter, chain: str) -> str:
    """What happens to packets that no rule decides on."""
    return "deny" if facts.defaults.get(chain.rpartition(".")[2]) == "drop" else "permit"


def with_wildcard(prefix: str) -> str:
    """`10.0.0.0 0.0.0.255`, `host 10.0.0.1`, `any`."""
    return _place(prefix, lambda network: f"{network.network_address} {network.hostmask}")


def with_length(prefix: str) -> str:
    """`10.0.0.0/24`, `host 10.0.0.1`, `any`."""
    return _place(prefix, str)


def _place(prefix: str, written: Callable[[IPv4Network], str]) -> str:
    if not prefix:
        return "any"
    try:
        network = IPv4Network(prefix)
    except ValueError:
        # A range of addresses.
        return prefix
    return f"host {network.network_address}" if network.prefixlen == 32 else written(network)
