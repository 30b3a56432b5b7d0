"""Agents for tickets without a model: one believes, one guesses, one looks first."""

from typing import Any

import pytest

from netopsbench.agent.labs.checks_first import ChecksFirst
from netopsbench.agent.labs.facts import _ports
from netopsbench.agent.ticket_agents import Believer, RandomDevice
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.tools.results import TopologyLink

HEALTHY_ROUTER = {
    "links": "1: lo: <LOOPBACK,UP> mtu 1\n2: eth0@if5: <BROADCAST,UP,LOWER_UP> mtu 1\n3: eth1@if6: <UP> mtu 1",
    "forwarding": "1",
    "configured": "bgpd.conf\nzebra.conf",
    "processes": "zebra\nbgpd",
    "running": "router bgp 1\n neighbor 10.0.0.2 remote-as 2\n address-family ipv4\n  network 10.1.0.0/24\nexit",
}
HEALTHY_PC = {
    "links": "2: eth0@if7: <BROADCAST,UP,LOWER_UP> mtu 1",
    "addresses": "2: eth0    inet 10.1.0.2/24 scope global eth0",
    "routes": "default via 10.1.0.1 dev eth0",
}


class Shop:
    """Two routers and a machine behind the first; what a look prints can be changed."""

    def __init__(self, **changed: dict[str, str]) -> None:
        peer = (
            HEALTHY_ROUTER["running"].replace("bgp 1", "bgp 2").replace("10.0.0.2 remote-as 2", "10.0.0.1 remote-as 1")
        )
        second = {**HEALTHY_ROUTER, "running": peer}
        self.looks = {"r1": dict(HEALTHY_ROUTER), "r2": second, "pc1": dict(HEALTHY_PC)}
        for device, parts in changed.items():
            self.looks[device].update(parts)

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        page = {"offset": 0, "returned": 1, "total": 1, "next_offset": None}
        if name == "exec_shell":
            text = "\n".join(f"== {part}\n{shown}" for part, shown in self.looks[arguments["device"]].items())
            return {"lines": text.splitlines(), "page": page}
        nodes = [
            {"name": "pc1", "role": "host", "asn": None, "loopback": None, "address": "10.1.0.2", "attached_to": "r1"},
            {"name": "r1", "role": "router", "asn": 1, "loopback": None, "address": None, "attached_to": None},
            {"name": "r2", "role": "router", "asn": 2, "loopback": None, "address": None, "attached_to": None},
        ]
        links = [
            _link(("r1", "eth0", "10.0.0.1"), ("r2", "eth0", "10.0.0.2"), "10.0.0.0/30", "fabric"),
            _link(("r1", "eth1", "10.1.0.1"), ("pc1", "eth0", "10.1.0.2"), "10.1.0.0/24", "client"),
        ]
        return {"nodes": nodes, "links": links, "page": page}


def _link(a: tuple[str, str, str], b: tuple[str, str, str], prefix: str, kind: str) -> dict[str, Any]:
    ends = [dict(zip(("device", "interface", "address"), end, strict=True)) for end in (a, b)]
    return {"a": ends[0], "b": ends[1], "prefix": prefix, "mtu_bytes": 1500, "kind": kind}


def _question(ticket: str) -> Question:
    return Question(
        task="ticket",
        text=f"You are on call.\n\nThe ticket:\n{ticket}",
        labels=(),
        budget=Budget(wall_time_s=10, tool_calls=10),
        answer_schema={},
    )


def _blamed(answer: Answer) -> list[str]:
    return [finding.location.device for finding in answer.findings]


@pytest.mark.parametrize(
    ("ticket", "device"),
    [
        ("pc1 is cut off, surely by r2", "r2"),
        ("pc1 is cut off", "pc1"),
        ("r2, no: r1, it must be r1", "r1"),
        ("nothing works at 10.1.0.2", "pc1"),
    ],
)
def test_the_believer_blames_what_the_ticket_mentions(ticket: str, device: str) -> None:
    answer = Believer().answer(_question(ticket), Shop())
    assert answer.verdict == "fault_detected"
    assert _blamed(answer) == [device]


