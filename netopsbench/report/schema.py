"""The published schemas of what a run leaves: `python -m netopsbench.report.schema FOLDER` writes them."""

import json
import sys
from pathlib import Path

from pydantic import BaseModel

from netopsbench.core.files import write_atomic
from netopsbench.records.run import RunInfo
from netopsbench.records.trial import Trial
from netopsbench.scoring.summary import Summary

PUBLISHED: dict[str, type[BaseModel]] = {"report": Summary, "trial": Trial, "run": RunInfo}
"""Name of the JSON file's kind, and its model."""


def schema_text(name: str) -> str:
    """One schema as the file that is published."""
    return json.dumps(PUBLISHED[name].model_json_schema(mode="serialization"), indent=2) + "\n"


def main() -> None:
    folder = Path(sys.argv[1])
    for name in PUBLISHED:
        write_atomic(folder / f"{name}.schema.json", schema_text(name))


if __name__ == "__main__":
    main()
