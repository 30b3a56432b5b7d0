"""The path that the tables tell is the path that packets take, and the mesh crosses every link."""

import json
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath

import pytest
from mesh_flows import mesh_flows

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.flows import Flow, Path, tracing, unprobed_ports
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.queries import client_address, clients
from netopsbench.fabric.render import render_files

pytestmark = pytest.mark.live


@contextmanager
def running(engine: NativeEngine, scale: str) -> Iterator[NativeFabric]:
    plan = plan_fabric(load_spec(scale))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=180)
        yield fabric
    finally:
        fabric.destroy()


def switches_on(path: Path) -> list[str]:
    return [port.partition(":")[0] for port in path[1:]]


def traced(fabric: NativeFabric, flows: list[Flow]) -> list[list[str]]:
    """Switches that real packets of each flow pass, by the answers to packets whose time to live ran out."""
    owner = {str(port.address.ip): node.name for node in fabric.plan.nodes for port in node.interfaces}
    owner |= {str(node.loopback): node.name for node in fabric.plan.nodes if node.loopback}
    client_of = {client_address(node): node.name for node in clients(fabric.plan)}
    process = fabric.spawn([sys.executable, str(FilePath(__file__).with_name("packet_trace.py"))])
    assert process.stdin is not None
    assert process.stdout is not None
    found = []
    try:
        for number, flow in enumerate(flows):
            request = {
                "pid": fabric.pid(client_of[flow.source]),
                # The kernel gives packets of connected sockets a hash of their own; it must not choose their way.
                "connects": number % 2 == 1,
                "flow": [str(flow.source), str(flow.destination), flow.source_port, flow.destination_port],
            }
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            found.append([owner[address] for address in json.loads(process.stdout.readline())])
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()
    return found


@pytest.mark.parametrize(
    ("scale", "sampled"), [("medium", 100), pytest.param("fat-tree-k12", 200, marks=pytest.mark.slow)]
)
def test_told_paths_are_those_of_real_packets_and_the_mesh_crosses_every_link(
    engine: NativeEngine, scale: str, sampled: int
) -> None:
    with running(engine, scale) as fabric, tracing(fabric) as tracer:
        flows = mesh_flows(fabric.plan)
        paths = tracer.paths(flows)
        assert unprobed_ports(fabric.plan, paths) == ()
        chosen = random.Random(5).sample(range(len(flows)), sampled)
        assert traced(fabric, [flows[number] for number in chosen]) == [switches_on(paths[number]) for number in chosen]


def test_a_flow_without_a_way_ends_at_the_switch_that_has_none(engine: NativeEngine) -> None:
    with running(engine, "xs") as fabric, tracing(fabric) as tracer:
        flow = Flow(
            source=client_address(clients(fabric.plan)[0]),
            destination=client_address(clients(fabric.plan)[1]),
            source_port=33000,
            destination_port=33434,
        )
        assert tracer.paths([flow])[0][-1] == "leaf2:eth3"
        fabric.exec("leaf1", ["ip", "route", "add", "blackhole", f"{flow.destination}/32"])
        assert tracer.paths([flow]) == [("client1:eth1",)]
