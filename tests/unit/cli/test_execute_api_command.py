"""`tools execute-api` refuses what it can't do, every mistake at once."""

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--vendor", "leaf1=nokia", "--vendor", "leaf1"], ["leaf1=nokia", "huawei, h3c, cisco"]),
        (["--deny", "everything"], ["'everything'", "bgp_summary"]),
    ],
)
def test_unknown_vendors_and_needs_are_named_with_the_known_ones(options: list[str], told: list[str]) -> None:
    done = CliRunner().invoke(app, ["tools", "execute-api", *options])
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert all(word in said for word in told)
