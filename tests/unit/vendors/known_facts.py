"""Facts about one device, written down instead of asked for."""

from typing import cast

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Facts, View
from netopsbench.vendors.printed import KernelPrinted, RouterPrinted

CONFIGURATION = """\
hostname leaf1
log syslog informational
no zebra nexthop kernel enable
!
ip route 192.168.12.0/24 Null0
ip route 100.64.86.53/32 10.1.1.1 200
!
interface eth1
 description to spine1
 ip address 10.1.1.2/30
 ip ospf cost 20
exit
!
interface lo
 ip address 10.255.0.3/32
exit
!
router ospf
 ospf router-id 10.255.0.3
 passive-interface eth3
 network 10.1.1.0/24 area 0
exit
!
router bgp 65011
 bgp router-id 10.255.0.3
 timers bgp 3 9
 neighbor 10.1.1.1 remote-as 65001
 neighbor 10.1.1.1 description spine1
 neighbor 10.2.1.1 remote-as 65001
 neighbor 10.2.1.1 shutdown
 !
 address-family ipv4 unicast
  network 192.168.101.0/30
  neighbor 10.1.1.1 route-map FABRIC-IN in
  neighbor 10.1.1.1 prefix-list LOOPBACKS out
  maximum-paths 64
 exit-address-family
exit
!
ip prefix-list LOOPBACKS seq 5 permit 10.255.0.0/16 ge 32
!
route-map FABRIC-IN deny 10
 description never learn these
 match ip address prefix-list RESERVED
exit
!
route-map FABRIC-IN permit 20
 set local-preference 200
 set src 10.255.0.3
exit
"""

LINES = tuple(CONFIGURATION.splitlines())
TRAFFIC = {"rx_packets": 32, "rx_bytes": 2641, "rx_errors": 1, "rx_dropped": 2, "tx_packets": 21, "tx_bytes": 1923}
SPINE1, SPINE2 = "10.1.1.1", "10.2.1.1"


def bridged(
    interface: str, number: int, state: str, role: l2.PortRole, designated: str, *, is_filtered: bool = False
) -> l2.BridgePort:
    return l2.BridgePort(
        interface=interface, number=number, state=state, role=role, cost=2, priority=32, designated_bridge=designated,
        root="1000.2:4e:0:1:0:1", is_filtered=is_filtered,
    )  # fmt: skip


def hop(gateway: str | None, interface: str | None, *, is_active: bool = True) -> f.Hop:
    return f.Hop(gateway=gateway, interface=interface, is_active=is_active)


INTERFACES = f.Interfaces(
    interfaces=(
        f.Interface(
            name="lo", is_admin_up=True, has_carrier=True, mtu_bytes=65536, mac="", addresses=("10.255.0.3/32",)
        ),
        f.Interface(
            name="eth1", is_admin_up=True, has_carrier=True, mtu_bytes=9100, mac="02:4e:00:03:00:01",
            addresses=("10.1.1.2/30",), description="to spine1", **TRAFFIC,
        ),
        f.Interface(
            name="eth2", is_admin_up=True, has_carrier=False, mtu_bytes=9100, mac="02:4e:00:03:00:02",
            addresses=("10.2.1.2/30",),
        ),
        f.Interface(
            name="eth3", is_admin_up=False, has_carrier=False, mtu_bytes=1500, mac="02:4e:00:03:00:03", addresses=()
        ),
    )
)  # fmt: skip

ROUTES = f.Routes(
    is_running=True,
    routes=(
        f.Route(prefix="0.0.0.0/0", protocol="static", distance=1, age="1d02h03m", hops=(hop(SPINE1, "eth1"),)),
        f.Route(prefix="10.1.1.0/30", protocol="connected", age="00:01:07", hops=(hop(None, "eth1"),)),
        f.Route(
            prefix="10.255.0.4/32", protocol="bgp", distance=20, age="00:01:04",
            hops=(hop(SPINE1, "eth1"), hop(SPINE2, "eth2", is_active=False)),
        ),
        f.Route(prefix="10.255.0.4/32", protocol="static", distance=250, is_selected=False, is_installed=False),
        f.Route(prefix="192.168.12.0/24", protocol="static", kind="blackhole", distance=1, age="00:01:05"),
        f.Route(
            prefix="192.168.102.0/30", protocol="ospf", distance=110, metric=30, age="00:01:02",
            hops=(hop(SPINE2, "eth2"),),
        ),
    ),
)  # fmt: skip

