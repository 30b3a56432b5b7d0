"""A fabric without an engine: clients in namespaces, joined by a bridge, as an ordinary user can have them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

import pytest

from netopsbench.core.process import Completed, run
from netopsbench.fabric.engine import Wire
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.fabric.spec import Timers
from netopsbench.records.names import Port

SANDBOX = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"]
HERE = Path(__file__).parent


def star_plan(clients: int) -> FabricPlan:
    """Clients client1… on one leaf, at 10.0.0.1…."""
    nodes = tuple(
        Node(
            name=f"client{number}",
            role="client",
            attached_to="leaf1",
            gateway=IPv4Address("10.0.0.254"),
            interfaces=(
                Interface(
                    name="eth1",
                    mac=f"02:00:00:00:00:{number:02x}",
                    address=IPv4Interface(f"10.0.0.{number}/24"),
                    mtu=9100,
                    peer=Port(node="leaf1", interface=f"eth{number}"),
                    link=f"client{number}-leaf1",
                ),
            ),
        )
        for number in range(1, clients + 1)
    )
    leaf = Node(name="leaf1", role="leaf", asn=65011)
    return FabricPlan(name="star", digest="", nodes=(leaf, *nodes), links=(), mtu=9100, timers=Timers(), seed=1)


class StarFabric:
    """A `Fabric` of clients on one bridge."""

    def __init__(self, clients: int) -> None:
        self.plan = star_plan(clients)
        argv = [*SANDBOX, "--mount-proc", sys.executable, str(HERE / "tiny_sandbox.py"), str(clients)]
        self._sandbox = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._sandbox.stdout is not None
        line = self._sandbox.stdout.readline()
        if not line:
            self.destroy()
            pytest.skip("this machine has no working user namespaces")
        self._pids: dict[str, int] = {f"client{number + 1}": pid for number, pid in enumerate(json.loads(line))}
        unshare = self._sandbox.pid
        children = Path(f"/proc/{unshare}/task/{unshare}/children").read_text().split()
        self._enter = ["nsenter", "--target", children[0], "--user", "--preserve-credentials"]
        self._enter += ["--net", "--mount", "--pid", "--"]

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        return self.exec_wire(["nsenter", "--target", str(self.pid(node)), "--net", *argv], stdin=stdin)

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        return run([*self._enter, *argv], timeout_s=timeout_s, stdin=stdin)

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*self._enter, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def pid(self, node: str) -> int:
        return self._pids[node]

    def wire(self, link: str) -> Wire:
        raise NotImplementedError(link)

    def destroy(self) -> None:
        if self._sandbox.stdin is not None and self._sandbox.stdout is not None:
            self._sandbox.stdin.close()
            self._sandbox.wait(10)
            self._sandbox.stdout.close()


@contextmanager
def star_running(clients: int) -> Iterator[StarFabric]:
    fabric = StarFabric(clients)
    try:
        yield fabric
    finally:
        fabric.destroy()
