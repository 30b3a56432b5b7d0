"""Fake trials in the place of real ones, and code that doesn't change while a test runs."""

import pytest
from fake_trials import FakeTrials

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign import run as run_module


@pytest.fixture
def trials(monkeypatch):
    """Makes runs use fake trials."""
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "same")

    def use(outcome=None) -> FakeTrials:
        fake = FakeTrials(outcome)
        monkeypatch.setattr(run_module, "run_trial", fake)
        return fake

    return use