def test_a_longer_name_is_no_mention() -> None:
    assert _blamed(Believer().answer(_question("r20 is dead, and so is r1"), Shop())) == ["r1"]


def test_chance_depends_on_the_seed_alone() -> None:
    blamed = [_blamed(RandomDevice(seed).answer(_question("r1"), Shop())) for seed in (1, 1, 2, 3, 4, 5)]
    assert blamed[0] == blamed[1]
    assert len({tuple(each) for each in blamed}) > 1


def test_checks_first_finds_a_healthy_network_healthy_whatever_the_ticket_says() -> None:
    answer = ChecksFirst().answer(_question("r2 is dead, restart it"), Shop())
    assert (answer.verdict, answer.findings) == ("network_healthy", ())


@pytest.mark.parametrize(
    ("device", "part", "old", "new", "cause", "fix"),
    [
        (
            "r1",
            "links",
            "eth0@if5: <BROADCAST,UP,LOWER_UP>",
            "eth0@if5: <BROADCAST>",
            "eth0 is down",
            "ip link set eth0 up",
        ),
        ("r2", "processes", "bgpd", "", "bgpd is not running", "/etc/init.d/frr start"),
        ("r2", "forwarding", "1", "0", "IP forwarding is off", "sysctl -qw net.ipv4.ip_forward=1"),
        ("r1", "running", "remote-as 2", "remote-as 3", "wrong remote-as 3", "neighbor 10.0.0.2 remote-as 2"),
        ("r1", "running", "  network 10.1.0.0/24\n", "", "network statement is missing", "network 10.1.0.0/24"),
        ("pc1", "routes", "10.1.0.1", "10.1.0.9", "wrong default gateway 10.1.0.9", "default via 10.1.0.1"),
        ("pc1", "routes", "default via 10.1.0.1 dev eth0", "", "no default route", "default via 10.1.0.1"),
        ("pc1", "addresses", "10.1.0.2/24", "10.1.0.2/31", "netmask", "ip addr add 10.1.0.2/24 dev eth0"),
    ],
)
def test_checks_first_finds_what_differs_from_the_design(
    device: str, part: str, old: str, new: str, cause: str, fix: str
) -> None:
    shop = Shop()
    assert old in shop.looks[device][part]
    shop.looks[device][part] = shop.looks[device][part].replace(old, new)
    answer = ChecksFirst().answer(_question("all is well"), shop)
    assert _blamed(answer) == [device]
    assert cause in answer.reasoning
    assert fix in answer.metadata["fix"][0]["run"]


def test_checks_first_finds_what_was_added() -> None:
    added = {
        "rules": "table inet edge {\n chain x {\n  ip protocol icmp drop\n }\n}",
        "routes": "blackhole 10.9.0.0/24 proto 196",
        "services": "dns is stopped",
    }
    answer = ChecksFirst().answer(_question("all is well"), Shop(r2=added))
    assert set(_blamed(answer)) == {"r2"}
    fixes = [each["run"] for each in answer.metadata["fix"]]
    assert fixes[0] == "nft delete table inet edge"
    assert "no ip route 10.9.0.0/24 blackhole" in fixes[1]
    assert fixes[2] == "/etc/init.d/dns start"


def test_ports_on_a_lan_made_of_cables_face_the_other_end_of_their_cable() -> None:
    plan = plan_fabric(load_spec("redundant_office"))
    held = {f"{each.name}:{port.name}": str(port.address.ip) for each in plan.nodes for port in each.interfaces}
    links = tuple(
        TopologyLink.model_validate(
            _link(
                (link.a.node, link.a.interface, held[str(link.a)]),
                (link.b.node, link.b.interface, held[str(link.b)]),
                str(link.prefix),
                link.kind,
            )
        )
        for link in plan.links
    )
    ports = _ports(links, frozenset(node.name for node in plan.nodes))
    facing = {f"{port.device}:{port.interface}": {name for name, _ in port.facing} for port in ports}
    assert (facing["sw1:eth1"], facing["sw1:eth3"], facing["gw1:eth2"]) == ({"sw2"}, {"gw1"}, {"sw1"})
    assert facing["sw3:eth1"] == {"sw1"}
