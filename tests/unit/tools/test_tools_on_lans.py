"""Tools in labs with LANs, whose bridges are no devices."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from printing import PrintingFabric

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import node
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.get_bgp_neighbors import get_bgp_neighbors
from netopsbench.tools.devices.get_link_neighbors import get_link_neighbors
from netopsbench.tools.packets.trace_flow import trace_flow

NAMESPACE = ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


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


def test_a_bridge_answers_for_its_port_with_the_hardware_address_of_another() -> None:
    plan = plan_fabric(load_spec("redundant_office"))
    fabric = PrintingFabric(plan)
    fabric.printed = json.dumps([{"ifname": "eth0", "flags": ["UP", "LOWER_UP"]}])
    macs = {f"{each.name}:{port.name}": port.mac for each in plan.nodes for port in each.interfaces}
    fabric.beside = ["echo", json.dumps({"sw1:eth4": macs["sw1:eth1"]})]
    found = get_link_neighbors(_context(plan, fabric), "pc4").neighbors
    assert [(each.designed_peer, each.actual_peer) for each in found] == [("sw1:eth4", "sw1:eth4")]
    fabric.beside = ["echo", json.dumps({"sw1:eth4": macs["sw3:eth4"]})]
    crossed = get_link_neighbors(_context(plan, fabric), "pc4").neighbors
    assert [each.actual_peer for each in crossed] == ["sw3:eth4"]


def test_the_tracer_knows_who_is_on_a_lan_made_of_cables(tmp_path: Path) -> None:
    plan = plan_fabric(load_spec("redundant_office"))
    fabric, told = PrintingFabric(plan), tmp_path / "layout.json"
    path = ["pc1:eth0>gw1:eth2", "gw1:eth1", "core:eth3"]
    kept = f"read -r layout; echo \"$layout\" > {told}; read -r flows; echo '{json.dumps([path])}'"
    fabric.beside = ["bash", "-c", kept]
    shown = trace_flow(_context(plan, fabric), "pc1", "files1", source_port=1)
    assert [hop.next_device for hop in shown.hops] == ["gw1", "core", "files1"]
    layout = json.loads(told.read_text())
    assert layout["lans"]["pc1:eth0"]["10.70.0.12"] == ["pc2", "eth0"]
    assert "10.70.0.131" not in layout["lans"]["pc1:eth0"]
    assert layout["gateways"]["10.70.0.11"] in layout["lans"]["pc1:eth0"]
    assert not {"sw1:eth1", "core:eth1"} & layout["lans"].keys()


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


BRIDGES = """
import json, os, subprocess, sys, time

def run(words, pid=None):
    enter = ["nsenter", "--target", str(pid), "--net"] if pid else []
    subprocess.run([*enter, "ip", *words.split()], check=True)

far = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
while os.readlink(f"/proc/{far.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
    pass
run(f"link add eth1 type veth peer name eth2 netns {far.pid}")
for pid, port, address in ((None, "eth1", "10.0.0.1"), (far.pid, "eth2", "10.0.0.2")):
    run("link add br0 type bridge stp_state 0 mcast_snooping 0", pid)
    run(f"addr add {address}/24 dev {port}", pid)
    for words in ("lo up", f"{port} master br0 up", "br0 up"):
        run(f"link set dev {words}", pid)
asked = [["there", "eth1", "10.0.0.1", "10.0.0.2"], ["nobody", "eth1", "10.0.0.1", "10.0.0.9"]]
asked.append(["gone", "eth7", "10.0.0.1", "10.0.0.2"])
request = json.dumps({"pid": os.getpid(), "ports": asked, "wait_s": 0.4})
probe = [sys.executable, "-m", "netopsbench.tools.packets.arp_probe"]
deadline, answers = time.monotonic() + 10, {}
# A bridge takes a port for one with carrier only a while after it has it.
while not answers and time.monotonic() < deadline:
    done = subprocess.run(probe, input=request, text=True, capture_output=True, check=True)
    answers = json.loads(done.stdout)
mac = subprocess.run(["nsenter", "-t", str(far.pid), "-n", "ip", "-j", "link", "show", "br0"], capture_output=True)
print(json.dumps({"answers": answers, "mac": json.loads(mac.stdout)[0]["address"]}))
far.kill()
"""


def test_a_port_in_a_bridge_hears_who_answers_behind_it() -> None:
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    if shutil.which("ip") is None:
        pytest.skip("iproute2 is missing")
    done = subprocess.run([*NAMESPACE, sys.executable, "-c", BRIDGES], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["answers"] == {"there": told["mac"]}
