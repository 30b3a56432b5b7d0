"""A fabric in Graphviz's language."""

from netopsbench.fabric.plan import FabricPlan, Node, Role
from netopsbench.fabric.queries import TIERS

SHAPES: dict[Role, str] = {"client": "ellipse"}


def to_dot(plan: FabricPlan) -> str:
    """An undirected graph; tiers share a rank, ports label the ends of the links."""
    lines = [
        f'graph "{plan.name}" {{',
        "  graph [rankdir=TB, ranksep=1.5, splines=line];",
        '  node [shape=box, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=8];',
    ]
    for tier in sorted({TIERS[node.role] for node in plan.nodes}):
        lines.append("  { rank=same;")
        lines += [f"    {_node(node)}" for node in plan.nodes if TIERS[node.role] == tier]
        lines.append("  }")
    for link in plan.links:
        lines.append(
            f'  "{link.a.node}" -- "{link.b.node}" '
            f'[id="{link.id}", taillabel="{link.a.interface}", headlabel="{link.b.interface}"];'
        )
    return "\n".join([*lines, "}"]) + "\n"


def _node(node: Node) -> str:
    facts = f"AS {node.asn}\\n{node.loopback}" if node.is_switch else str(node.interfaces[0].address)
    return f'"{node.name}" [label="{node.name}\\n{facts}", shape={SHAPES.get(node.role, "box")}];'
