"""Tools in labs with LANs, whose bridges are no devices."""

import json

import pytest
from printing import PrintingFabric

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import node
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.context import ToolContext
from netopsbench.tools.get_bgp_neighbors import get_bgp_neighbors
from netopsbench.tools.get_link_neighbors import get_link_neighbors
from netopsbench.tools.trace_flow import trace_flow


@pytest.fixture(scope="module")
def office() -> FabricPlan:
    return plan_fabric(load_spec("rip_office"))


def _context(plan: FabricPlan, fabric: PrintingFabric) -> ToolContext:
    window = Window(since_ns=0, until_ns=1)
    return ToolContext(plan=plan, fabric=fabric, store=MemoryStore(), baseline=window, current=window)


def test_everybody_on_a_lan_is_asked_for_and_told_apart(office: FabricPlan) -> None:
    fabric = PrintingFabric(office)
    fabric.printed = json.dumps([{"ifname": name, "flags": ["UP", "LOWER_UP"]} for name in ("eth0", "eth1")])
    mac = node(office, "pc20").interfaces[0].mac
    fabric.beside = ["echo", json.dumps({"pc20:eth0": mac})]
    found = get_link_neighbors(_context(office, fabric), "depot").neighbors
    assert [(each.interface, each.designed_peer, each.actual_peer) for each in found] == [
        ("eth0", "hq:eth2", None),
        ("eth1", "pc19:eth0", None),
        ("eth1", "pc20:eth0", "pc20:eth0"),
    ]


def test_sessions_over_a_lan_are_named_and_none_is_missed_where_none_is_meant(office: FabricPlan) -> None:
    fabric = PrintingFabric(office)
    fabric.returncode = 1
    silent = get_bgp_neighbors(_context(office, fabric), "office1")
    assert (silent.is_running, silent.missing, silent.message) == (False, (), "by design it speaks no BGP")
    speakers = ("hq", "office1", "office2")
    nodes = tuple(each.model_copy(update={"asn": 65000}) if each.name in speakers else each for each in office.nodes)
    spoken = office.model_copy(update={"nodes": nodes})
    fabric = PrintingFabric(spoken)
    fabric.printed = json.dumps({"ipv4Unicast": {"peers": {"10.20.0.10": {"state": "Established"}}}})
    found = get_bgp_neighbors(_context(spoken, fabric), "office1")
    assert [each.peer for each in found.neighbors] == ["hq:eth0"]
    assert found.missing == ("office2:eth0",)


def test_a_flow_over_lans_names_who_takes_it_there(office: FabricPlan) -> None:
    fabric = PrintingFabric(office)
    path = ["pc1:eth0>office1:eth1", "office1:eth0>hq:eth0", "hq:eth2", "depot:eth1>pc19:eth0"]
    fabric.beside = ["sh", "-c", f"read layout; read flows; echo '{json.dumps([path])}'"]
    shown = trace_flow(_context(office, fabric), "pc1", "pc19", source_port=1)
    assert [(hop.device, hop.in_interface, hop.next_device) for hop in shown.hops] == [
        ("pc1", None, "office1"),
        ("office1", "eth1", "hq"),
        ("hq", "eth0", "depot"),
        ("depot", "eth0", "pc19"),
    ]
    assert (shown.is_complete, shown.message) == (True, "")
