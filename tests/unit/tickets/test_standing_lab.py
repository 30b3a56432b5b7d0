"""A lab that stands for many tickets: what looks at it is started once, and anew after the lab or it has gone."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.fabric.labs.inspect import Finding
from netopsbench.fabric.plan import FabricPlan
from netopsbench.tickets import standing_lab
from netopsbench.tickets.standing_lab import StandingLab

DOWN = Finding(kind="link", node="r1", about="eth0", message="r1:eth0 is down")


class Ending:
    """A fabric that can only end."""

    def destroy(self) -> None:
        """Nothing runs."""


class Building:
    """An engine whose fabrics are empty; counts them."""

    def __init__(self) -> None:
        self.built = 0

    def deploy(self, plan: FabricPlan, files: object) -> Ending:
        self.built += 1
        return Ending()


class Looking:
    """An inspection that finds what it is told to, or fails."""

    def __init__(self) -> None:
        self.found: list[Finding] = []
        self.is_failing = False
        self.begun, self.ended = 0, 0

    def findings(self) -> list[Finding]:
        if self.is_failing:
            raise InfraError("internal_error", "the inspector gave no answer")
        return self.found

    def up_to_the_first_failure(self) -> tuple[int, list[Finding]]:
        return 0, self.findings()


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Looking:
    found = Looking()

    @contextmanager
    def inspecting(_: object) -> Iterator[Looking]:
        found.begun += 1
        yield found
        found.ended += 1

    monkeypatch.setattr(standing_lab, "inspecting", inspecting)
    monkeypatch.setattr(standing_lab, "settle_lab", lambda *_, **__: None)
    return found


def test_one_inspector_looks_as_often_as_is_asked(look: Looking) -> None:
    with StandingLab("simple_bgp", Building()) as lab:  # type: ignore[arg-type]
        assert (lab.findings(), lab.is_well()) == ([], True)
        look.found = [DOWN]
        assert (lab.findings(), lab.is_well()) == (["r1:eth0 is down"], False)
        assert (look.begun, look.ended) == (1, 0)
    assert look.ended == 1


def test_an_inspector_that_fails_is_replaced_at_the_next_look(look: Looking) -> None:
    with StandingLab("simple_bgp", Building()) as lab:  # type: ignore[arg-type]
        assert lab.is_well()
        look.is_failing = True
        with pytest.raises(InfraError, match="gave no answer"):
            lab.findings()
        look.is_failing = False
        assert lab.is_well()
    assert (look.begun, look.ended) == (2, 2)


def test_a_lab_that_is_built_anew_is_looked_at_by_another_inspector(look: Looking) -> None:
    engine = Building()
    with StandingLab("simple_bgp", engine) as lab:  # type: ignore[arg-type]
        assert lab.is_well()
        lab.discard()
        assert (look.ended, engine.built) == (1, 1)
        assert lab.is_well()
    assert (look.begun, engine.built) == (2, 2)
