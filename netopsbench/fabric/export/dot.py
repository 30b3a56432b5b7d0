"""A fabric in Graphviz's language."""

from collections.abc import Iterator

from netopsbench.fabric.labs.plan import LabPlan
from netopsbench.fabric.plan import FabricPlan, Node, Role
from netopsbench.fabric.queries import TIERS

SHAPES: dict[Role, str] = {"client": "ellipse", "host": "ellipse"}


def to_dot(plan: FabricPlan) -> str:
    """An undirected graph; tiers share a rank, ports label the ends of the links."""
    lines = [
        f'graph "{plan.name}" {{',
        "  graph [rankdir=TB, ranksep=1.5, splines=line];",
        '  node [shape=box, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=8];',
    ]
    lines += _tiers(plan) if plan.lab is None else _lab(plan, plan.lab)
    for link in plan.links:
        lines.append(
            f'  "{link.a.node}" -- "{link.b.node}" '
            f'[id="{link.id}", taillabel="{link.a.interface}", headlabel="{link.b.interface}"];'
        )
    return "\n".join([*lines, "}"]) + "\n"


def _tiers(plan: FabricPlan) -> Iterator[str]:
    for tier in sorted({TIERS[node.role] for node in plan.nodes}):
        yield "  { rank=same;"
        yield from (f"    {_node(node)}" for node in plan.nodes if TIERS[node.role] == tier)
        yield "  }"


def _lab(plan: FabricPlan, lab: LabPlan) -> Iterator[str]:
    yield from (f"  {_node(node)}" for node in plan.nodes)
    yield from (f'  "{each.name}" [label="{each.name}\\n{each.prefix}", shape=underline];' for each in lab.segments)


def _node(node: Node) -> str:
    facts = f"AS {node.asn}\\n{node.loopback}" if node.is_switch else str(node.interfaces[0].address)
    if node.role == "router":
        facts = "\\n".join([*([f"AS {node.asn}"] if node.asn else []), *node.daemons[1:]])
    return f'"{node.name}" [label="{node.name}\\n{facts}", shape={SHAPES.get(node.role, "box")}];'
