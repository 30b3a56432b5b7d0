"""Hosts whose gateway is a shared address: who is master is asked, and a healthy lab has nothing wrong with it."""

from typing import Any

import pytest

from netopsbench.agent.labs.checks import CHECKS
from netopsbench.agent.labs.facts import LabFacts
from netopsbench.agent.tracer.path_tracer import PathTracer
from netopsbench.core.errors import ToolError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Budget, Question
from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.table import golden

OFFICE = plan_fabric(load_spec("redundant_office"))
METRO = plan_fabric(load_spec("metro_overlay"))
_VENDORS: dict[str, Vendor] = {"gw1": "cisco", "gw2": "huawei", "core": "arista"}
_PAGE = {"total": 1, "offset": 0, "returned": 1, "next_offset": None}


def _topology(plan: FabricPlan) -> dict[str, Any]:
    held = {f"{node.name}:{port.name}": str(port.address.ip) for node in plan.nodes for port in node.interfaces}
    nodes = [
        {
            "name": node.name,
            "role": node.role,
            "asn": node.asn,
            "loopback": str(node.loopback) if node.loopback else None,
            "address": None if node.is_switch else str(node.interfaces[0].address.ip),
            "attached_to": node.attached_to,
        }
        for node in plan.nodes
    ]
    links = [
        {
            **{
                side: {"device": end.node, "interface": end.interface, "address": held[str(end)]}
                for side, end in (("a", link.a), ("b", link.b))
            },
            "prefix": str(link.prefix),
            "mtu_bytes": link.mtu,
            "kind": link.kind,
        }
        for link in plan.links
    ]
    return {"nodes": nodes, "links": links, "page": _PAGE}


class _Lines:
    """Command lines of the office; what isn't said is denied."""

    def __init__(self, said: dict[tuple[str, Need], str]) -> None:
        self._said = {(device, self._line(device, need)): text for (device, need), text in said.items()}
        self.typed: list[tuple[str, str]] = []

    def _line(self, device: str, need: Need) -> str:
        about = {"address": "10.72.1.10"} if need == "route_lookup" else {}
        return golden(_VENDORS.get(device, "linux"), need, about)

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        if name == "get_topology":
            return _topology(OFFICE)
        device, line = arguments["device"], arguments["command"]
        self.typed.append((device, line))
        if line != "?" and (device, line) not in self._said:
            raise ToolError("No permission to perform the operation", "denied")
        result = f"{device}#{line}\n{self._said.get((device, line), '')}"
        return {"vendor": _VENDORS.get(device, "linux"), "result": result}


_WAY: dict[tuple[str, Need], str] = {
    ("pc1", "route_lookup"): "10.72.1.10 via 10.70.0.1 dev eth0 src 10.70.0.11 uid 0\n    cache\n",
    ("pc1", "arp"): "10.70.0.1 dev eth0 lladdr 00:00:5e:00:01:01 REACHABLE\n",
    ("gw1", "route_lookup"): "Routing entry for 10.72.1.0/24\n  * 10.71.1.1, via GigabitEthernet0/1\n",
    ("gw2", "route_lookup"): "10.72.1.0/24  OSPF  10  20  D  10.71.2.1  GigabitEthernet0/0/1\n",
    ("core", "route_lookup"): "C  10.72.1.0/24 is directly connected, Ethernet3\n",
}
_CISCO = "Gi0/2              {}   200 500   {}      10.70.0.2       {}\n"
_HUAWEI = "{}     {}       GigabitEthernet0/0/2     100      500        {}\n"


def _groups(first: str, second: str) -> dict[tuple[str, Need], str]:
    """What both routers show when gw1's part in group 1 is `first`, and gw2's is `second`."""
    return {
        ("gw1", "vrrp"): _CISCO.format(1, first, "10.70.0.1") + _CISCO.format(2, "Backup", "10.70.0.254"),
        ("gw2", "vrrp"): _HUAWEI.format(1, second, "10.70.0.1") + _HUAWEI.format(2, "Master", "10.70.0.254"),
    }


def _traced(said: dict[tuple[str, Need], str]) -> list[str]:
    question = Question(
        task="path",
        text="packets from pc1 (10.70.0.11) to files1 (10.72.1.10) take",
        labels=(),
        budget=Budget(wall_time_s=60, tool_calls=50),
        answer_schema={},
    )
    return PathTracer().answer(question, _Lines(said)).reasoning.splitlines()[1:-1]


BY_GW1 = "pc1_eth0->gw1_GigabitEthernet0/1->core_Ethernet3->files1"
BY_GW2 = "pc1_eth0->gw2_GigabitEthernet0/0/1->core_Ethernet3->files1"


