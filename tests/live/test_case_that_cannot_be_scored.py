"""A world that isn't as a case needs it makes the case invalid, by name, and nothing is lost."""

import os
import re
import signal
from pathlib import Path

import pytest
from case_runs import NULL_ROUTE, Follower, campaign_of, run_all

from netopsbench.core.errors import InfraError
from netopsbench.fabric.engine import NodeFiles, ProgressCallback
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.scoring.run import ScoredRun

pytestmark = pytest.mark.live


class Altered:
    """An engine whose routers are started with one line of a configuration changed."""

    def __init__(self, engine: NativeEngine, node: str, old: str, new: str) -> None:
        self._engine = engine
        self._node, self._old, self._new = node, old, new

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> NativeFabric:
        altered = {name: dict(content) for name, content in files.items()}
        bgp = altered[self._node]["frr/bgpd.conf"]
        assert self._old in bgp
        altered[self._node]["frr/bgpd.conf"] = bgp.replace(self._old, self._new)
        return self._engine.deploy(plan, altered, progress)


class Broken:
    """An engine that can't deploy."""

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> NativeFabric:
        raise InfraError("deploy_failed", "no more namespaces")


class Fragile:
    """An engine whose newest fabric can be killed or disturbed at any moment."""

    def __init__(self, engine: NativeEngine) -> None:
        self._engine = engine
        self._newest: NativeFabric | None = None

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> NativeFabric:
        self._newest = self._engine.deploy(plan, files, progress)
        return self._newest

    def strike(self) -> None:
        os.kill(self.newest.handle.keeper, signal.SIGKILL)

    def shake(self) -> None:
        """Have a session lost that comes back by itself."""
        assert self.newest.exec("leaf1", ["vtysh", "-c", "clear bgp 10.1.1.1"]).is_ok

    @property
    def newest(self) -> NativeFabric:
        assert self._newest is not None
        return self._newest


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second attempt would only show the same again."""
    monkeypatch.setattr("netopsbench.campaign.run.ATTEMPTS", 1)


def reason_of(scored: ScoredRun) -> str:
    """Why the run's only trial is invalid; it must count nowhere."""
    [trial] = scored.records.trials
    [agent] = scored.summary.agents
    assert trial.end == "invalid"
    assert scored.scores == ()
    assert (agent.counts.planned, agent.counts.invalid, agent.strict) == (1, 1, None)
    assert trial.error is not None
    assert trial.error.side == "infra"
    return trial.error.reason


def test_a_router_that_never_converges(engine: NativeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netopsbench.campaign.trial.CONVERGE_DEADLINE_S", 5.0)
    altered = Altered(engine, "leaf2", "remote-as 65001", "remote-as 65099")
    scored = run_all(campaign_of(NULL_ROUTE), ["oracle"], altered, tmp_path / "case")
    assert reason_of(scored) == "not_converged"
    [trial] = scored.records.trials
    assert trial.error is not None
    # While routers still wait for the neighbor that never comes, more than its own routes are missing.
    assert re.search(r"after 5 s \d+ things are missing: \w+: [0-9./]+ lacks", trial.error.message)


def test_a_fabric_that_cannot_be_deployed(tmp_path: Path) -> None:
    scored = run_all(campaign_of(NULL_ROUTE), ["oracle"], Broken(), tmp_path / "case")
    assert reason_of(scored) == "deploy_failed"


@pytest.mark.parametrize("phase", ["converge", "observe", "agent", "restore"])
def test_a_fabric_that_dies_in_the_middle(phase: str, engine: NativeEngine, tmp_path: Path) -> None:
    fragile = Fragile(engine)
    scored = run_all(
        campaign_of(NULL_ROUTE), ["baseline"], fragile, tmp_path / "case", Follower({phase: fragile.strike})
    )
    assert reason_of(scored) == "fabric_died"
    [trial] = scored.records.trials
    assert trial.error is not None
    assert trial.error.traceback == ""
    assert trial.was_question_asked == (phase == "restore")


def test_a_session_that_is_lost_by_itself_in_the_baseline(engine: NativeEngine, tmp_path: Path) -> None:
    fragile = Fragile(engine)
    scored = run_all(
        campaign_of(NULL_ROUTE), ["baseline"], fragile, tmp_path / "case", Follower({"baseline": fragile.shake})
    )
    assert reason_of(scored) == "baseline_unhealthy"
    [trial] = scored.records.trials
    assert trial.error is not None
    assert re.search(r"10\.1\.1\.[12]", trial.error.message)
