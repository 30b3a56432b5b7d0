"""LLDP on a lab's routers: which cables it is heard over, what lldpd tells, and the filter that it starts behind."""

import json
import struct
from typing import Any

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.lldp import lldp_cables, read_neighbors, setgroups_filter, unheard
from netopsbench.fabric.labs.spec import Lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.fabric.spec import FabricSpec

X86_64, ARM64, RISCV64 = 0xC000003E, 0xC00000B7, 0xC00000F3
ALLOWED, SUCCEEDS = 0x7FFF0000, 0x00050000


def _pair(r2: str = "true", more: dict[str, str] | None = None) -> FabricPlan:
    """Two routers with a cable and a segment between them."""
    lab = {
        "kind": "lab",
        "nodes": {
            "r1": {
                "kind": "router",
                "lldp": True,
                "interfaces": {"eth1": "10.0.0.1/24", "eth2": "10.0.1.1/24"},
                "files": more or {},
            },
            "r2": {"kind": "router", "lldp": r2, "interfaces": {"eth1": "10.0.0.2/24", "eth2": "10.0.1.2/24"}},
        },
        "links": [["r1:eth2", "r2:eth2"]],
        "segments": {"office": ["r1:eth1", "r2:eth1"]},
    }
    return plan_fabric(FabricSpec(name="pair", mtu=1500, topology=Lab.model_validate(lab)))


def _shown(*neighbors: tuple[str, str, str]) -> dict[str, Any]:
    """As `lldpcli -f json0 show neighbors` of lldpd 1.0.16 prints it: own port, device, its port."""
    entries = [
        {
            "name": own,
            "via": "LLDP",
            "rid": "1",
            "age": "0 day, 00:00:03",
            "chassis": [
                {
                    "id": [{"type": "mac", "value": "02:4e:00:01:00:01"}],
                    "name": [{"value": device}],
                    "descr": [{"value": "Linux"}],
                    "capability": [{"type": "Bridge", "enabled": False}, {"type": "Router", "enabled": True}],
                }
            ],
            "port": [{"id": [{"type": "ifname", "value": port}], "descr": [{"value": port}], "ttl": [{"value": "5"}]}],
        }
        for own, device, port in neighbors
    ]
    return {"lldp": [{"interface": entries} if entries else {}]}


def test_it_is_expected_over_cables_between_two_that_speak_it_and_not_over_segments() -> None:
    assert {(str(a), str(b)) for a, b in lldp_cables(_pair())} == {("r1:eth2", "r2:eth2"), ("r2:eth2", "r1:eth2")}
    assert list(lldp_cables(_pair(r2="false"))) == []
    assert list(lldp_cables(plan_fabric(load_spec("simple_bgp")))) == []


def test_cables_between_bridges_of_a_lan_count_and_those_to_hosts_do_not() -> None:
    cables = {(str(a), str(b)) for a, b in lldp_cables(plan_fabric(load_spec("redundant_office")))}
    assert {("sw1:eth1", "sw2:eth1"), ("gw1:eth2", "sw1:eth3")} <= cables
    assert not any(end.startswith(("pc", "files")) for pair in cables for end in pair)


def test_its_ports_are_named_in_the_settings_and_only_where_it_runs() -> None:
    files = render_files(_pair(r2="false"))
    assert "configure system interface pattern eth1,eth2\n" in files["r1"]["lldpd.conf"]
    assert not {"lldpd.conf", "init.d/lldp"} & files["r2"].keys()


def test_a_file_that_it_writes_itself_is_refused() -> None:
    with pytest.raises(SpecError, match=r"init\.d/lldp"):
        _pair(more={"init.d/lldp": "#!/bin/sh\n"})


def test_neighbors_are_read_in_the_order_of_the_ports() -> None:
    second, first = read_neighbors(_shown(("eth2", "r3", "eth0"), ("eth1", "r2", "eth7")))[::-1]
    assert (first.interface, first.device, first.port) == ("eth1", "r2", "eth7")
    assert (second.interface, second.mac, second.ttl_s, second.capabilities) == (
        "eth2",
        "02:4e:00:01:00:01",
        5,
        ("Router",),
    )


@pytest.mark.parametrize("shown", [_shown(), {"lldp": []}, {}, None])
def test_nobody_is_heard_where_nothing_is_told(shown: object) -> None:
    assert read_neighbors(shown) == ()


def test_a_neighbor_that_is_not_heard_is_told_at_the_port_that_does_not_hear_it() -> None:
    heard = json.dumps(_shown(("eth2", "r2", "eth2")))
    back = json.dumps(_shown(("eth2", "r1", "eth2")))
    assert list(unheard(_pair(), {"r1": heard, "r2": back})) == []
    silent = list(unheard(_pair(), {"r1": heard, "r2": json.dumps(_shown())}))
    assert silent == [("r2", "eth2", "r2:eth2 hears nothing of r1:eth2 by LLDP")]


@pytest.mark.parametrize("answer", ["", "unable to connect to socket"])
def test_a_daemon_that_does_not_answer_hears_nobody(answer: str) -> None:
    told = [node for node, _, _ in unheard(_pair(), {"r1": answer, "r2": answer})]
    assert told == ["r1", "r2"]


def test_a_neighbor_at_another_port_than_designed_is_none() -> None:
    crossed = json.dumps(_shown(("eth2", "r2", "eth1")))
    assert [port for _, port, _ in unheard(_pair(), {"r1": crossed, "r2": ""})] == ["eth2", "eth2"]


@pytest.mark.parametrize(
    ("machine", "call", "outcome"),
    [
        (X86_64, 116, SUCCEEDS),
        (X86_64, 159, ALLOWED),
        (X86_64, 0, ALLOWED),
        (ARM64, 159, SUCCEEDS),
        (ARM64, 116, ALLOWED),
        (RISCV64, 116, ALLOWED),
        (RISCV64, 159, ALLOWED),
    ],
)
def test_the_filter_lets_setgroups_alone_succeed_without_effect(machine: int, call: int, outcome: int) -> None:
    assert _run(setgroups_filter(), machine, call) == outcome


def _run(program: bytes, machine: int, call: int) -> int:
    """What the kernel does with a filter of system calls."""
    at, held = 0, 0
    lines = list(struct.iter_unpack("=HBBI", program))
    while True:
        code, if_so, if_not, value = lines[at]
        if code == 0x06:
            return int(value)
        if code == 0x20:
            held = {0: call, 4: machine}[value]
        at += 1 + ((if_so if held == value else if_not) if code == 0x15 else 0)


def test_the_start_script_writes_the_filter_as_it_is() -> None:
    script = render_files(_pair())["r1"]["init.d/lldp"]
    (line,) = [line for line in script.splitlines() if "printf" in line]
    octal = line.split("'")[1].split("\\")[1:]
    assert bytes(int(each, 8) for each in octal) == setgroups_filter()
