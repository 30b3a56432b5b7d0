import json
import os
import subprocess
import sys

import pytest
from fake_trials import Heard, NoEngine, campaign_file, files_in, ids, invalid, planned, trial_of

from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.run import RunStoppedError, Terms, left, resume, run
from netopsbench.core.errors import SpecError
from netopsbench.scoring.run import score_run


def carried_out(folder, plan, workers=2):
    return run(plan, NoEngine(), folder, Heard(), Terms(workers=workers))


def resumed(folder, **how):
    return resume(folder, NoEngine(), Heard(), Terms(workers=2, **how))


def interrupting(trial_id):
    """Outcomes of trials during one of which the user presses Ctrl-C."""

    def outcome(order, number):
        if order.trial_id == trial_id and number == 1:
            raise KeyboardInterrupt
        return trial_of(order)

    return outcome


def test_all_trials_are_run_once_and_saved(tmp_path, trials):
    fake, plan = trials(), planned(tmp_path, "nop", "baseline", repeat=2)
    info = carried_out(tmp_path / "run", plan)
    assert sorted(fake.ran) == sorted(ids(plan))
    assert files_in(tmp_path / "run" / "trials", "*") == sorted(f"{each}.json" for each in ids(plan))
    assert info.finished_ns is not None
    assert not (tmp_path / "run" / "work").exists()


def test_any_number_of_workers_gives_the_same_verdicts(tmp_path, trials):
    trials()
    plan = planned(tmp_path, "nop", "always-faulty", repeat=3)
    scores = []
    for workers in (1, 4):
        carried_out(tmp_path / f"run{workers}", plan, workers)
        scores.append(score_run(tmp_path / f"run{workers}").scores)
    assert scores[0] == scores[1]


def test_an_invalid_trial_is_tried_once_more_and_both_tries_count(tmp_path, trials):
    fake = trials(lambda order, number: invalid(order, asked=True) if number == 1 else trial_of(order))
    plan = planned(tmp_path)
    carried_out(tmp_path / "run", plan)
    assert sorted(fake.ran) == sorted([*ids(plan), *ids(plan)])
    (agent,) = score_run(tmp_path / "run").summary.agents
    assert (agent.counts.scored, agent.counts.invalid) == (3, 0)
    assert (agent.counts.asked, agent.counts.late_invalid) == (6, 3)
    assert (agent.effort.attempts, agent.effort.invalid_attempts) == (6, 3)
    assert agent.effort.total_time_s == 6 * 3.0


def test_a_trial_that_stays_invalid_is_not_tried_a_third_time(tmp_path, trials):
    fake, plan = trials(lambda order, number: invalid(order)), planned(tmp_path)
    carried_out(tmp_path / "run", plan)
    assert len(fake.ran) == 6
    assert score_run(tmp_path / "run").summary.agents[0].counts.invalid_reasons == {"effect_not_seen": 3}
    resumed(tmp_path / "run")
    assert len(fake.ran) == 6


def test_an_unsupported_trial_is_not_tried_again(tmp_path, trials):
    fake = trials(lambda order, number: trial_of(order, end="unsupported", answer=None, was_question_asked=False))
    carried_out(tmp_path / "run", planned(tmp_path))
    assert len(fake.ran) == 3


def test_ctrl_c_keeps_what_is_over_and_names_the_way_on(tmp_path, trials):
    plan = planned(tmp_path)
    second = ids(plan)[1]
    trials(interrupting(second))
    with pytest.raises(KeyboardInterrupt, match="benchmark resume"):
        carried_out(tmp_path / "run", plan, workers=1)
    assert files_in(tmp_path / "run" / "trials", "*") == [f"{ids(plan)[0]}.json"]
    assert score_run(tmp_path / "run").records.info.finished_ns is None


def test_a_resumption_runs_only_what_is_missing_and_tells_of_the_earlier_try(tmp_path, trials):
    plan = planned(tmp_path)
    trials(interrupting(ids(plan)[1]))
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path / "run", plan, workers=1)
    fake = trials()
    info = resumed(tmp_path / "run")
    assert sorted(fake.ran) == sorted(ids(plan)[1:])
    assert info.finished_ns is not None
    assert len(info.sittings) == 2
    (earlier,) = RunFolder(tmp_path / "run").trial(ids(plan)[1]).earlier
    assert (earlier.reason, earlier.was_question_asked) == ("killed", True)
    (agent,) = score_run(tmp_path / "run").summary.agents
    assert (agent.counts.scored, agent.effort.cut_short, agent.counts.late_invalid) == (3, 1, 0)


def test_a_try_that_ctrl_c_made_invalid_is_no_try_of_the_trial(tmp_path, trials):
    plan = planned(tmp_path)
    trials(lambda order, number: invalid(order, "interrupted", asked=True))
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path / "run", plan, workers=1)
    trials(lambda order, number: invalid(order) if number == 1 else trial_of(order))
    resumed(tmp_path / "run")
    trial = RunFolder(tmp_path / "run").trial(ids(plan)[0])
    assert trial.end == "scored"
    assert [each.reason for each in trial.earlier] == ["interrupted", "effect_not_seen"]


def test_a_broken_trial_file_is_run_again(tmp_path, trials):
    plan = planned(tmp_path)
    trials()
    carried_out(tmp_path / "run", plan)
    (tmp_path / "run" / "trials" / f"{ids(plan)[2]}.json").write_text('{"trial_id"')
    assert [each.trial_id for each in left(tmp_path / "run", plan)] == [ids(plan)[2]]
    fake = trials()
    resumed(tmp_path / "run")
    assert fake.ran == [ids(plan)[2]]


