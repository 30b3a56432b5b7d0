"""What the metadata of tasks is worked out from: vendors, device types, protocols, distances."""

import random
from collections.abc import Iterable, Mapping

from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple
from netopsbench.rca.labels import CAUSE_BY_LABEL
from netopsbench.rca.model import Metadata, Observability
from netopsbench.rca.network.design import Design
from netopsbench.rca.solving.evidence import Look
from netopsbench.vendors.names import Vendor

SPOKEN: tuple[Vendor, ...] = ("huawei", "h3c", "cisco", "arista", "sonic", "frr")
_PROTOCOLS = {"bgpd", "ospfd", "isisd", "ripd", "eigrpd", "staticd", "vrrpd"}
_PATH_HETEROGENEITY = 6


def dealt_vendors(plan: FabricPlan, rng: random.Random) -> dict[str, Vendor]:
    """A vendor for each router, out of one to six that the network has; hosts are Linux.

    One that translates addresses is FRR on Linux, whose own listing shows that.
    """
    bought = rng.sample(SPOKEN, rng.randint(1, len(SPOKEN)))
    dealt: dict[str, Vendor] = {}
    for node in plan.nodes:
        drawn: Vendor = rng.choice(bought)
        translates = plan.lab is not None and "masquerade" in plan.lab.files.get(node.name, {}).get("nftables.conf", "")
        dealt[node.name] = "linux" if not node.is_switch else "frr" if translates else drawn
    return dealt


def rca_metadata(
    plan: FabricPlan,
    causes: Iterable[Triple],
    vendors: Mapping[str, Vendor],
    seen: Observability,
    ends: tuple[str, str],
) -> Metadata:
    """Metadata of a root-cause task, but for its golden steps."""
    triples = list(causes)
    devices = {triple.node for triple in triples}
    design = Design(plan)
    near = [design.distances(end) for end in ends]
    chain = max(1 + min(distances.get(device, 0) for distances in near) for device in devices)
    found = _of_devices(plan, devices, vendors)
    return Metadata(
        observability=seen,
        categories=tuple(sorted({CAUSE_BY_LABEL[triple.cause].category for triple in triples})),
        causes=len(triples),
        chain_length=chain,
        is_heterogeneous=found["vendors"] >= 2 or found["device_types"] >= 2,
        golden_length=0,
        **found,
    )


def path_metadata(
    plan: FabricPlan, devices: Iterable[str], paths: int, vendors: Mapping[str, Vendor], golden: Iterable[Look]
) -> Metadata:
    """Metadata of a path task."""
    found = _of_devices(plan, set(devices), vendors)
    looks = list(golden)
    return Metadata(
        observability="O2" if any(look.need == "fib" for look in looks) else "O1",
        paths=paths,
        is_heterogeneous=found["vendors"] + found["device_types"] > _PATH_HETEROGENEITY,
        golden_length=len(looks),
        **found,
    )


def _of_devices(plan: FabricPlan, names: set[str], vendors: Mapping[str, Vendor]) -> dict[str, int]:
    nodes = [node for node in plan.nodes if node.name in names]
    return {
        "protocols": len({daemon for node in nodes for daemon in node.daemons if daemon in _PROTOCOLS}),
        "vendors": len({vendors[node.name] for node in nodes}),
        "device_types": len({node.role for node in nodes}),
    }
