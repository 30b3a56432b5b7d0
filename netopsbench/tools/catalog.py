"""The tools there are: one line each."""

from netopsbench.tools.contract import Tool, tool
from netopsbench.tools.devices.exec_shell import exec_shell
from netopsbench.tools.devices.execute import execute
from netopsbench.tools.devices.get_arp_table import get_arp_table
from netopsbench.tools.devices.get_bgp_neighbor import get_bgp_neighbor
from netopsbench.tools.devices.get_bgp_neighbors import get_bgp_neighbors
from netopsbench.tools.devices.get_bgp_rib import get_bgp_rib
from netopsbench.tools.devices.get_device_acl import get_device_acl
from netopsbench.tools.devices.get_device_config import get_device_config
from netopsbench.tools.devices.get_device_interfaces import get_device_interfaces
from netopsbench.tools.devices.get_fib import get_fib
from netopsbench.tools.devices.get_link_neighbors import get_link_neighbors
from netopsbench.tools.devices.get_route_table import get_route_table
from netopsbench.tools.devices.get_routing_policies import get_routing_policies
from netopsbench.tools.devices.get_topology import get_topology
from netopsbench.tools.devices.run_command import run_command
from netopsbench.tools.devices.show import show
from netopsbench.tools.packets.capture_summary import capture_summary
from netopsbench.tools.packets.ping_test import ping_test
from netopsbench.tools.packets.trace_flow import trace_flow
from netopsbench.tools.packets.traceroute import traceroute
from netopsbench.tools.telemetry.get_device_logs import get_device_logs
from netopsbench.tools.telemetry.get_interface_metrics import get_interface_metrics
from netopsbench.tools.telemetry.get_pingmesh_hotspots import get_pingmesh_hotspots
from netopsbench.tools.telemetry.get_pingmesh_summary import get_pingmesh_summary
from netopsbench.tools.telemetry.query_bgp_events import query_bgp_events

TOOLS: tuple[Tool, ...] = (
    tool(get_topology),
    tool(get_device_interfaces),
    tool(get_interface_metrics),
    tool(get_device_logs),
    tool(get_bgp_neighbors),
    tool(get_bgp_neighbor),
    tool(query_bgp_events),
    tool(get_route_table),
    tool(get_bgp_rib),
    tool(get_device_config),
    tool(get_device_acl),
    tool(get_fib),
    tool(get_arp_table),
    tool(get_link_neighbors),
    tool(get_routing_policies),
    tool(show),
    tool(get_pingmesh_summary, timeout_s=60),
    tool(get_pingmesh_hotspots, timeout_s=60),
    tool(ping_test, timeout_s=20),
    tool(traceroute, timeout_s=60),
    tool(trace_flow),
    tool(capture_summary, timeout_s=25),
)

OPT_IN: tuple[Tool, ...] = (tool(run_command, timeout_s=20),)
"""Offered only where somebody says so."""

COMMAND_LINES: tuple[Tool, ...] = (tool(execute, timeout_s=40),)
"""Offered where devices are to be asked in their vendors' words."""

WRITING: tuple[Tool, ...] = (tool(exec_shell, effect="write", timeout_s=25),)
"""Offered where an agent may change the network."""