@pytest.mark.parametrize(("first", "second", "way"), [("Master", "Backup", BY_GW1), ("Backup", "Master", BY_GW2)])
def test_the_tracer_goes_by_the_router_that_is_master_now(first: str, second: str, way: str) -> None:
    assert _traced({**_WAY, **_groups(first, second)}) == [way]


def test_a_master_that_may_not_be_asked_is_who_no_other_router_is() -> None:
    both = _groups("Master", "Backup")
    assert _traced({**_WAY, ("gw2", "vrrp"): both["gw2", "vrrp"]}) == [BY_GW1]
    other = _groups("Backup", "Master")
    assert _traced({**_WAY, ("gw1", "vrrp"): other["gw1", "vrrp"]}) == [BY_GW2]


def test_where_nobody_tells_of_groups_the_design_does() -> None:
    assert _traced(_WAY) == [BY_GW1]


def test_no_way_leads_to_an_address_for_which_nobody_answers() -> None:
    lost = {key: text.replace("10.70.0.1 ", "10.70.0.77 ") for key, text in _WAY.items()}
    assert _traced({**lost, **_groups("Master", "Backup")}) == [""]
    assert _traced({**_WAY, **_groups("Backup", "Backup")}) == [""]


class _Looks:
    """What a look at each device of a healthy lab shows; parts can be changed."""

    def __init__(self, plan: FabricPlan, changed: dict[str, dict[str, str]]) -> None:
        self._plan = plan
        self._looks = {node.name: {**_look(plan, node.name), **changed.get(node.name, {})} for node in plan.nodes}

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        if name == "get_topology":
            return _topology(self._plan)
        text = "\n".join(f"== {part}\n{shown}" for part, shown in self._looks[arguments["device"]].items())
        return {"lines": text.splitlines(), "page": _PAGE}


def _look(plan: FabricPlan, name: str) -> dict[str, str]:
    """As the plan has it: ports, addresses, default route, routing configuration."""
    assert plan.lab is not None
    node = next(each for each in plan.nodes if each.name == name)
    bridge, files = plan.lab.bridges.get(name), plan.lab.files[name]
    joined = bridge.ports if bridge is not None else ()
    links = "\n".join(
        f"{number}: {port.name}@if9: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc noqueue "
        f"{'master br0 ' if port.name in joined else ''}state UP"
        for number, port in enumerate(node.interfaces, start=2)
    )
    shared = [
        f"8: vrrp{each.group}-{each.interface}    inet {each.address}/32" for each in plan.lab.standby.get(name, ())
    ]
    own = [f"2: {port.name}    inet {port.address} scope global" for port in node.interfaces]
    running = "\n".join(text for path, text in files.items() if path.startswith("frr/"))
    daemons = " ".join(node.daemons)
    return {
        "links": links,
        "addresses": "\n".join([*own, *shared]),
        "routes": f"default via {node.gateway} dev eth0" if node.gateway else "",
        "forwarding": "1" if node.is_switch else "0",
        "configured": " ".join(f"{each}.conf" for each in node.daemons),
        "processes": daemons,
        "running": running,
    }


def _troubles(plan: FabricPlan, **changed: dict[str, str]) -> list[tuple[str, str]]:
    facts = LabFacts(_Looks(plan, changed))
    return [(trouble.device, trouble.cause) for check in CHECKS for trouble in check(facts)]


@pytest.mark.parametrize("plan", [OFFICE, METRO], ids=lambda plan: plan.name)
def test_a_healthy_lab_with_bridges_and_shared_gateways_has_no_trouble(plan: FabricPlan) -> None:
    assert _troubles(plan) == []


def test_a_gateway_that_nobody_on_the_lan_answers_for_is_wrong_and_the_address_of_a_bridge_is_none() -> None:
    meant = "10.70.0.1 or 10.70.0.254 or 10.70.0.2 or 10.70.0.3"
    for wrong in ("10.70.0.99", "10.70.0.134"):
        found = _troubles(OFFICE, pc1={"routes": f"default via {wrong} dev eth0"})
        assert found == [("pc1", f"wrong default gateway {wrong} instead of {meant}")]
    # A router's own address leads out too.
    assert _troubles(OFFICE, pc1={"routes": "default via 10.70.0.3 dev eth0"}) == []


def test_a_missing_default_route_is_told_where_there_is_a_router_and_not_where_there_is_none() -> None:
    assert _troubles(OFFICE, pc2={"routes": ""}) == [
        ("pc2", "there is no default route, the default gateway is missing")
    ]
    assert _troubles(METRO, shop1={"routes": ""}) == []
