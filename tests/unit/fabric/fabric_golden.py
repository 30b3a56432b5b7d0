"""Golden text of a fabric; `python tests/unit/fabric/fabric_golden.py` writes the files anew, and the plan's schema."""

import hashlib
from pathlib import Path

from netopsbench.core.files import data_root, known_data
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.export.containerlab import to_containerlab
from netopsbench.fabric.export.dot import to_dot
from netopsbench.fabric.export.plan_json import plan_schema
from netopsbench.fabric.export.svg import to_svg
from netopsbench.fabric.export.terminal import draw_text
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files

FOLDER = Path(__file__).parent / "golden"
FABRICS = known_data("fabrics")
DRAWN = ("xs", "small", "medium", "custom-three-pods", "fat-tree-k8")


def golden_text(fabric: str) -> str:
    """Plan digest, a digest of all files, and the files of the last node of each role."""
    plan = plan_fabric(load_spec(fabric))
    files = render_files(plan)
    everything = hashlib.sha256()
    for node, by_path in files.items():
        for path, content in by_path.items():
            everything.update(f"{node}\0{path}\0{content}\0".encode())
    parts = [f"plan {plan.digest}", f"files {everything.hexdigest()}"]
    for node in shown(plan):
        for path, content in files[node].items():
            parts.append(f"\n=== {node} {path}\n{content.rstrip()}")
    return "\n".join(parts) + "\n"


def shown(plan: FabricPlan) -> list[str]:
    """The last node of each role, which has the largest numbers."""
    return list({node.role: node.name for node in plan.nodes}.values())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in FABRICS:
        (FOLDER / f"{name}.txt").write_text(golden_text(name))
    for name in DRAWN:
        (FOLDER / f"{name}.drawing").write_text(draw_text(plan_fabric(load_spec(name)), width=120))
    xs = plan_fabric(load_spec("xs"))
    (FOLDER / "xs.svg").write_text(to_svg(xs))
    (FOLDER / "xs.dot").write_text(to_dot(xs))
    (FOLDER / "xs.clab.yml").write_text(to_containerlab(xs, render_files(xs))["xs.clab.yml"])
    (data_root("fabrics") / "schema" / "plan.schema.json").write_text(plan_schema())
