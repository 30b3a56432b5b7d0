"""A fault that was only said to be made is never scored."""

from pathlib import Path

import pytest
from case_runs import CLIENT_CABLE, NULL_ROUTE, REJECT_ROUTE, UPLINK_SHUT, Follower, campaign_of, run_all

from netopsbench.fabric.engine import NodeFiles, ProgressCallback
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.plan import FabricPlan

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

STUBBED = ("vtysh", "ip", "tc")


class Sabotage:
    """An engine whose newest fabric can be made to obey no command while saying that it does."""

    def __init__(self, engine: NativeEngine) -> None:
        self._engine = engine
        self._newest: NativeFabric | None = None
        self.replaced = 0

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> NativeFabric:
        self._newest = self._engine.deploy(plan, files, progress)
        return self._newest

    def strike(self) -> None:
        fabric = self._newest
        assert fabric is not None
        for command in STUBBED:
            # One command line per place: a node's own `mount` may be the only program that still works.
            script = f"mount --bind /usr/bin/true $(command -v {command})"
            done = [fabric.exec(node.name, ["sh", "-c", script]) for node in fabric.plan.nodes]
            done.append(fabric.exec_wire(["sh", "-c", script]))
            assert all(each.is_ok for each in done), [each.stderr for each in done]
            self.replaced += len(done)


def test_with_commands_that_do_nothing_every_faulty_case_is_invalid_and_none_is_scored(
    engine: NativeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A second attempt would only show the same again.
    monkeypatch.setattr("netopsbench.campaign.run.ATTEMPTS", 1)
    sabotage = Sabotage(engine)
    keys = campaign_of(UPLINK_SHUT, CLIENT_CABLE, NULL_ROUTE, REJECT_ROUTE, healthy=1)
    scored = run_all(keys, ["oracle"], sabotage, tmp_path / "run", Follower({"inject": sabotage.strike}))
    assert sabotage.replaced == 5 * 7 * len(STUBBED)
    faulty = [trial for trial in scored.records.trials if trial.truth.is_faulty]
    assert len(faulty) == 4
    for trial in faulty:
        assert trial.error is not None
        assert (trial.end, trial.error.side, trial.error.reason) == ("invalid", "infra", "effect_not_seen")
        assert not trial.was_question_asked
    graded = {score.trial_id for score in scored.scores}
    assert not graded & {trial.trial_id for trial in faulty}
    [agent] = scored.summary.agents
    assert (agent.counts.planned, agent.counts.scored) == (5, 1)
