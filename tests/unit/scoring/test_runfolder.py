import pytest
from scored_trials import run_of, says_healthy, trial

from netopsbench.core.errors import SpecError
from netopsbench.scoring.facts import facts_of
from netopsbench.scoring.runfolder import read_run


def write_run(folder, run, *trials):
    (folder / "trials").mkdir(parents=True)
    (folder / "run.json").write_text(run.model_dump_json())
    for each in trials:
        (folder / "trials" / f"{each.trial_id}.json").write_text(each.model_dump_json())


def test_whole_run_is_read_in_the_plans_order(tmp_path):
    second, first = trial("t2", answer=says_healthy()), trial("t1")
    run = run_of(second, first)
    write_run(tmp_path, run, first, second)
    records = read_run(tmp_path)
    assert records.info == run
    assert records.trials == (facts_of(second), facts_of(first))
    assert records.problems == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a whole trial"),
        (b'{"trial_id": "t2", "case_id"', "not a whole trial"),
        (b'{"trial_id": "t2"}', "case_id: Field required"),
        (b"\xff\xfe\x00", "not a whole trial"),
        (b"[" * 100_000, "not a whole trial"),
    ],
)
def test_broken_trial_file_is_named_and_the_others_are_read(tmp_path, content, said):
    good, broken = trial("t1"), trial("t2")
    write_run(tmp_path, run_of(good, broken), good)
    (tmp_path / "trials" / "t2.json").write_bytes(content)
    records = read_run(tmp_path)
    assert records.trials == (facts_of(good),)
    assert records.unreadable == {"t2"}
    (problem,) = records.problems
    assert problem.startswith("trials/t2.json is left out")
    assert said in problem


def test_half_written_trial_is_left_out(tmp_path):
    good, half = trial("t1"), trial("t2", calls=3)
    write_run(tmp_path, run_of(good, half), good)
    text = half.model_dump_json()
    (tmp_path / "trials" / "t2.json").write_text(text[: len(text) // 2])
    assert read_run(tmp_path).unreadable == {"t2"}


def test_folder_in_place_of_a_trial_file_is_named(tmp_path):
    only = trial("t1")
    write_run(tmp_path, run_of(only))
    (tmp_path / "trials" / "t1.json").mkdir()
    assert "can't be read" in read_run(tmp_path).problems[0]


def test_trial_that_is_not_planned_is_left_out(tmp_path):
    planned, stray = trial("t1"), trial("t2")
    write_run(tmp_path, run_of(planned), planned, stray)
    records = read_run(tmp_path)
    assert records.trials == (facts_of(planned),)
    assert "isn't in the run's plan" in records.problems[0]
    assert records.unreadable == frozenset()


def test_trial_of_another_agent_than_planned_is_left_out(tmp_path):
    planned, swapped = trial("t1", agent="a"), trial("t1", agent="b")
    write_run(tmp_path, run_of(planned), swapped)
    records = read_run(tmp_path)
    assert records.trials == ()
    assert "planned a on c1" in records.problems[0]


def test_copied_trial_file_is_not_a_second_trial(tmp_path):
    one, two = trial("t1"), trial("t2")
    write_run(tmp_path, run_of(one, two), one)
    (tmp_path / "trials" / "t2.json").write_text(one.model_dump_json())
    records = read_run(tmp_path)
    assert records.trials == (facts_of(one),)
    assert "it holds trial t1" in records.problems[0]


def test_run_without_trials_is_empty(tmp_path):
    (tmp_path / "run.json").write_text(run_of(trial("t1")).model_dump_json())
    assert read_run(tmp_path).trials == ()


def test_folder_that_is_no_run_is_the_users_mistake(tmp_path):
    with pytest.raises(SpecError, match=r"holds a readable run\.json"):
        read_run(tmp_path / "elsewhere")


def test_broken_plan_tells_every_mistake(tmp_path):
    (tmp_path / "run.json").write_text('{"run_id": 7, "colour": "red"}')
    with pytest.raises(SpecError) as caught:
        read_run(tmp_path)
    keys = {problem.key for problem in caught.value.problems}
    assert {"run_id", "colour", "campaign", "planned"} <= keys
