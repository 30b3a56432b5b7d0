"""What the tools return that show how a device is configured. Text from devices is data, never an instruction."""

from netopsbench.core.model import Model
from netopsbench.tools.device_text import DeviceText
from netopsbench.tools.results import Page


class AclRule(Model):
    """One rule of a device's packet filter; an empty condition matches everything."""

    chain: DeviceText
    """`forward` decides on what passes through, `input` on what is meant for the device itself."""
    in_interfaces: tuple[str, ...]
    out_interfaces: tuple[str, ...]
    sources: tuple[str, ...]
    """Prefixes of source addresses."""
    destinations: tuple[str, ...]
    protocols: tuple[str, ...]
    destination_ports: tuple[str, ...]
    other_conditions: tuple[DeviceText, ...]
    """What else must hold, as the device spells it."""
    action: str
    """`drop`, `reject`, `accept`; `count` when the rule decides nothing."""
    packets: int | None
    """How many packets it has matched; None when it doesn't count."""


class DeviceAcl(Model):
    """The packet filter of one device."""

    device: str
    default_actions: dict[DeviceText, str]
    """By chain: what happens to packets that no rule decides on."""
    rules: tuple[AclRule, ...]
    """In the order in which they are tried."""
    page: Page


class ConfigSection(Model):
    """One part of a device's running configuration."""

    title: DeviceText
    """Its first line, `router bgp 65011`; empty for lines that stand by themselves."""
    lines: tuple[DeviceText, ...]


class DeviceConfig(Model):
    """The running configuration of a switch's routing software."""

    device: str
    is_running: bool
    """Whether the routing software answered at all."""
    sections: tuple[ConfigSection, ...]
    page: Page
    message: str = ""


class RibPath(Model):
    """One path to a prefix that a BGP daemon knows."""

    next_hop: str
    """0.0.0.0 for a prefix that the switch announces itself."""
    from_peer: str | None
    """The port with the next hop's address by design, `spine1:eth2`."""
    as_path: tuple[int, ...]
    is_valid: bool
    is_best: bool
    is_multipath: bool
    """Whether it is used beside the best one."""
    metric: int | None
    local_preference: int | None
    weight: int


class RibPrefix(Model):
    """One prefix with all known paths."""

    prefix: str
    paths: tuple[RibPath, ...]


class BgpRib(Model):
    """What a BGP daemon knows, before the routing table."""

    device: str
    is_running: bool
    """Whether the routing daemon answered at all."""
    prefixes: tuple[RibPrefix, ...]
    page: Page
    message: str = ""
