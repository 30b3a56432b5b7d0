"""`benchmark run --dry-run`: the trials with headings, and a warning where their ids are worth nothing."""

from typer.testing import CliRunner

from netopsbench.cli.main import app


def test_the_columns_have_headings_beside_the_output_for_programs() -> None:
    done = CliRunner().invoke(app, ["benchmark", "run", "quickstart", "--agent", "nop", "--dry-run"])
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 6
    assert done.stderr.splitlines()[0].split() == ["trial", "case", "agent", "repeat"]


def test_ids_of_a_secret_seed_are_said_to_be_forgotten() -> None:
    words = ["benchmark", "run", "quickstart", "--agent", "nop", "--dry-run", "--seed", "secret"]
    assert "a secret seed that is forgotten" in CliRunner().invoke(app, words).stderr
    assert "forgotten" not in CliRunner().invoke(app, [*words[:-1], "7"]).stderr


def test_one_trial_is_one_trial() -> None:
    words = ["benchmark", "run", "quickstart", "--agent", "nop", "--dry-run"]
    case_id = CliRunner().invoke(app, words).stdout.split()[1]
    assert "1 trial, 1 at once" in CliRunner().invoke(app, [*words, "--case", case_id]).stderr


def test_time_and_money_are_told_before_the_run() -> None:
    words = ["benchmark", "run", "quickstart", "--dry-run", "--agent"]
    free = CliRunner().invoke(app, [*words, "nop"]).stderr
    assert "without the agents, who may take up to" in free
    assert "cost: none, no agent here calls a model" in free
    assert "cost: unknown before the run" in CliRunner().invoke(app, [*words, "command:/bin/cat"]).stderr
