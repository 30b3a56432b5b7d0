"""Fabric files by name or path."""

from netopsbench.core.files import find_data
from netopsbench.core.problems import load_model
from netopsbench.fabric.spec import FabricSpec


def load_spec(name_or_path: str) -> FabricSpec:
    """The fabric that a file in `fabrics/`, or at a path, describes.

    Raises SpecError with every mistake of the file, or with the known names.
    """
    return load_model(FabricSpec, find_data("fabrics", name_or_path))
