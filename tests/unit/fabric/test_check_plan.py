from ipaddress import IPv4Address, IPv4Interface, IPv4Network

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.fabric.size import MachineFacts, need_of
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree, Pod, PodClos, Pools
from netopsbench.records.names import Port

ROOMY = MachineFacts(memory_mib=64_000, cores=16, gc_thresh3=65_536, namespaces=10_000, tasks=100_000)


def lab(**changes: object) -> FabricPlan:
    topology = changes.pop("topology", Clos(spines=2, leaves=2))
    return plan_fabric(FabricSpec.model_validate({"name": "lab", "topology": topology, **changes}))


def with_node(plan: FabricPlan, name: str, **changes: object) -> FabricPlan:
    nodes = tuple(node.model_copy(update=changes) if node.name == name else node for node in plan.nodes)
    return plan.model_copy(update={"nodes": nodes})


def with_port(plan: FabricPlan, at: str, **changes: object) -> FabricPlan:
    port = Port.model_validate(at)
    ports = tuple(
        each.model_copy(update=changes) if each.name == port.interface else each
        for node in plan.nodes
        if node.name == port.node
        for each in node.interfaces
    )
    return with_node(plan, port.node, interfaces=ports)


def renamed(plan: FabricPlan, old: str, new: str) -> FabricPlan:
    """The same fabric with one node called differently everywhere."""
    return FabricPlan.model_validate_json(
        plan.model_dump_json().replace(f'"{old}"', f'"{new}"').replace(f'"{old}:', f'"{new}:')
    )


def found(plan: FabricPlan) -> dict[str, str]:
    """Key to value of every problem."""
    return {problem.key: problem.value for problem in check_plan(plan)}


def test_a_planned_fabric_is_without_mistakes() -> None:
    assert check_plan(lab(), ROOMY) == []


@pytest.mark.parametrize("word", ["a", "h", "up", "dev", "all", "lo"])
def test_words_that_commands_read_as_keywords_are_refused(word: str) -> None:
    (problem,) = check_plan(renamed(lab(), "leaf1", word))
    assert (problem.key, problem.value) == (f"nodes.{word}", word)


def test_long_names_and_names_with_the_same_beginning_are_fine() -> None:
    plan = renamed(lab(), "leaf1", "aggswitch-pod10-with-a-name-of-40-letters")
    plan = renamed(plan, "leaf2", "aggswitch-pod10-with-another-name")
    assert check_plan(plan) == []


@pytest.mark.parametrize(
    "name",
    ["x" * 64, "Leaf1", "leaf_1", "leaf 1", "leaf\none", "leaf,1", "1leaf", "-leaf", "leaf-", "läaf", "a/../b"],
)
def test_names_unsafe_in_files_commands_or_tags_are_refused(name: str) -> None:
    plan = lab()
    spine = plan.nodes[0].model_copy(update={"name": name})
    problems = check_plan(plan.model_copy(update={"nodes": (spine, *plan.nodes[1:])}))
    assert name in {problem.value for problem in problems if problem.key == f"nodes.{name}"}


def test_an_interface_name_past_15_characters_is_refused() -> None:
    assert "use at most 15 characters, not 16" in [
        problem.wanted for problem in check_plan(with_port(lab(), "leaf1:eth1", name="ethernet-1-1-100"))
    ]


def test_a_node_name_twice_is_refused() -> None:
    assert found(renamed(lab(), "leaf2", "leaf1"))["nodes"] == "leaf1"


def test_a_repeated_router_id_is_refused() -> None:
    plan = with_node(lab(), "leaf2", loopback=IPv4Address("10.255.0.1"))
    (problem,) = check_plan(plan)
    assert (problem.key, problem.value) == ("nodes.leaf2.loopback", "10.255.0.1")
    assert problem.wanted == "nodes.spine1.loopback has it already"


def test_a_repeated_address_is_refused() -> None:
    plan = with_port(lab(), "leaf1:eth1", address=IPv4Interface("10.1.1.1/30"))
    assert found(plan) == {"nodes.leaf1.interfaces.eth1": "10.1.1.1"}


def test_a_repeated_mac_is_refused() -> None:
    mac = lab().nodes[0].interfaces[0].mac
    assert found(with_port(lab(), "leaf1:eth1", mac=mac)) == {"nodes.leaf1.interfaces.eth1.mac": mac}


@pytest.mark.parametrize("address", ["10.1.1.5/30", "10.1.1.0/30", "10.1.1.3/30", "127.0.0.2/30", "224.0.0.1/30"])
def test_an_address_that_its_link_cannot_use_is_refused(address: str) -> None:
    plan = with_port(lab(), "leaf1:eth1", address=IPv4Interface(address))
    assert "nodes.leaf1.interfaces.eth1" in found(plan)


@pytest.mark.parametrize(
    ("pools", "key"),
    [
        ({"loopbacks": "10.1.1.0/24"}, "links.l1"),
        ({"loopbacks": "192.168.101.0/24"}, "loopback"),
        ({"clients": "10.1.0.0/16"}, "links.l101"),
        ({"management": "10.1.0.0/16"}, "pools.management"),
    ],
)
def test_pools_that_collide_are_refused(pools: dict[str, str], key: str) -> None:
    topology = Clos(spines=2, leaves=130)
    problems = check_plan(lab(topology=topology, pools=Pools.model_validate(pools)))
    assert any(key in problem.key or key in problem.wanted for problem in problems)


def test_as_numbers_must_differ_between_neighbours() -> None:
    assert found(lab(topology=Clos(spines=1, leaves=2, spine_asn=65011)))["nodes.leaf1.asn"] == "65011"


