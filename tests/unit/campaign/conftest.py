"""Fake trials in the place of real ones, recorded tasks, and code that doesn't change while a test runs."""

from pathlib import Path

import pytest
from fake_trials import FakeTrials
from task_recordings import recorded, xs

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign import run as run_module
from netopsbench.fabric.plan import FabricPlan


@pytest.fixture
def same_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package counts as unchanged, whatever it is."""
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "same")


@pytest.fixture
def trials(monkeypatch, same_code):
    """Makes runs use fake trials."""

    def use(outcome=None) -> FakeTrials:
        fake = FakeTrials(outcome)
        monkeypatch.setattr(run_module, "run_trial", fake)
        return fake

    return use


@pytest.fixture(scope="session")
def plan() -> FabricPlan:
    """The smallest fabric."""
    return xs()


@pytest.fixture
def recording(plan: FabricPlan, tmp_path: Path) -> Path:
    """Its tasks, recorded."""
    return recorded(plan, tmp_path / "recorded")
