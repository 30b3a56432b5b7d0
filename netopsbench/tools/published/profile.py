"""The 22 tools of the published ticket benchmark as a profile: its names and arguments, the work done by our tools."""

from netopsbench.tools.contract import Tool, tool
from netopsbench.tools.published.hosts import (
    cat_file,
    ethtool,
    exec_shell,
    exec_shell_dual,
    get_host_net_config,
    get_tc_statistics,
    ip_addr_statistics,
    netstat,
    systemctl_ops,
)
from netopsbench.tools.published.records import (
    influx_count_measurements,
    influx_get_measurements,
    influx_list_buckets,
    influx_query_measurement,
)
from netopsbench.tools.published.routing import (
    frr_exec,
    frr_get_bgp_conf,
    frr_get_ospf_conf,
    frr_show_ip_route,
    frr_show_running_config,
)
from netopsbench.tools.published.traffic import curl_web_test, get_reachability, iperf_test, ping_pair

PUBLISHED: tuple[Tool, ...] = (
    tool(get_reachability, timeout_s=30),
    tool(ping_pair, timeout_s=20),
    tool(systemctl_ops, effect="write", timeout_s=25),
    tool(get_host_net_config, timeout_s=25),
    tool(get_tc_statistics, timeout_s=25),
    tool(netstat, timeout_s=25),
    tool(ip_addr_statistics, timeout_s=25),
    tool(ethtool, timeout_s=25),
    tool(curl_web_test, timeout_s=25),
    tool(iperf_test, timeout_s=40),
    tool(cat_file, timeout_s=25),
    tool(exec_shell, effect="write", timeout_s=25),
    tool(exec_shell_dual, effect="write", timeout_s=45),
    tool(frr_get_bgp_conf),
    tool(frr_show_running_config, timeout_s=25),
    tool(frr_show_ip_route),
    tool(frr_get_ospf_conf),
    tool(frr_exec, effect="write", timeout_s=25),
    tool(influx_list_buckets),
    tool(influx_get_measurements),
    tool(influx_count_measurements),
    tool(influx_query_measurement),
)
"""Offered in place of ours where a run says so. Some write: the profile is for tickets."""
