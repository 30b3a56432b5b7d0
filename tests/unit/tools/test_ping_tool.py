"""What `ping_test` asks its prober for, and the prober itself on a loopback of its own."""

import json
import shutil
import subprocess
import sys

import pytest
from printing import PrintingFabric

from netopsbench.core.errors import ToolError
from netopsbench.tools.context import ToolContext
from netopsbench.tools.packets.ping_test import ping_test

REPLY = [
    {"source_port": 35000, "packets_sent": 2, "rtt_ms": [0.2, 0.4], "answered_by": "192.168.102.2", "error": None},
    {"source_port": 35001, "packets_sent": 2, "rtt_ms": [], "answered_by": None, "error": "No route to host, said x"},
]


def test_replies_are_added_up_per_port(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.beside = ["echo", json.dumps(REPLY)]
    shown = ping_test(context, "client1", "client3", source_ports=2)
    assert (shown.packets_sent, shown.packets_answered, shown.loss_pct) == (4, 2, 50.0)
    assert (shown.rtt_min_ms, shown.rtt_max_ms) == (0.2, 0.4)
    assert shown.rtt_avg_ms == pytest.approx(0.3)
    assert shown.replies[1].error == "No route to host, said x"
    assert shown.address == "192.168.102.2"
    assert shown.method == "UDP from ports 35000 to 35001 to port 33434, 2 probes each, 64 bytes"


def test_a_switch_is_pinged_at_its_loopback(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.beside = ["echo", "[]"]
    assert ping_test(context, "leaf1", "spine1").address == "10.255.0.1"
    assert ping_test(context, "leaf1", "10.1.2.3").address == "10.1.2.3"


@pytest.mark.parametrize(("device", "target"), [("leaf9", "client1"), ("client1", "leaf9"), ("client1", "10.0.0.256")])
def test_unknown_ends_are_refused(device: str, target: str, context: ToolContext) -> None:
    with pytest.raises(ToolError, match="there is no device"):
        ping_test(context, device, target)


def test_a_prober_that_dies_is_an_error(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.beside = ["true"]
    with pytest.raises(ToolError, match="could not be sent"):
        ping_test(context, "client1", "client3")


NAMESPACE = ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
LOOPBACK = """
import json, os, socket, subprocess, sys
from netopsbench.fabric import netlink
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
request = json.loads(sys.argv[1])
if request.pop("echo"):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", request["destination_port"]))
    if os.fork() == 0:
        while True:
            payload, peer = server.recvfrom(65536)
            server.sendto(payload, peer)
request["pid"] = os.getpid()
prober = [sys.executable, "-m", "netopsbench.tools.packets.ping_probe"]
done = subprocess.run(prober, input=json.dumps(request), text=True, capture_output=True)
sys.stderr.write(done.stderr)
print(done.stdout)
"""


def probed(**changes: object) -> list[dict[str, object]]:
    """Runs the prober in a network namespace with nothing but a loopback."""
    if shutil.which("ip") is None:
        pytest.skip("iproute2 is missing")
    request = {
        "echo": False, "address": "127.0.0.1", "protocol": "udp", "source_ports": [35000, 35001],
        "destination_port": 33434, "count": 2, "size_bytes": 64, "dont_fragment": False, "wait_s": 2, **changes,
    }  # fmt: skip
    argv = [*NAMESPACE, sys.executable, "-c", LOOPBACK, json.dumps(request)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    if "unshare" in done.stderr:
        pytest.skip(f"no user namespaces here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    reply: list[dict[str, object]] = json.loads(done.stdout)
    return reply


@pytest.mark.parametrize("echo", [True, False], ids=["an echo port", "a closed port"])
def test_udp_probes_are_answered_by(echo: bool) -> None:
    for port in probed(echo=echo):
        assert (port["packets_sent"], port["answered_by"], port["error"]) == (2, "127.0.0.1", None)
        assert isinstance(port["rtt_ms"], list)
        assert len(port["rtt_ms"]) == 2
        assert all(0 < rtt_ms < 2000 for rtt_ms in port["rtt_ms"])


def test_icmp_probes_are_answered() -> None:
    (port,) = probed(protocol="icmp", count=3)
    assert (port["source_port"], port["packets_sent"], port["answered_by"]) == (None, 3, "127.0.0.1")
    assert isinstance(port["rtt_ms"], list)
    assert len(port["rtt_ms"]) == 3


def test_a_device_without_a_route_says_so_itself() -> None:
    for port in probed(address="192.0.2.7"):
        assert (port["packets_sent"], port["rtt_ms"]) == (2, [])
        assert port["error"] == "Network is unreachable, said the device itself"


def test_a_probe_too_large_for_the_port_is_told() -> None:
    for port in probed(size_bytes=65_400, dont_fragment=True, address="127.0.0.1", echo=True):
        assert port["rtt_ms"]
    for port in probed(size_bytes=65_507 + 8, dont_fragment=True):
        assert "Message too long" in str(port["error"])
