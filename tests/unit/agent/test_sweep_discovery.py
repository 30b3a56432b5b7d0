"""What `sweeper` reads of LLDP in the words of every vendor, and whom it blames for what isn't heard."""

from pathlib import Path
from typing import Any

import pytest

from netopsbench.agent.design import designed
from netopsbench.agent.sweeper.discovery import read_heard, silent
from netopsbench.agent.sweeper.swept import Swept
from netopsbench.core.errors import ToolError
from netopsbench.vendors.names import NAMES, VENDORS, Vendor, prompt
from netopsbench.vendors.table import golden

_GOLDEN = Path(__file__).parents[1] / "vendors" / "golden"
_OFF: dict[Vendor, str] = {
    "huawei": "Info: Global LLDP is not enabled.",
    "h3c": "LLDP is not enabled.",
    "cisco": "% LLDP is not enabled",
    "arista": "% LLDP is not enabled",
    "sonic": "Error response from daemon: Container lldp is not running",
    "frr": "[WARN/control] unable to connect to socket /run/lldpd.socket: No such file or directory",
}
CABLES = (("r1", "eth1", "r2", "eth1"), ("r2", "eth2", "r3", "eth1"), ("r3", "eth2", "r1", "eth2"))
MISSING = "host information collection function missing"


@pytest.mark.parametrize("vendor", VENDORS)
def test_neighbors_are_read_in_the_words_of_every_vendor(vendor: Vendor) -> None:
    text = (_GOLDEN / vendor / "link_neighbors.txt").read_text(encoding="utf-8").partition("\n")[2]
    assert read_heard(text, NAMES[vendor]) == {("eth1", "spine1"), ("eth3", "client1")}


class Triangle:
    """Three routers of Cisco in a ring that print whom they hear; some say that LLDP is off, or are denied."""

    def __init__(self, unheard: set[tuple[str, str]], off: str = "", denied: str = "", down: str = "") -> None:
        self._unheard, self._off, self._denied, self._down = unheard, off, denied, down

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        if name == "get_topology":
            return _design()
        device, command = str(arguments["device"]), str(arguments["command"])
        return {"vendor": "cisco", "result": f"{prompt('cisco', device)}{command}\n{self._said(device, command)}"}

    def _said(self, device: str, command: str) -> str:
        if command == golden("cisco", "link_neighbors"):
            if device == self._denied:
                raise ToolError("No permission to perform the operation", "denied")
            return _OFF["cisco"] if device == self._off else self._table(device)
        if command == golden("cisco", "interface_detail"):
            return "\n".join(self._port(device, port) for port in ("eth1", "eth2"))
        return ""

    def _table(self, device: str) -> str:
        ends = [(a, p, b, q) for one in CABLES for a, p, b, q in (one, (*one[2:], *one[:2]))]
        rows = [
            f"{far:<20}{NAMES['cisco'].brief(own):<15}5          B,R             {NAMES['cisco'].of(port)}"
            for name, own, far, port in ends
            if name == device and (far, port) not in self._unheard
        ]
        return "\n".join(["Device ID           Local Intf     Hold-time  Capability      Port ID", *rows])

    def _port(self, device: str, port: str) -> str:
        state = "down" if f"{device}:{port}" == self._down else "up"
        return f"{NAMES['cisco'].of(port)} is {state}, line protocol is {state}\n  MTU 1500 bytes"


def _design() -> dict[str, Any]:
    links = [
        {
            "a": {"device": a, "interface": p, "address": f"10.0.{number}.1"},
            "b": {"device": b, "interface": q, "address": f"10.0.{number}.2"},
            "prefix": f"10.0.{number}.0/30",
            "mtu_bytes": 1500,
            "kind": "fabric",
        }
        for number, (a, p, b, q) in enumerate(CABLES)
    ]
    nothing = {"asn": 1, "loopback": None, "address": None, "attached_to": None}
    nodes = [{"name": name, "role": "router", **nothing} for name in ("r1", "r2", "r3")]
    return {"nodes": nodes, "links": links, "page": {"offset": 0, "returned": 3, "total": 3, "next_offset": None}}


def said(triangle: Triangle) -> set[tuple[str, str, str]]:
    return set(silent(Swept(triangle, designed(triangle))))


ALL_OF_R1 = {("r1", "eth1"), ("r1", "eth2")}


@pytest.mark.parametrize("denied", ["", "r1"])
def test_a_port_that_nobody_hears_is_blamed_with_and_without_its_own_word(denied: str) -> None:
    assert said(Triangle({("r1", "eth1")}, denied=denied)) == {("r1", "eth1", MISSING)}


def test_a_device_that_does_not_run_it_says_so_or_is_heard_by_none() -> None:
    assert said(Triangle(ALL_OF_R1, off="r1")) == {("r1", "lldp", MISSING)}
    assert said(Triangle(ALL_OF_R1, denied="r1")) == {("r1", "lldp", MISSING)}


def test_a_port_that_is_down_hears_nobody_and_blames_nobody() -> None:
    assert said(Triangle({("r1", "eth1")}, down="r2:eth1")) == set()


def test_nobody_is_blamed_where_all_are_heard() -> None:
    assert said(Triangle(set())) == set()


@pytest.mark.parametrize("vendor", _OFF)
def test_nobody_is_blamed_where_no_device_runs_it(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Triangle, "_table", lambda self, device: _OFF[vendor])
    assert said(Triangle(set())) == set()
