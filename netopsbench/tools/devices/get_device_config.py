"""The running configuration of a switch, in sections."""

from typing import Annotated

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Switch
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import COMMAND_TIMEOUT_S
from netopsbench.tools.devices.config_results import ConfigSection, DeviceConfig
from netopsbench.tools.paging import Limit, Offset, page_of

_PREAMBLE = ("Building configuration...", "Current configuration:", "end", "exit", "!", "")


def get_device_config(
    context: ToolContext,
    device: Switch,
    section: Annotated[
        str | None,
        Field(description="Only sections or lines that begin like this: `router bgp`, `interface eth1`, `ip route`."),
    ] = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> DeviceConfig:
    """The running configuration of a switch's routing software: BGP, interfaces, static routes, route maps.

    Packet filters are not part of it: get_device_acl shows them.
    """
    context.switch(device)
    done = context.fabric.exec(device, ["vtysh", "-c", "show running-config"], timeout_s=COMMAND_TIMEOUT_S)
    if done.returncode == 124:
        raise ToolError(f"{device} did not answer in {COMMAND_TIMEOUT_S:g} s", "timeout")
    found = _sections(done.stdout) if done.is_ok else []
    if section is not None:
        found = [part for each in found if (part := _matching(each, section)) is not None]
    chosen, page = page_of(found, offset, limit)
    message = "" if done.is_ok else "the routing software did not answer"
    return DeviceConfig(device=device, is_running=done.is_ok, sections=chosen, page=page, message=message)


def _sections(text: str) -> list[ConfigSection]:
    """Lines that are indented belong to the one above them; neighbours without any stand together."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        bare = line.strip()
        if bare in _PREAMBLE or bare in ("exit-address-family", "exit-vrf"):
            continue
        if line.startswith(" ") and found:
            found[-1][1].append(line.rstrip())
        else:
            found.append((bare, []))
    sections: list[ConfigSection] = []
    for title, lines in found:
        if lines or _has_block(title):
            sections.append(ConfigSection(title=title, lines=tuple(lines)))
        elif sections and not sections[-1].title:
            sections[-1] = ConfigSection(title="", lines=(*sections[-1].lines, title))
        else:
            sections.append(ConfigSection(title="", lines=(title,)))
    return sections


def _has_block(title: str) -> bool:
    return title.startswith(("interface ", "router ", "route-map ", "line vty"))


def _matching(section: ConfigSection, wanted: str) -> ConfigSection | None:
    if section.title:
        return section if section.title.startswith(wanted) else None
    lines = tuple(line for line in section.lines if line.startswith(wanted))
    return ConfigSection(title="", lines=lines) if lines else None
