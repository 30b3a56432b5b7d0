import re
import subprocess
import sys
from pathlib import Path

import pytest
from fake_trials import NoEngine, campaign_file, planned

import netopsbench
from netopsbench import RunRequest, compare_runs, resume_run, run_campaign, score_run, write_report
from netopsbench.campaign import verbs
from netopsbench.core.errors import SpecError

ROOT = Path(netopsbench.__file__).parents[1]
EXAMPLE = re.search(
    r"## From Python\n\n```python\n(.*?)```",
    (Path(__file__).parents[3] / "docs" / "campaigns.md").read_text(),
    re.DOTALL,
)[1]


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys; before = set(sys.modules); import netopsbench; "
        "print(sorted(set(sys.modules) - before - {'netopsbench', 'typing'}))"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "pydantic" not in said
    assert "netopsbench." not in said


def test_every_public_name_is_there_and_no_other():
    for name in dir(netopsbench):
        assert callable(getattr(netopsbench, name))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = netopsbench.nothing


def test_the_verbs_run_resume_score_compare_and_report(tmp_path, trials):
    trials()
    request = RunRequest(source=str(campaign_file(tmp_path)), agents=("nop", "always-healthy"))
    run = run_campaign(request, tmp_path / "run", engine=NoEngine())
    assert resume_run(run, engine=NoEngine()) == run
    assert len(score_run(run).scores) == 6
    (pair,) = compare_runs(run).comparisons
    assert pair.difference == 0
    assert write_report(run).exists()


def test_folders_may_be_given_as_text(tmp_path, trials):
    trials()
    request = RunRequest(source=str(campaign_file(tmp_path)), agents=("nop", "always-healthy"))
    run = str(run_campaign(request, str(tmp_path / "run"), engine=NoEngine()))
    assert resume_run(run, engine=NoEngine()) == tmp_path / "run"
    assert len(score_run(run).scores) == 6
    assert compare_runs(run, run).notes == ()
    assert write_report(run).exists()


def test_no_room_of_a_trial_is_left_in_the_run(tmp_path, trials):
    trials()
    request = RunRequest(source=str(campaign_file(tmp_path)), agents=("nop", "always-healthy"))
    run = run_campaign(request, tmp_path / "run", engine=NoEngine(), workers=3)
    assert (run / "trials").is_dir()
    assert not (run / "work").exists()


def test_the_example_of_the_docs_works(tmp_path, trials, monkeypatch, capsys):
    trials()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verbs, "native_engine", NoEngine)
    assert len([line for line in EXAMPLE.splitlines() if line]) <= 10
    exec(compile(EXAMPLE, "docs/campaigns.md", "exec"), {})
    said = capsys.readouterr().out
    assert "always-faulty" in said
    assert said.rstrip().endswith("report.html")


def test_two_runs_of_the_same_cases_are_compared_by_agent(tmp_path, trials):
    trials()
    for name in ("one", "two"):
        run_campaign(planned(tmp_path, "nop", "baseline").request, tmp_path / name, engine=NoEngine())
    found = compare_runs(tmp_path / "one", tmp_path / "two")
    assert [(each.a, each.b) for each in found.comparisons] == [
        ("baseline in one", "baseline in two"),
        ("nop in one", "nop in two"),
    ]
    (crossed,) = compare_runs(tmp_path / "one", tmp_path / "two", ["nop", "baseline"]).comparisons
    assert (crossed.a, crossed.b) == ("nop in one", "baseline in two")


def test_runs_without_a_common_case_are_not_compared(tmp_path, trials):
    trials()
    for seed in (1, 2):
        request = planned(tmp_path, "nop", seed=seed).request
        run_campaign(request, tmp_path / str(seed), engine=NoEngine())
    with pytest.raises(SpecError, match="same cases"):
        compare_runs(tmp_path / "1", tmp_path / "2")


def test_an_unknown_agent_is_answered_with_the_known_ones(tmp_path, trials):
    trials()
    run = run_campaign(planned(tmp_path, "nop", "baseline").request, tmp_path / "run", engine=NoEngine())
    with pytest.raises(SpecError, match="baseline, nop"):
        compare_runs(run, agents=["nobody", "nop"])
