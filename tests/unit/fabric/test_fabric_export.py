import json
import os
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml
from fabric_golden import DRAWN, FOLDER

from netopsbench.core.files import data_root
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.export.containerlab import to_containerlab
from netopsbench.fabric.export.dot import to_dot
from netopsbench.fabric.export.layout import Box, lay_out
from netopsbench.fabric.export.plan_json import plan_schema, to_json
from netopsbench.fabric.export.rows import rows_of
from netopsbench.fabric.export.svg import to_svg
from netopsbench.fabric.export.terminal import draw_text
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree, Topology

SCALES = ["xs", "small", "medium", "large", "xlarge", "fat-tree-k8", "fat-tree-k12", "custom-three-pods"]


def plan_of(scale: str) -> FabricPlan:
    return plan_fabric(load_spec(scale))


def lab(topology: Topology) -> FabricPlan:
    return plan_fabric(FabricSpec(name="lab", topology=topology))


@pytest.mark.parametrize("scale", DRAWN)
def test_the_drawing_is_the_golden_one(scale: str) -> None:
    assert draw_text(plan_of(scale), width=120) == (FOLDER / f"{scale}.drawing").read_text()


def test_a_line_joins_all_spines_with_all_leaves() -> None:
    assert draw_text(lab(Clos(spines=1, leaves=2))).splitlines() == [
        "      [ spine1 ]",
        "     ┌─────┴─────┐",
        "[  leaf1  ] [  leaf2  ]",
        "  client1     client2",
    ]


def test_planes_of_a_fat_tree_have_lines_of_their_own() -> None:
    lines = draw_text(lab(FatTree(k=4))).splitlines()
    assert sum("─" in line for line in lines) == 3


@pytest.mark.parametrize("width", [20, 60, 80, 130])
@pytest.mark.parametrize("scale", SCALES)
def test_no_drawing_is_wider_than_asked(scale: str, width: int) -> None:
    drawing = draw_text(plan_of(scale), width)
    is_list = "ports:" in drawing.splitlines()[0]
    assert is_list or max(map(len, drawing.splitlines()[:-2])) <= width


def test_a_fabric_too_wide_to_draw_is_listed() -> None:
    assert draw_text(plan_of("custom-three-pods"), 20).splitlines()[1:3] == [
        "7 spines, spine1 to spine7; ports: 2 to cores, 1–3 to leaves",
        "6 leaves, leaf1 to leaf6; ports: 2–3 to spines, 1–3 to clients",
    ]


def overlap(one: Box, other: Box) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2 and abs(one.y - other.y) < (one.height + other.height) / 2
    )


@pytest.mark.parametrize("scale", SCALES)
def test_every_node_has_a_place_of_its_own_inside_the_picture(scale: str) -> None:
    plan = plan_of(scale)
    picture = lay_out(rows_of(plan))
    assert set(picture.boxes) == {node.name for node in plan.nodes}
    in_order = sorted(picture.boxes.values(), key=lambda box: (box.y, box.x))
    assert not any(overlap(one, other) for one, other in pairwise(in_order))
    assert all(box.width / 2 <= box.x <= picture.width - box.width / 2 for box in in_order)
    assert all(box.height / 2 <= box.y <= picture.height - box.height / 2 for box in in_order)


def test_the_svg_is_the_golden_one() -> None:
    assert to_svg(plan_of("xs")) == (FOLDER / "xs.svg").read_text()


@pytest.mark.parametrize("scale", SCALES)
def test_the_svg_is_well_formed_and_draws_every_node_and_link(scale: str) -> None:
    plan = plan_of(scale)
    root = ElementTree.fromstring(to_svg(plan))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}g")) == len(plan.nodes)
    assert sum(path.attrib["d"].count("M") for path in root.findall(f"{space}path")) == len(plan.links)


def test_the_dot_is_the_golden_one() -> None:
    assert to_dot(plan_of("xs")) == (FOLDER / "xs.dot").read_text()


def test_the_plan_survives_its_json() -> None:
    plan = plan_of("custom-4-byte-as")
    assert FabricPlan.model_validate_json(to_json(plan)) == plan


def test_the_published_schema_is_the_models() -> None:
    assert (data_root("fabrics") / "schema" / "plan.schema.json").read_text() == plan_schema()


def test_the_containerlab_topology_is_the_golden_one() -> None:
    plan = plan_of("xs")
    assert to_containerlab(plan, render_files(plan))["xs.clab.yml"] == (FOLDER / "xs.clab.yml").read_text()


@pytest.mark.parametrize("scale", ["medium", "fat-tree-k8"])
def test_every_file_a_containerlab_node_binds_is_exported(scale: str) -> None:
    plan = plan_of(scale)
    exported = to_containerlab(plan, render_files(plan))
    topology = yaml.safe_load(exported.pop(f"{scale}.clab.yml"))["topology"]
    bound = {bind.split(":")[0] for node in topology["nodes"].values() for bind in node.get("binds", ())}
    assert bound == set(exported)
    assert len(topology["links"]) == len(plan.links)


def test_containerlab_starts_the_planned_daemons() -> None:
    plan = plan_of("xs")
    exported = to_containerlab(plan, render_files(plan))
    started = re.findall(r"^(\w+)=yes$", exported["xs/leaf1/frr/daemons"], re.MULTILINE)
    assert started == ["bgpd", "staticd", "vtysh_enable"]


def containerlab_schema() -> Path | None:
    """Newest schema in the Go module cache, where `go mod download` puts it."""
    cache = Path(os.environ.get("GOMODCACHE") or Path.home() / "go" / "pkg" / "mod")
    found = sorted(cache.glob("github.com/srl-labs/containerlab@*/schemas/clab.schema.json"))
    return found[-1] if found else None


def test_containerlab_topologies_meet_the_published_schema() -> None:
    schema = containerlab_schema()
    if schema is None:
        pytest.skip("no containerlab module; scripts/test.sh fetches it where Go is")
    loaded = json.loads(schema.read_text())
    # The schema isn't checked itself: its patterns use \\p{N}, which Python's regular expressions don't know.
    validator = jsonschema.validators.validator_for(loaded)(loaded)
    for scale in SCALES:
        plan = plan_of(scale)
        topology = yaml.safe_load(to_containerlab(plan, render_files(plan))[f"{scale}.clab.yml"])
        assert [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(topology)] == []
