from pathlib import Path

import pytest

from netopsbench.report.schema import PUBLISHED, schema_text

PUBLISHED_IN = Path(__file__).parents[3] / "docs" / "schema"


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_schema_is_that_of_the_code(name):
    published = (PUBLISHED_IN / f"{name}.schema.json").read_text()
    assert published == schema_text(name), "write it again: python -m netopsbench.report.schema docs/schema"