def test_a_trial_of_a_later_version_is_over_and_not_run_again(tmp_path, trials):
    trials(lambda order, number: trial_of(order))
    folder = tmp_path / "run"
    info = carried_out(folder, planned(tmp_path))
    newer = folder / "trials" / f"{info.planned[0].trial_id}.json"
    newer.write_text(newer.read_text().replace('"schema_version": 1', '"schema_version": 99'))
    written = newer.read_bytes()
    with pytest.raises(SpecError, match="schema_version is 99"):
        resumed(folder)
    assert newer.read_bytes() == written


def test_a_run_of_a_later_version_is_refused_with_both_versions(tmp_path, trials):
    trials(lambda order, number: trial_of(order))
    folder = tmp_path / "run"
    carried_out(folder, planned(tmp_path))
    state = folder / "run.json"
    state.write_text(state.read_text().replace('"schema_version": 1', '"schema_version": 99'))
    with pytest.raises(SpecError, match="schema_version is 99, and this netopsbench reads up to 1"):
        resumed(folder)


def test_the_state_in_the_plan_is_not_read_so_that_it_may_be_of_an_earlier_version(tmp_path, trials):
    trials(lambda order, number: trial_of(order))
    folder = tmp_path / "run"
    carried_out(folder, planned(tmp_path))
    known = RunFolder(folder).plan()
    plan = json.loads((folder / "plan.json").read_text())
    plan["info"] = {"schema_version": 0, "of_old": True}
    (folder / "plan.json").write_text(json.dumps(plan))
    assert RunFolder(folder).plan() == known


def test_a_change_is_refused_by_name_until_it_is_accepted_and_then_written_down(tmp_path, trials):
    plan = planned(tmp_path)
    trials(interrupting(ids(plan)[1]))
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path / "run", plan, workers=1)
    campaign_file(tmp_path, healthy=3)
    fake = trials()
    with pytest.raises(SpecError, match=r"cases was .*--accept-changes"):
        resumed(tmp_path / "run")
    assert fake.ran == []
    info = resumed(tmp_path / "run", accept_changes=True)
    assert sorted(fake.ran) == sorted(ids(plan)[1:])
    assert info.sittings[-1].accepted_changes[0].startswith("cases was ")
    assert score_run(tmp_path / "run").summary.accepted_changes == info.sittings[-1].accepted_changes


def test_a_campaign_file_that_is_gone_is_a_change(tmp_path, trials):
    plan = planned(tmp_path)
    trials(interrupting(ids(plan)[0]))
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path / "run", plan, workers=1)
    (tmp_path / "small.yaml").unlink()
    with pytest.raises(SpecError, match="can't be made again"):
        resumed(tmp_path / "run")
    assert resumed(tmp_path / "run", accept_changes=True).finished_ns is not None


def test_a_finished_run_can_be_resumed_to_no_effect_whatever_was_changed(tmp_path, trials):
    trials()
    before = carried_out(tmp_path / "run", planned(tmp_path))
    campaign_file(tmp_path, healthy=3)
    fake = trials()
    assert resumed(tmp_path / "run").finished_ns == before.finished_ns
    assert fake.ran == []


def test_a_secret_seed_is_revealed_when_the_run_has_ended_and_fits_its_hash(tmp_path, trials):
    plan = planned(tmp_path, seed="secret")
    trials(interrupting(ids(plan)[0]))
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path / "run", plan, workers=1)
    assert score_run(tmp_path / "run").summary.seed is None
    trials()
    resumed(tmp_path / "run")
    summary = score_run(tmp_path / "run").summary
    assert (summary.seed, summary.seed_sha256) == (plan.seed, plan.info.seed_sha256)


def test_a_folder_that_holds_a_run_takes_no_other(tmp_path, trials):
    trials()
    carried_out(tmp_path / "run", planned(tmp_path))
    with pytest.raises(SpecError, match="benchmark resume"):
        carried_out(tmp_path / "run", planned(tmp_path))


def test_a_second_process_in_the_folder_is_refused(tmp_path, trials):
    trials()
    carried_out(tmp_path / "run", planned(tmp_path))
    lock = (
        "import fcntl, sys; lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX); "
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", lock, str(tmp_path / "run" / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(SpecError, match="another process"):
            resumed(tmp_path / "run")
        other.stdin.close()


def test_a_folder_without_a_run_cannot_be_resumed(tmp_path):
    with pytest.raises(SpecError, match=r"plan\.json"):
        resumed(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_full_disk_ends_the_run_and_names_the_folder(tmp_path, trials, monkeypatch):
    trials()

    def full(self, trial):
        raise OSError(28, os.strerror(28), str(self.path))

    monkeypatch.setattr(RunFolder, "save_trial", full)
    with pytest.raises(RunStoppedError, match="No space left"):
        carried_out(tmp_path / "run", planned(tmp_path))


def test_leftovers_of_killed_processes_are_removed(tmp_path, trials):
    plan = planned(tmp_path)
    trials(interrupting(ids(plan)[1]))
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path / "run", plan, workers=1)
    place = tmp_path / "run"
    (place / "work" / "1234abcd").mkdir(parents=True)
    (place / "trials" / ".t1.json.x7").write_text("{")
    with (place / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"trial": ids(plan)[1]})[:-3])
    trials()
    resumed(place)
    assert not (place / "work").exists()
    assert not files_in(place / "trials", ".*")