def test_leaves_with_clients_must_not_share_an_as() -> None:
    plan = with_node(lab(), "leaf2", asn=65011)
    (problem,) = check_plan(plan)
    assert problem.key == "nodes.leaf2.asn"
    assert "refuse its client prefixes" in problem.wanted


def test_spines_of_different_pods_must_not_share_an_as() -> None:
    pods = (Pod(spines=1, leaves=1), Pod(spines=1, leaves=1))
    plan = with_node(lab(topology=PodClos(cores=1, pods=pods)), "spine2", asn=65002)
    (problem,) = check_plan(plan)
    assert "different neighbours" in problem.wanted


@pytest.mark.parametrize("asn", [23456, 65535, None])
def test_as_numbers_that_no_router_takes_are_refused(asn: int | None) -> None:
    assert list(found(with_node(lab(), "leaf1", asn=asn))) == ["nodes.leaf1.asn"]


def test_ends_of_a_link_that_differ_in_mtu_are_refused() -> None:
    assert found(with_port(lab(), "leaf1:eth1", mtu=1500)) == {"nodes.leaf1.interfaces.eth1.mtu": "1500"}


def test_a_link_to_nowhere_is_refused() -> None:
    plan = lab()
    nodes = tuple(node for node in plan.nodes if node.name != "client1")
    assert "client1:eth1" in found(plan.model_copy(update={"nodes": nodes})).values()


def test_a_port_without_a_link_is_refused() -> None:
    plan = lab()
    assert "leaf1:eth1" in found(plan.model_copy(update={"links": plan.links[1:]})).values()


def test_a_client_prefix_that_nobody_announces_is_refused() -> None:
    assert found(with_node(lab(), "leaf1", announces=())) == {"nodes.leaf1.announces": "192.168.101.0/30"}


def test_a_prefix_announced_without_a_client_is_refused() -> None:
    plan = with_node(lab(), "spine1", announces=(IPv4Network("192.168.9.0/30"),))
    assert found(plan)["nodes.spine1.announces"] == "192.168.9.0/30"


def test_a_switch_without_bgpd_is_refused() -> None:
    assert found(with_node(lab(), "spine1", daemons=("zebra",))) == {"nodes.spine1.daemons": "zebra"}


def test_all_mistakes_come_at_once() -> None:
    plan = with_node(lab(), "leaf1", asn=23456, loopback=IPv4Address("127.0.0.1"), daemons=())
    assert len(check_plan(plan, MachineFacts(memory_mib=1, cores=0.001))) == 5


def routers(count: int) -> FabricPlan:
    """A chain of routers, as small as a plan of that many can be."""
    plan = lab(topology=Clos(spines=1, leaves=1))
    first = next(node for node in plan.nodes if node.name == "leaf1")
    ports = [
        Interface(
            name="eth1",
            mac=f"02:00:00:00:{n >> 8:02x}:{n & 255:02x}",
            address=IPv4Interface((int(IPv4Address("10.0.0.0")) + n, 30)),
            mtu=9100,
            peer=Port(node=f"leaf{n}", interface="eth1"),
            link=f"l{n}",
        )
        for n in range(count)
    ]
    nodes: list[Node] = [
        first.model_copy(update={"name": f"leaf{n}", "interfaces": (port,)}) for n, port in enumerate(ports)
    ]
    links = tuple(plan.links[0].model_copy(update={"id": f"l{n}"}) for n in range(2 * count))
    return plan.model_copy(update={"nodes": tuple(nodes), "links": links})


def shortages(plan: FabricPlan, **facts: object) -> dict[str, str]:
    machine = ROOMY.model_copy(update=facts)
    return {problem.key: problem.wanted for problem in set(check_plan(plan, machine)) - set(check_plan(plan))}


def test_512_routers_are_refused_at_a_neighbour_limit_of_1024() -> None:
    (wanted,) = shortages(routers(512), gc_thresh3=1024).values()
    assert "2,048 in the whole kernel" in wanted
    assert "sysctl -w net.ipv4.neigh.default.gc_thresh3=4096" in wanted


def test_permanent_neighbours_do_not_count() -> None:
    assert shortages(routers(512), gc_thresh3=1024, has_permanent_neighbours=True) == {}


def test_what_cannot_be_told_is_not_checked() -> None:
    assert shortages(lab(), gc_thresh3=None, namespaces=None, tasks=None) == {}


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        ({"memory_mib": 1000}, "memory"),
        ({"cores": 0.1}, "cores"),
        ({"namespaces": 100}, "namespaces of each kind"),
        ({"tasks": 1000}, "processes and threads"),
    ],
)
def test_every_shortage_is_named(facts: dict[str, float], key: str) -> None:
    plan = lab(topology=FatTree(k=8, clients_per_edge=4))
    assert list(shortages(plan, **facts)) == [key]


@pytest.mark.parametrize(
    ("topology", "least_mib", "most_mib"),
    [
        (Clos(spines=4, leaves=16, clients_per_leaf=4), 500, 1_024),
        (FatTree(k=8, clients_per_edge=4), 1_600, 3_072),
        (FatTree(k=12, clients_per_edge=2), 4_500, 6_144),
        (Clos(spines=16, leaves=128), 5_500, 7_168),
    ],
)
def test_memory_is_estimated_between_what_was_measured_and_what_is_allowed(
    topology: Clos | FatTree, least_mib: float, most_mib: float
) -> None:
    assert least_mib < need_of(lab(topology=topology)).memory_mib < most_mib
