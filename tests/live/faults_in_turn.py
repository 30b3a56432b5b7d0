"""Makes faults in turn, and proves that each is seen and gone again.

Run as a program it prints one line per fault, so that a test can run it as another user.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.observe import converge
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.faults.catalog import KINDS, change_of
from netopsbench.faults.inject import clear, inject
from netopsbench.faults.places import InterfaceRole
from netopsbench.faults.snapshot import take, wait_restored
from netopsbench.faults.witness import Witness, check_effect, gate_effect, watching
from netopsbench.records.faults import FaultSpec

CONVERGE_DEADLINE_S = 60.0
ROLES: tuple[InterfaceRole, ...] = ("uplink", "downlink")


@contextmanager
def watched_fabric(engine: NativeEngine, name: str = "xs") -> Iterator[tuple[NativeFabric, Witness]]:
    """A converged fabric with a witness beside it."""
    plan = plan_fabric(load_spec(name))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with watching(fabric) as witness:
            converge(witness.eyes, deadline_s=CONVERGE_DEADLINE_S)
            yield fabric, witness
    finally:
        fabric.destroy()


def one_of_each(plan: FabricPlan) -> list[FaultSpec]:
    """Each kind in each variant on each role of switch, at a port up and at a port down where that differs."""
    found: list[FaultSpec] = []
    for kind in KINDS.values():
        for keys in kind.variant_keys:
            for switch_role in kind.roles:
                switches = [node for node in plan.nodes if node.role == switch_role]
                for role in ROLES:
                    spots = [spot for node in switches for spot in kind.spots(plan, node, role)]
                    if spots:
                        # Another place each time, so that all devices have their turn.
                        found.append(kind.parse({**spots[len(found) * 7 % len(spots)], **keys}, "test"))
    return list(dict.fromkeys(found))


def a_few(plan: FabricPlan) -> list[FaultSpec]:
    """One fault of each kind."""
    return list({fault.kind: fault for fault in one_of_each(plan)}.values())


def go_through(fabric: NativeFabric, witness: Witness, fault: FaultSpec) -> str:
    """Inject, see, see again, clear, and prove restoration; InfraError where any of it fails."""
    before = take(witness.eyes, fabric.plan)
    effect = change_of(fault, fabric.plan).effect
    receipts = [inject(fabric, fault)]
    try:
        receipts += [gate_effect(witness, effect), check_effect(witness, effect)]
    finally:
        receipts.append(clear(fabric, fault))
    receipts.append(wait_restored(witness, before, fabric.plan, effect.paths))
    return " ".join(receipt.step for receipt in receipts)


def main() -> None:
    """One fault of each kind on one fabric, as whoever calls."""
    with watched_fabric(NativeEngine(fetch_software(lambda line: None))) as (fabric, witness):
        for fault in a_few(fabric.plan):
            print(fault.model_dump_json(), go_through(fabric, witness, fault), flush=True)


if __name__ == "__main__":
    main()
