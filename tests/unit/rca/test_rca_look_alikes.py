"""Root causes are made of what healthy networks have too: no name, number or table is theirs alone."""

import re
from collections.abc import Iterator

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.ports import refusing_policies, small_mtus, wrong_arp, wrong_macs
from netopsbench.rca.breaking.redundancy import ports_without_tree
from netopsbench.rca.breaking.routes import short_prefix_lists, wrong_nat
from netopsbench.rca.generate import RCA_NETWORKS


@pytest.fixture(scope="module")
def plans() -> dict[str, FabricPlan]:
    return {name: plan_fabric(load_spec(name)) for name in RCA_NETWORKS}


def steps(broken: Broken) -> str:
    return "\n".join(f"{' '.join(map(str, step.argv))}\n{step.stdin}" for step in broken.do)


def chains(text: str) -> set[str]:
    """Chains of a packet filter as `table.chain`."""
    found: set[str] = set()
    table = ""
    for kind, name in re.findall(r"^\s*(table|chain) ([^{]+?) \{", text, re.MULTILINE):
        table = name if kind == "table" else table
        found |= {f"{table}.{name}"} if kind == "chain" else set()
    return found


def test_filters_add_rules_to_chains_that_the_healthy_device_has(plans: dict[str, FabricPlan]) -> None:
    made = 0
    for plan in plans.values():
        files = render_files(plan)
        for broken in (*refusing_policies(plan), *ports_without_tree(plan)):
            own = "\n".join(text for path, text in files[broken.triple.node].items() if path.startswith("nftables"))
            added = {f"{table}.{chain}" for table, chain in re.findall(r"add rule (\S+ \S+) (\S+)", steps(broken))}
            assert (chains(steps(broken)) | added) <= chains(own)
            assert chains(steps(broken)) | added
            made += 1
    assert made > 20


def numbers(plans: dict[str, FabricPlan], cause: str) -> Iterator[str]:
    """What is set by each way of making a cause."""
    makers = {"mtu": small_mtus, "mac": wrong_macs, "arp": wrong_arp, "list": short_prefix_lists}
    wanted = {"mtu": r"mtu (\d+)", "mac": r"address (\S+)", "arp": r"lladdr (\S+)", "list": r"ip prefix-list (\S+)"}
    for plan in plans.values():
        for broken in makers[cause](plan):
            yield re.findall(wanted[cause], steps(broken))[0]


@pytest.mark.parametrize(("cause", "at_least"), [("mtu", 8), ("mac", 20), ("arp", 20), ("list", 4)])
def test_names_and_numbers_differ_from_place_to_place_and_are_always_the_same_there(
    plans: dict[str, FabricPlan], cause: str, at_least: int
) -> None:
    drawn = list(numbers(plans, cause))
    assert len(set(drawn)) >= at_least
    assert max(map(drawn.count, set(drawn))) <= len(drawn) / 2
    assert list(numbers(plans, cause)) == drawn


def test_a_wrong_hardware_address_is_nobodys_and_a_small_mtu_is_smaller(plans: dict[str, FabricPlan]) -> None:
    for plan in plans.values():
        ports = {f"{node.name}:{port.name}": port for node in plan.nodes for port in node.interfaces}
        for broken in small_mtus(plan):
            (small,) = re.findall(r"mtu (\d+)", steps(broken))
            assert int(small) < ports[f"{broken.triple.node}:{broken.triple.object}"].mtu
        own = {port.mac[:8] for port in ports.values()}
        assert not {address[:8] for address in numbers({plan.name: plan}, "mac")} & own


def test_the_outer_port_of_an_edge_is_the_one_that_translates(plans: dict[str, FabricPlan]) -> None:
    made = [broken.triple for broken in wrong_nat(plans["nat_edge"])]
    assert {(each.cause.split()[1], each.object) for each in made} == {
        ("internal", "eth0"), ("internal", "eth1"), ("external", "eth2"),
    }  # fmt: skip
