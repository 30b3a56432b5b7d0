"""A lab to make mistakes in."""

import copy
from typing import Any

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import FabricSpec

OFFICE: dict[str, Any] = {
    "name": "small_office",
    "mtu": 1500,
    "topology": {
        "kind": "lab",
        "nodes": {
            "r1": {
                "kind": "router",
                "loopback": "10.255.0.1",
                "interfaces": {"eth0": "10.0.1.1/24", "eth1": "10.0.9.1/30"},
                "frr": {"ospfd": "router ospf\n network 10.0.0.0/8 area 0\n", "staticd": ""},
                "services": [{"kind": "dhcp", "interface": "eth0", "gateway": "10.0.1.1", "resolver": "10.0.2.53"}],
            },
            "r2": {
                "kind": "router",
                "loopback": "10.255.0.2",
                "interfaces": {"eth0": "10.0.2.1/24", "eth1": "10.0.9.2/30"},
                "frr": {"ospfd": "router ospf\n network 10.0.0.0/8 area 0\n"},
            },
            "pc1": {
                "kind": "host",
                "interfaces": {"eth0": "10.0.1.11/24"},
                "gateway": "10.0.1.1",
                "dhcp": True,
                "resolver": "10.0.2.53",
            },
            "pc2": {"kind": "host", "interfaces": {"eth0": "10.0.1.12/24"}, "gateway": "10.0.1.1"},
            "server": {
                "kind": "host",
                "interfaces": {"eth0": "10.0.2.53/24"},
                "gateway": "10.0.2.1",
                "services": [
                    {"kind": "dns", "records": {"www.local": "10.0.2.53"}},
                    {"kind": "http", "page": "hello\n"},
                ],
            },
        },
        "links": [["r1:eth1", "r2:eth1"], ["r2:eth0", "server:eth0"]],
        "segments": {"office": ["r1:eth0", "pc1:eth0", "pc2:eth0"]},
    },
}


def office() -> dict[str, Any]:
    """A lab file as YAML gives it, to be changed by the test."""
    return copy.deepcopy(OFFICE)


def planned(raw: dict[str, Any]) -> FabricPlan:
    """The plan of a lab file; SpecError with its mistakes."""
    return plan_fabric(FabricSpec.model_validate(raw))
