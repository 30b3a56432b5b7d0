"""`netopsbench fabric show`: is a running fabric well?"""

import json
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.cli.fabric import AsJson, FabricName
from netopsbench.cli.speak import FAILED, note
from netopsbench.core.model import Model
from netopsbench.fabric.labs.inspect import check_lab
from netopsbench.fabric.native import registry
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.native.usage import KEEPER, memory_mib
from netopsbench.fabric.observe import observing
from netopsbench.fabric.queries import expected_sessions


class NodeHealth(Model):
    """What there is to say of one node."""

    node: str
    role: str
    sessions_up: int
    sessions_expected: int
    routes: int
    unequal_routes: tuple[str, ...]
    """Routes whose next hops differ between zebra and the kernel."""
    ports_down: tuple[str, ...]
    memory_mib: float


class FabricHealth(Model):
    """What `show` says."""

    fabric: str
    missing: int
    """Routes, next hops and sessions that a converged fabric would have; in labs whatever a healthy one would."""
    examples: tuple[str, ...]
    memory_mib: float
    nodes: tuple[NodeHealth, ...]

    @property
    def is_well(self) -> bool:
        return not self.missing and not any(node.unequal_routes for node in self.nodes)


def show(name: FabricName, as_json: AsJson = False) -> None:
    """Sessions, routes, next hops in zebra against the kernel, ports, memory. Exit code 1 when something is wrong."""
    _, running = registry.find(name, str(Path.cwd()))
    health = examine(name, running)
    if as_json:
        print(json.dumps(health.model_dump(), indent=2))
    else:
        Console().print(health_table(health))
    if not health.is_well:
        unequal = [f"{node.node}: {route}" for node in health.nodes for route in node.unequal_routes]
        note("not well: " + "; ".join([*health.examples, *unequal][:5]))
        raise typer.Exit(FAILED)


def examine(name: str, running: NativeFabric) -> FabricHealth:
    """Look at every node of a running fabric."""
    plan = running.plan
    wanted = expected_sessions(plan)
    memory = memory_mib(running.handle)
    with observing(running) as eyes:
        eyes.expect_converged()
        missing, examples = eyes.missing()
        if plan.lab is not None:
            findings = check_lab(running)
            missing, examples = len(findings), [finding.message for finding in findings]
        sessions = eyes.sessions(list(wanted))
        unequal = eyes.unequal_routes(list(wanted))
        states = eyes.state([node.name for node in plan.nodes])
    nodes = tuple(
        NodeHealth(
            node=node.name,
            role=node.role,
            sessions_up=sum(state == "Established" for state in sessions.get(node.name, {}).values()),
            sessions_expected=len(wanted.get(node.name, {})),
            routes=len(states[node.name].routes),
            unequal_routes=tuple(unequal.get(node.name, ())),
            ports_down=tuple(port.name for port in node.interfaces if not states[node.name].links[port.name].is_usable),
            memory_mib=round(memory[node.name], 1),
        )
        for node in plan.nodes
    )
    total = round(sum(memory.values()), 1)
    return FabricHealth(fabric=name, missing=missing, examples=tuple(examples), memory_mib=total, nodes=nodes)


def health_table(health: FabricHealth) -> Table:
    """One row a node."""
    others = health.memory_mib - sum(node.memory_mib for node in health.nodes)
    title = f"fabric {health.fabric}: {health.memory_mib:.0f} MiB, of which {KEEPER} {others:.0f}"
    table = Table("node", "role", "sessions", "routes", "zebra and kernel", "ports down", "MiB", title=title)
    for node in health.nodes:
        table.add_row(*_row(node))
    return table


def _row(node: NodeHealth) -> Sequence[str]:
    is_switch = node.role not in ("client", "host")
    return (
        node.node,
        node.role,
        f"{node.sessions_up}/{node.sessions_expected}" if is_switch else "–",
        str(node.routes),
        (f"{len(node.unequal_routes)} differ" if node.unequal_routes else "equal") if is_switch else "–",
        " ".join(node.ports_down) or "–",
        f"{node.memory_mib:.1f}",
    )
