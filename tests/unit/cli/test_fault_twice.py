"""A fault that is in already isn't injected a second time."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.fabric.native import registry
from netopsbench.faults.catalog import parse_fault

LINK = {"at": "leaf1:eth1", "variant": "admin"}
WORDS = ["fault", "inject", "--fabric", "xs", "link_down", "--variant", "admin", "--at"]


@pytest.fixture(autouse=True)
def broken_already(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fabric with two faults, on which nothing may be done."""
    faults = tuple(parse_fault("link_down", {**LINK, "at": at}, "test") for at in ("leaf2:eth1", "leaf1:eth1"))

    @contextmanager
    def changing(name: str, _: str):
        yield SimpleNamespace(name=name, faults=faults), SimpleNamespace()

    monkeypatch.setattr(registry, "changing", changing)


def test_the_same_fault_is_refused_with_the_way_to_undo_it() -> None:
    done = CliRunner().invoke(app, [*WORDS, "leaf1:eth1"])
    assert done.exit_code == 2
    assert "link_down --at leaf1:eth1 --variant admin" in done.stderr
    assert "injected already; undo it with: netopsbench fault clear 2 --fabric xs" in done.stderr


def test_the_same_fault_elsewhere_is_another_one() -> None:
    # What comes after needs a fabric.
    done = CliRunner().invoke(app, [*WORDS, "leaf3:eth1"])
    assert isinstance(done.exception, AttributeError)