FIB = f.Fib(
    routes=(
        f.FibRoute(prefix="10.1.1.0/30", kind="unicast", protocol="kernel", metric=0, hops=(hop(None, "eth1"),)),
        f.FibRoute(
            prefix="10.255.0.4/32", kind="unicast", protocol="bgp", metric=20,
            hops=(hop(SPINE1, "eth1"), hop(SPINE2, "eth2", is_active=False)),
        ),
        f.FibRoute(prefix="192.168.12.0/24", kind="blackhole", protocol="static", metric=20, hops=()),
    )
)  # fmt: skip

PEERS = s.BgpSummary(
    is_running=True,
    asn=65011,
    router_id="10.255.0.3",
    table_version=6,
    peers=(
        s.BgpPeer(
            address=SPINE1, remote_asn=65001, state="Established", age="00:01:15", received=30, sent=31,
            prefixes_received=3, prefixes_sent=6, queued_out=0, description="spine1",
        ),
        s.BgpPeer(
            address=SPINE2, remote_asn=4200000001, state="Active", age="never", received=0, sent=0,
            prefixes_received=0, prefixes_sent=0, queued_out=2,
        ),
    ),
)  # fmt: skip

SESSIONS = s.BgpSessions(
    is_running=True,
    sessions=(
        s.BgpSession(
            address=SPINE1, remote_asn=65001, local_asn=65011, state="Established", age="00:01:40",
            remote_router_id="10.255.0.1", local_router_id="10.255.0.3", hold_s=9, keepalive_s=3,
            local_address="10.1.1.2", local_port=179, remote_port=33752, times_established=2, times_dropped=1,
            last_reset="Hold Timer Expired", prefixes_accepted=3, prefixes_sent=6,
            messages={"opensSent": 1, "opensRecv": 2, "updatesSent": 3, "updatesRecv": 4, "keepalivesSent": 5,
                      "keepalivesRecv": 6, "notificationsSent": 7, "notificationsRecv": 8, "totalSent": 16,
                      "totalRecv": 20},
            policy_in="FABRIC-IN", policy_out="FABRIC-OUT", description="spine1",
        ),
        s.BgpSession(
            address=SPINE2, remote_asn=65011, local_asn=65011, state="Idle", age=None, remote_router_id=None,
            local_router_id=None, hold_s=180, keepalive_s=60, local_address=None, local_port=None, remote_port=None,
            times_established=0, times_dropped=0, last_reset=None, messages={}, prefixes_accepted=None,
            prefixes_sent=None, policy_in=None, policy_out=None, description="",
        ),
    ),
)  # fmt: skip


def path(next_hop: str, as_path: str, **more: object) -> s.BgpPath:
    usual = {
        "origin": "IGP", "peer": next_hop, "metric": None, "local_preference": None, "weight": 0, "is_valid": True,
        "is_best": False, "is_multipath": False, "is_internal": False,
    }  # fmt: skip
    return s.BgpPath.model_validate({"next_hop": next_hop, "as_path": as_path, **usual, **more})


TABLE = s.BgpTable(
    is_running=True,
    router_id="10.255.0.3",
    asn=65011,
    table_version=6,
    prefixes=(
        s.BgpPrefix(
            prefix="10.255.0.3/32", paths=(path("0.0.0.0", "", peer="(unspec)", metric=0, weight=32768, is_best=True),)
        ),
        s.BgpPrefix(
            prefix="10.255.0.4/32",
            paths=(
                path(SPINE2, "65001 65012", is_multipath=True, is_internal=True, local_preference=100),
                path(SPINE1, "65001 65012", is_best=True, origin="incomplete"),
                path("10.3.1.1", "65003", is_valid=False, origin="EGP"),
            ),
        ),
    ),
)

