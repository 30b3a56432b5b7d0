"""Fabric and lab files by name or path."""

from pathlib import Path

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import find_data, known_data
from netopsbench.core.problems import read_yaml
from netopsbench.core.salvage import validated_telling
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.spec import FabricSpec

LABS = "fabrics/labs"


def load_spec(name_or_path: str) -> FabricSpec:
    """The fabric that a file in `fabrics/` or `fabrics/labs/`, or at a path, describes.

    Raises SpecError with every mistake of the file, or with the known names.
    """
    labs = known_labs()
    if name_or_path in labs:
        return _loaded(find_data(LABS, name_or_path))
    fabrics = known_data("fabrics")
    if name_or_path not in fabrics and not name_or_path.endswith(".yaml") and "/" not in name_or_path:
        wanted = f"known names: {', '.join(fabrics)}; labs: {', '.join(labs)}; or give a path to a file"
        raise SpecError([Problem("fabrics", "", name_or_path, wanted)])
    return _loaded(find_data("fabrics", name_or_path))


def _loaded(path: Path) -> FabricSpec:
    return validated_telling(FabricSpec, read_yaml(path), str(path), lambda mended: check_plan(plan_fabric(mended)))


def known_labs() -> list[str]:
    """Names of the labs that ship with the package, sorted."""
    return known_data(LABS)
