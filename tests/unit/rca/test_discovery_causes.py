"""Root causes of LLDP: how it is stopped, what shows it to whom, and what doesn't."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.lldp import lldp_cables
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.discovery import NO_LLDP, without_lldp
from netopsbench.rca.solving.discovery import discovery_claims
from netopsbench.rca.solving.evidence import Evidence, Look, alternatives, denials, smallest
from netopsbench.rca.solving.shown import Claim, Desk
from netopsbench.records.names import Port
from netopsbench.vendors import facts as f
from netopsbench.vendors.names import Need

Shown = dict[tuple[str, Need], f.LinkNeighbors | f.Interfaces]


@pytest.fixture(scope="module")
def metro() -> FabricPlan:
    return plan_fabric(load_spec("metro_overlay"))


@pytest.fixture(scope="module")
def made(metro: FabricPlan) -> dict[str, Broken]:
    return {f"{each.triple.node};{each.triple.object}": each for each in without_lldp(metro)}


def seen(plan: FabricPlan, off: str = "", silent: str = "", down: str = "") -> Shown:
    """What all routers show when one doesn't run LLDP, when one port only listens, or when a cable is cut."""
    cut = {down, *(str(there) for here, there in lldp_cables(plan) if str(here) == down)}
    heard = [
        (here, there)
        for here, there in lldp_cables(plan)
        if off not in (here.node, there.node) and str(there) != silent and str(here) not in cut
    ]
    shown: Shown = {}
    for node in plan.nodes:
        if not node.is_switch:
            continue
        entries = [_entry(here, there) for here, there in heard if here.node == node.name]
        shown[node.name, "link_neighbors"] = f.LinkNeighbors(is_running=node.name != off, neighbors=tuple(entries))
        ports = [_port(port.name, f"{node.name}:{port.name}" not in cut) for port in node.interfaces]
        shown[node.name, "interface_brief"] = f.Interfaces(interfaces=tuple(ports))
    return shown


def _entry(here: Port, there: Port) -> f.LinkNeighbor:
    return f.LinkNeighbor(interface=here.interface, device=there.node, port=there.interface, mac="02:00", ttl_s=5)


def _port(name: str, has_carrier: bool) -> f.Interface:
    return f.Interface(
        name=name, is_admin_up=True, has_carrier=has_carrier, mtu_bytes=1500, mac="02:00", addresses=("10.0.0.1/24",)
    )


def claimed(plan: FabricPlan, shown: Shown, denied: Evidence = frozenset()) -> list[Claim]:
    permitted = {key: facts for key, facts in shown.items() if Look(device=key[0], need=key[1]) not in denied}
    return list(discovery_claims(Desk(plan, permitted)))


def causes(claims: list[Claim]) -> set[str]:
    assert {claim.triple.cause for claim in claims} <= {NO_LLDP}
    return {f"{claim.triple.node};{claim.triple.object}" for claim in claims}


def test_a_device_stops_it_by_its_service_and_a_port_by_listening_alone(made: dict[str, Broken]) -> None:
    whole, port = made["pe1;lldp"], made["p1;eth1"]
    assert (whole.do[0].argv, whole.undo[0].argv) == (("/etc/init.d/lldp", "stop"), ("/etc/init.d/lldp", "start"))
    assert (port.do[0].argv[-1], port.undo[0].argv[-1]) == ("rx-only", "rx-and-tx")
    assert port.do[0].argv[:4] == ("lldpcli", "configure", "ports", "eth1")


def test_every_device_around_has_to_miss_it_and_is_left_alone_by_other_causes(
    metro: FabricPlan, made: dict[str, Broken]
) -> None:
    for each in made.values():
        around = {there for here, there in lldp_cables(metro) if here.node == each.triple.node}
        watching = {sight.node for sight in each.sights}
        assert watching <= {port.node for port in around}
        assert watching | {each.triple.node} == set(each.touches)
        assert not any(sight.is_shown for sight in each.sights)
    assert len(made["p1;lldp"].sights) == len([here for here, _ in lldp_cables(metro) if here.node == "p1"])


def test_nothing_is_claimed_of_a_healthy_network_or_of_one_without_lldp(metro: FabricPlan) -> None:
    assert claimed(metro, seen(metro)) == []
    off: Shown = {(node.name, "link_neighbors"): f.LinkNeighbors(is_running=False) for node in metro.nodes}
    assert claimed(metro, seen(metro) | off) == []


def test_who_hears_nothing_over_a_cut_cable_blames_nobody(metro: FabricPlan) -> None:
    assert claimed(metro, seen(metro, down="pe1:eth1")) == []


def test_every_cause_is_found_with_all_questions_and_without_the_direct_one(
    metro: FabricPlan, made: dict[str, Broken]
) -> None:
    for name, each in made.items():
        node, thing = name.split(";")
        shown = seen(metro, off=node) if thing == "lldp" else seen(metro, silent=f"{node}:{thing}")
        for denied in (frozenset[Look](), denials(each.triple, metro)):
            assert denied is not None
            claims = claimed(metro, shown, denied)
            assert causes(claims) == {name}
            key = smallest([alternatives(each.triple, metro)], denied)
            found = smallest([[claim.evidence for claim in claims]], denied)
            assert key is not None
            assert found is not None
            assert len(found) == len(key)


def test_what_denies_the_direct_evidence_is_the_devices_own_neighbours(
    metro: FabricPlan, made: dict[str, Broken]
) -> None:
    own = frozenset({Look(device="p1", need="link_neighbors")})
    assert denials(made["p1;lldp"].triple, metro) == own
    assert denials(made["p1;eth1"].triple, metro) == own


def test_a_device_with_one_neighbor_has_no_indirect_evidence_for_all_of_it() -> None:
    office = plan_fabric(load_spec("redundant_office"))
    (single,) = [each for each in without_lldp(office) if (each.triple.node, each.triple.object) == ("sw5", "lldp")]
    assert denials(single.triple, office) is None