FILTER = f.PacketFilter(
    defaults={"input": "accept", "forward": "drop", "bridge output": "accept"},
    rules=(
        f.FilterRule(chain="input", action="accept", protocols=("icmp",), packets=3),
        f.FilterRule(chain="input", action="drop", protocols=("tcp",), destination_ports=("23", "111"), packets=0),
        f.FilterRule(chain="forward", action="drop", destinations=("192.168.12.0/24", "10.0.0.9/32"), packets=5),
        f.FilterRule(chain="forward", action="reject", in_interfaces=("eth3",), sources=("10.9.0.0/16",)),
        f.FilterRule(chain="forward", action="accept", others=("ct state established",)),
        f.FilterRule(chain="forward", action="count", destinations=("10.8.0.1-10.8.0.9",), packets=1),
        f.FilterRule(
            table="nat", chain="postrouting", action="masquerade", out_interfaces=("eth2",), others=("meta mark 1",)
        ),
        f.FilterRule(
            family="bridge",
            chain="output",
            action="drop",
            out_interfaces=("eth3",),
            others=("ether daddr 01:80:c2:00:00:00",),
        ),
    ),
)

POLICIES = f.Policies(
    is_running=True,
    policies=(
        f.Policy(
            name="FABRIC-IN",
            entries=(
                f.PolicyEntry(
                    action="deny", sequence=10, lines=("description no", "match ip address prefix-list RESERVED")
                ),
                f.PolicyEntry(action="permit", sequence=20, lines=("set local-preference 200", "set src 10.255.0.3")),
            ),
        ),
        f.Policy(name="FABRIC-OUT", entries=(f.PolicyEntry(action="permit", sequence=10, lines=()),)),
    ),
    lists=(
        f.PrefixList(
            name="RESERVED",
            rules=(
                f.PrefixRule(sequence=5, action="permit", prefix="127.0.0.0/8", at_most=32),
                f.PrefixRule(sequence=10, action="deny", prefix="10.0.0.0/8", at_least=9, at_most=24),
            ),
        ),
        f.PrefixList(name="ALL", rules=(f.PrefixRule(sequence=5, action="permit", prefix="0.0.0.0/0"),)),
    ),
)

