"""Published tools for the routing software of a router."""

import shlex
from typing import Annotated

from pydantic import Field

from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.config_results import DeviceConfig
from netopsbench.tools.devices.exec_shell import exec_shell
from netopsbench.tools.devices.get_device_config import get_device_config
from netopsbench.tools.devices.live_results import Shown
from netopsbench.tools.devices.show import show

Router = Annotated[str, Field(description="A router.", examples=["router1"])]
_LINES = 500


def frr_get_bgp_conf(context: ToolContext, router_name: Router) -> DeviceConfig:
    """The BGP configuration of a router."""
    return get_device_config(context, router_name, "router bgp")


def frr_get_ospf_conf(context: ToolContext, router_name: Router) -> DeviceConfig:
    """The OSPF configuration of a router."""
    return get_device_config(context, router_name, "router ospf")


def frr_show_running_config(context: ToolContext, router_name: Router) -> Shown:
    """The whole running configuration of a router's routing software."""
    return show(context, router_name, "show running-config", limit=_LINES)


def frr_show_ip_route(context: ToolContext, router_name: Router) -> Shown:
    """The routing table of a router."""
    return show(context, router_name, "show ip route", limit=_LINES)


def frr_exec(
    context: ToolContext,
    router_name: Router,
    command: Annotated[str, Field(max_length=1000, description="For vtysh.", examples=["show ip route"])],
) -> Shown:
    """Give a command to the routing software of a router (vtysh -c). What it changes stays changed, and is recorded."""
    context.switch(router_name)
    return exec_shell(context, router_name, f"vtysh -c {shlex.quote(command)}", limit=_LINES)
