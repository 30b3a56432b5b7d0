from ipaddress import IPv4Network
from pathlib import Path

import pytest
from fabric_golden import FABRICS, FOLDER, golden_text

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.render import render_files


@pytest.mark.parametrize("fabric", FABRICS)
def test_plan_and_files_are_the_golden_ones(fabric: str) -> None:
    assert golden_text(fabric) == (FOLDER / f"{fabric}.txt").read_text()


def test_every_golden_file_belongs_to_a_fabric() -> None:
    assert sorted(path.stem for path in Path(FOLDER).glob("*.txt")) == FABRICS


def test_only_rack_switches_get_static_routes_and_each_has_some() -> None:
    files = render_files(plan_fabric(load_spec("fat-tree-k8")))
    for node, by_path in files.items():
        assert ("frr/staticd.conf" in by_path) == node.startswith("edge")
    statics = [by_path["frr/staticd.conf"] for by_path in files.values() if "frr/staticd.conf" in by_path]
    assert all("Null0" in text and "/32 10." in text for text in statics)


def test_nothing_is_redistributed_anywhere() -> None:
    for by_path in render_files(plan_fabric(load_spec("medium"))).values():
        assert not any("redistribute" in content for content in by_path.values())


def test_static_routes_and_filters_spare_every_address_in_use() -> None:
    plan = plan_fabric(load_spec("xlarge"))
    used = [link.prefix for link in plan.links]
    used += [IPv4Network(node.loopback) for node in plan.nodes if node.loopback is not None]
    starts = sorted((int(prefix.network_address), int(prefix.broadcast_address)) for prefix in used)
    for by_path in render_files(plan).values():
        for line in by_path.get("frr/staticd.conf", "").splitlines():
            if line.startswith("ip route"):
                aside = IPv4Network(line.split()[2])
                first, last = int(aside.network_address), int(aside.broadcast_address)
                assert not any(low <= last and first <= high for low, high in starts)
