"""The files of a lab's nodes: FRR's own, those of services, and what a host needs to find names."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address

from netopsbench.fabric.labs.filters import filter_files
from netopsbench.fabric.labs.layer2 import layer2_files, vrrp_lines
from netopsbench.fabric.labs.lldp import lldp_files
from netopsbench.fabric.labs.scripts import daemon_script, lease_script, server_script
from netopsbench.fabric.labs.spec import DhcpService, DnsService, HttpService, Lab, LabHost, LabNode, LabRouter, Service
from netopsbench.records.names import Port

_LOGGED = "log syslog informational\n!\n"
_END = "line vty\nexit\n!\n"
_FROM_DNS_TOO = "passwd: files\ngroup: files\nhosts: files dns\n"


def lab_files(lab: Lab, macs: Mapping[Port, str]) -> dict[str, dict[str, str]]:
    """Node to (path below /etc) to content; `macs` are those of every port."""
    return {name: _node_files(name, lab, macs) for name in lab.nodes}


def _node_files(name: str, lab: Lab, macs: Mapping[Port, str]) -> dict[str, str]:
    node = lab.nodes[name]
    files = {"hosts": f"127.0.0.1 localhost\n{_own_address(node)} {name}\n"}
    if isinstance(node, LabRouter):
        files |= _frr(name, node) | layer2_files(node) | filter_files(name, node, lab)
        if node.lldp:
            files |= lldp_files(node.interfaces)
    else:
        files |= _resolving(None if node.dhcp else node.resolver)
        if node.dhcp:
            files |= lease_script(next(iter(node.interfaces)))
    for service in node.services:
        files |= _service(service, Port(node=name, interface=""), lab, macs)
    return files | node.files


def _own_address(node: LabNode) -> IPv4Address:
    loopback = node.loopback if isinstance(node, LabRouter) else None
    return loopback or next(iter(node.interfaces.values())).ip


def _frr(name: str, router: LabRouter) -> dict[str, str]:
    greeting = f"hostname {name}\n{_LOGGED}"
    texts: dict[str, str] = {"zebra": _zebra(router)} | {
        daemon: text for daemon, text in router.frr.items() if daemon != "zebra"
    }
    if router.standby:
        texts["vrrpd"] = _lines(vrrp_lines(router.standby))
    files = {f"frr/{daemon}.conf": greeting + _closed(text) + _END for daemon, text in texts.items()}
    return {"frr/vtysh.conf": f"no service integrated-vtysh-config\nhostname {name}\n", **files}


def _zebra(router: LabRouter) -> str:
    # With next-hop objects zebra 8.4 leaves a member out of the kernel's group after its link went down and up.
    lines = ["no zebra nexthop kernel enable", "!"]
    held = {name: str(address) for name, address in router.interfaces.items()}
    if router.loopback is not None:
        held = {"lo": f"{router.loopback}/32", **held}
    for name, address in held.items():
        lines += [f"interface {name}", f" ip address {address}", "exit", "!"]
    return "\n".join(lines) + "\n" + router.frr.get("zebra", "")


def _closed(text: str) -> str:
    return f"{text.rstrip()}\n!\n" if text.strip() else ""


def _resolving(resolver: IPv4Address | None) -> dict[str, str]:
    named = {} if resolver is None else {"resolv.conf": f"nameserver {resolver}\noptions timeout:1 attempts:2\n"}
    return {"nsswitch.conf": _FROM_DNS_TOO, **named}


def _service(service: Service, at: Port, lab: Lab, macs: Mapping[Port, str]) -> dict[str, str]:
    if isinstance(service, DnsService):
        lines = ["no-resolv", "no-hosts", "local-ttl=5", *_records(service)]
        return {"dnsmasq/dns.conf": _lines(lines), **server_script("dns", daemon_script("dns"))}
    if isinstance(service, DhcpService):
        return {
            "dnsmasq/dhcp.conf": _lines(_dhcp(service, at.node, lab, macs)),
            **server_script("dhcp", daemon_script("dhcp")),
        }
    return _http(service)


def _http(service: HttpService) -> dict[str, str]:
    command = f"busybox httpd -f -p {service.port} -h /etc/www"
    return {"www/index.html": service.page, **server_script("http", command)}


def _records(service: DnsService) -> Iterator[str]:
    for name, address in service.records.items():
        yield f"host-record={name},{address}"


def _dhcp(service: DhcpService, server: str, lab: Lab, macs: Mapping[Port, str]) -> Iterator[str]:
    network = lab.nodes[server].interfaces.get(service.interface)
    yield from ("port=0", f"interface={service.interface}", "dhcp-authoritative", "dhcp-leasefile=/var/lib/dhcp.leases")
    if network is not None:
        yield f"dhcp-range={network.network.network_address},static,{network.netmask},1h"
    yield f"dhcp-option=option:router,{service.gateway}"
    if service.resolver is not None:
        yield f"dhcp-option=option:dns-server,{service.resolver}"
    heard = next(
        (ports for ports in lab.segments.values() if Port(node=server, interface=service.interface) in ports), ()
    )
    for port in heard:
        host = lab.nodes.get(port.node)
        if isinstance(host, LabHost) and host.dhcp and port in macs:
            yield f"dhcp-host={macs[port]},{host.interfaces[port.interface].ip},{port.node}"


def _lines(lines: Iterator[str] | list[str]) -> str:
    return "\n".join(lines) + "\n"
