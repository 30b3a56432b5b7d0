"""Root causes in a provider's network: IS-IS below, VXLAN and the VPN that BGP tells of above."""

from collections.abc import Iterator, Sequence

from netopsbench.fabric.labs.layer2 import BRIDGE, VXLAN_PORT, vxlan_command, vxlan_device
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.faults.contract import Step, configure
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Broken, Sight, address_of, between_routers, lost, run, touched

EVPN = "evpn"
"""Object of what BGP tells of VPNs."""
_KERNELS_OWN_PORT = 8472
"""What Linux takes where nobody says that it is 4789."""
_KIND = "isis network point-to-point"


def wrong_isis(plan: FabricPlan) -> Iterator[Broken]:
    """IS-IS is passive at a link between routers, or takes the link for a LAN, which the neighbour doesn't."""
    for number, each in enumerate(between_routers(plan)):
        if "isisd" not in each.node.daemons or "isisd" not in each.peer.daemons:
            continue
        here = f"interface {each.port.name}"
        do, undo = ("isis passive", "no isis passive") if number % 2 else (f"no {_KIND}", _KIND)
        yield Broken(
            triple=Triple(node=each.node.name, object=each.port.name, cause="ISIS configuration error"),
            do=(configure(each.node.name, here, do),),
            undo=(configure(each.node.name, here, undo),),
            sights=(
                Sight(
                    node=each.peer.name,
                    argv=("vtysh", "-c", "show isis neighbor"),
                    shows=rf"\s{each.peer_port.name}\s+\d\s+Up\s",
                    is_shown=False,
                ),
            ),
            touches=touched(each.node, each.peer),
        )


def wrong_vxlans(plan: FabricPlan) -> Iterator[Broken]:
    """A device's end of a VXLAN has another number than the others' ends, or listens on another UDP port."""
    for node, vni, own, other in _ends(plan):
        device = vxlan_device(vni)
        right = _made(node, device, vni, VXLAN_PORT)
        for wrong in (_made(node, device, vni + 1, VXLAN_PORT), _made(node, device, vni, _KERNELS_OWN_PORT)):
            yield Broken(
                triple=Triple(node=node.name, object=device, cause="VXLAN configuration error"),
                do=wrong,
                undo=right,
                sights=(lost(own.name, address_of(other)),),
                touches=_joined(plan, vni),
            )


def _made(node: Node, device: str, vni: int, port: int) -> tuple[Step, ...]:
    """The commands that make a VXLAN anew: its number can't be changed in place."""
    assert node.loopback is not None
    made = vxlan_command(device, vni, node.loopback).replace(f"dstport {VXLAN_PORT}", f"dstport {port}")
    gone = run(node.name, "ip", "link", "del", "dev", device)
    return (
        gone.model_copy(update={"done_already": "Cannot find device"}),
        run(node.name, *made.split()).model_copy(update={"done_already": "File exists"}),
        run(node.name, "ip", "link", "set", "dev", device, "master", BRIDGE, "up"),
    )


def wrong_l2vpns(plan: FabricPlan) -> Iterator[Broken]:
    """A session between two devices doesn't carry EVPN."""
    for node, _, own, _ in _ends(plan):
        for peer, _, theirs, _ in _ends(plan):
            if peer.name == node.name or peer.loopback is None:
                continue
            line = f"neighbor {peer.loopback} activate"
            yield Broken(
                triple=Triple(node=node.name, object=EVPN, cause="L2VPN configuration error"),
                do=(configure(node.name, *_family(plan, node), f"no {line}"),),
                undo=(configure(node.name, *_family(plan, node), line),),
                sights=(lost(own.name, address_of(theirs)),),
                touches=touched(node, own, peer, theirs),
            )


def missing_vpns(plan: FabricPlan) -> Iterator[Broken]:
    """A device doesn't tell anybody of its VPNs."""
    for node, vni, own, other in _ends(plan):
        yield Broken(
            triple=Triple(node=node.name, object=EVPN, cause="VPN configuration missing"),
            do=(configure(node.name, *_family(plan, node), "no advertise-all-vni"),),
            undo=(configure(node.name, *_family(plan, node), "advertise-all-vni"),),
            sights=(lost(own.name, address_of(other)),),
            touches=_joined(plan, vni),
        )


def _family(plan: FabricPlan, node: Node) -> Sequence[str]:
    """The lines that lead to a device's EVPN configuration."""
    text = plan.lab.files[node.name]["frr/bgpd.conf"] if plan.lab else ""
    router = next(line.strip() for line in text.splitlines() if line.strip().startswith("router bgp "))
    return (router, "address-family l2vpn evpn")


def _joined(plan: FabricPlan, vni: int) -> tuple[str, ...]:
    """Everything that a VXLAN joins: of two ends that are wrong, the one that is right would be the odd one."""
    joined = {name: None for node, number, own, _ in _ends(plan) if number == vni for name in (node.name, own.name)}
    return tuple(joined)


def _ends(plan: FabricPlan) -> Iterator[tuple[Node, int, Node, Node]]:
    """Devices with a VXLAN, its number, a host behind the device, and one behind another device of it."""
    lab = plan.lab
    by_name = {node.name: node for node in plan.nodes}
    numbers = {name: bridge.vni for name, bridge in lab.bridges.items() if bridge.vni is not None} if lab else {}
    behind = {
        name: host
        for name in numbers
        for port in by_name[name].interfaces
        if (host := by_name.get(port.peer.node)) is not None and not host.is_switch
    }
    for name, vni in numbers.items():
        others = [behind[each] for each in numbers if each != name and numbers[each] == vni and each in behind]
        if name in behind and others:
            yield by_name[name], vni, behind[name], others[0]