OTHERS: tuple[Model, ...] = (
    f.Neighbors(
        neighbors=(
            f.Neighbor(address=SPINE1, interface="eth1", mac="02:4e:00:01:00:01", state="permanent"),
            f.Neighbor(address="192.168.101.2", interface="eth3", mac="02:4e:00:05:00:01", state="stale"),
            f.Neighbor(address="192.168.101.3", interface="eth3", mac=None, state="failed"),
        )
    ),
    f.LinkNeighbors(
        is_running=True,
        neighbors=(
            f.LinkNeighbor(
                interface="eth1", device="spine1", port="eth4", mac="02:4e:00:01:00:04", ttl_s=5,
                capabilities=("Bridge", "Router"),
            ),
            f.LinkNeighbor(
                interface="eth3", device="client1", port="eth1", mac="02:4e:00:05:00:01", ttl_s=120,
                capabilities=("Station",),
            ),
        ),
    ),
    s.OspfNeighbors(
        is_running=True,
        neighbors=(
            s.OspfNeighbor(
                router_id="10.255.0.1", address=SPINE1, interface="eth1", state="Full", role="DR", priority=1, dead_s=63
            ),
            s.OspfNeighbor(
                router_id="10.255.0.2", address=SPINE2, interface="eth2", state="Init", role="-", priority=0, dead_s=4
            ),
        ),
    ),
    s.IsisNeighbors(
        is_running=True,
        neighbors=(
            s.IsisNeighbor(system="spine1", interface="eth1", level="L2", state="Up", hold_s=27, snpa="2020.2020.2020"),
        ),
    ),
    s.BfdSessions(
        is_running=True,
        sessions=(
            s.BfdSession(
                peer=SPINE1, local="10.1.1.2", interface="eth1", status="down", local_discriminator=17,
                remote_discriminator=0,
            ),
        ),
    ),
    f.LogLines(
        lines=(
            f.LogLine(at_s=-3.5, severity="notice", facility="daemon", program="bgpd", message="peer 10.1.1.1 down"),
            f.LogLine(at_s=2.25, severity="err", facility="kern", program="kernel", message="eth1: link lost"),
        )
    ),
    f.Processes(
        processes=(
            f.Process(pid=6, name="zebra", cpu_pct=0.4, resident_kib=9652),
            f.Process(pid=11, name="bgpd", cpu_pct=12.5, resident_kib=14748),
        )
    ),
    l2.PortQueues(
        queues=(
            l2.PortQueue(
                interface="eth1", limit_kbps=None, packets=0, octets=0, dropped=0, waiting_octets=0
            ),
            l2.PortQueue(
                interface="eth2", limit_kbps=1000, packets=5120, octets=6359040, dropped=733, waiting_octets=24840
            ),
        )
    ),
    l2.Bridges(
        bridges=(
            l2.Bridge(
                name="br0", has_spanning_tree=True, id="2000.2:4e:0:3:0:1", root="1000.2:4e:0:1:0:1", root_cost=2,
                ports=(
                    bridged("eth1", 1, "forwarding", "root", "1000.2:4e:0:1:0:1"),
                    bridged("eth2", 2, "blocking", "alternate", "1000.2:4e:0:2:0:1"),
                    bridged("eth3", 3, "listening", "designated", "2000.2:4e:0:3:0:1", is_filtered=True),
                ),
            ),
            l2.Bridge(
                name="br1", has_spanning_tree=False, id="8000.2:4e:0:3:0:4", root="8000.2:4e:0:3:0:4", root_cost=0,
                ports=(bridged("eth4", 1, "forwarding", "designated", "8000.2:4e:0:3:0:4"),),
            ),
        )
    ),
    l2.Tunnels(
        tunnels=(
            l2.Tunnel(
                interface="vxlan10", vni=10, local="10.255.0.3", port=4789, bridge="br0",
                remotes=("10.255.0.4", "10.255.0.5"),
            ),
            l2.Tunnel(interface="vxlan20", vni=20, local="10.255.0.3", port=8472, bridge="", remotes=()),
        )
    ),
    l2.StandbyGroups(
        is_running=True,
        groups=(
            l2.StandbyGroup(
                interface="eth1", group=1, addresses=("10.1.1.254",), state="Master", priority=200,
                own_address="10.1.1.2", every_ms=500,
            ),
            l2.StandbyGroup(
                interface="eth1", group=2, addresses=("10.1.1.253",), state="Backup", priority=100, own_address="",
                every_ms=500,
            ),
        ),
    ),
    f.Ping(target="10.255.0.4", source="eth1", size_bytes=56, sent=5, rtts_ms=(0.05, 0.07, 0.06)),
    f.Trace(
        target="10.255.0.4",
        is_reached=False,
        hops=(
            f.TraceHop(ttl=1, address="10.255.0.1", rtts_ms=(0.1, 0.2), sent=3),
            f.TraceHop(ttl=2, address=None, rtts_ms=(), sent=3),
            f.TraceHop(ttl=3, address="10.1.1.1", rtts_ms=(0.3,), sent=1, note="No route to host"),
        ),
    ),
)  # fmt: skip


class KnownDevice:
    """Tells what is written here; of what a program prints, the words it was asked."""

    def __init__(self) -> None:
        known: tuple[Model, ...] = (
            f.Configuration(lines=LINES), f.SavedConfiguration(lines=LINES), INTERFACES, ROUTES, FIB, PEERS, SESSIONS,
            TABLE, FILTER, POLICIES, *OTHERS,
        )  # fmt: skip
        self.known: dict[type[Model], Model] = {type(each): each for each in known}

    def look(self, want: type[Facts], view: View) -> Facts:
        if want in (RouterPrinted, KernelPrinted):
            return want.model_validate({"lines": (f"<{want.__name__} {' '.join(view.words)}>", "eth1 is up")})
        if want not in self.known:
            raise ToolError("the device does not tell")
        return cast(Facts, self.known[want])
