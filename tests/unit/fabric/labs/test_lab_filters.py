"""What a lab's routers filter by themselves: nothing that its traffic needs, and on every router."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.spec import Lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.fabric.spec import FabricSpec
from netopsbench.rca.generate import NETWORKS


def small(*, usual_filters: bool) -> FabricPlan:
    """A router with a host, and a bridge behind it."""
    lab = {
        "kind": "lab",
        "nodes": {
            "r1": {"kind": "router", "interfaces": {"eth1": "10.0.1.1/24", "eth2": "10.0.2.1/24"}},
            "sw1": {
                "kind": "router",
                "interfaces": {"eth1": "10.0.2.2/24", "eth2": "10.0.2.3/24"},
                "bridge": {"ports": ["eth1", "eth2"]},
                "files": {"nftables.conf": "# of its own\n"},
            },
            "pc1": {"kind": "host", "interfaces": {"eth0": "10.0.1.11/24"}, "gateway": "10.0.1.1"},
            "pc2": {"kind": "host", "interfaces": {"eth0": "10.0.2.11/24"}, "gateway": "10.0.2.1"},
        },
        "links": [["r1:eth1", "pc1:eth0"]],
        "cabled": {"lan": [["r1:eth2", "sw1:eth1"], ["sw1:eth2", "pc2:eth0"]]},
        "usual_filters": usual_filters,
    }
    return plan_fabric(FabricSpec(name="small", mtu=1500, topology=Lab.model_validate(lab)))


def test_a_router_keeps_telnet_and_snmp_of_hosts_out() -> None:
    text = render_files(small(usual_filters=True))["r1"]["nftables.conf"]
    assert 'iifname "eth1" udp dport 161 counter drop' in text
    assert 'oifname "eth1" ip daddr 10.0.1.0/24 tcp dport 23 counter drop' in text
    assert "eth2" not in text
    assert text.count("type filter hook") == 2


def test_a_bridge_filters_frames_once_its_ports_are_joined_and_keeps_a_packet_filter_of_its_own() -> None:
    files = render_files(small(usual_filters=True))["sw1"]
    assert files["nftables.conf"] == "# of its own\n"
    assert [path for path in sorted(files) if path.startswith("init.d/")] == ["init.d/bridge", "init.d/frames"]
    frames = files["nftables-frames.conf"]
    assert [port for port in ("eth1", "eth2", "eth3") if f"chain ingress_{port} {{" in frames] == ["eth1", "eth2"]


def test_a_lab_that_does_not_ask_for_filters_has_none() -> None:
    files = render_files(small(usual_filters=False))
    assert "nftables.conf" not in files["r1"]
    assert "init.d/frames" not in files["sw1"]


@pytest.mark.parametrize("network", NETWORKS)
def test_every_router_of_a_network_of_tasks_has_filters_on_what_passes(network: str) -> None:
    plan = plan_fabric(load_spec(network))
    files = render_files(plan)
    bare = [
        node.name for node in plan.nodes
        if node.is_switch and "hook forward" not in files[node.name].get("nftables.conf", "")
    ]  # fmt: skip
    assert bare == []
