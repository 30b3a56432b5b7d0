"""How agents are named, and which mistakes are told before anything runs."""

import re
from pathlib import Path

import pytest

from netopsbench.agent.programs.starting import check_money, program_for
from netopsbench.agent.spec import parse_spec
from netopsbench.core.errors import SpecError
from netopsbench.records.answers import Budget


@pytest.mark.parametrize(
    ("text", "agent", "options"),
    [
        ("claude:claude-sonnet-4-5", "claude", {"model": "claude-sonnet-4-5"}),
        ("claude:model=m,thinking_tokens=2000", "claude", {"model": "m", "thinking_tokens": "2000"}),
        (
            "openai-compatible:base_url=http://127.0.0.1:8000/v1,model=qwen",
            "openai-compatible",
            {"base_url": "http://127.0.0.1:8000/v1", "model": "qwen"},
        ),
        ("command:python3 -u a.py --x=1", "command", {"command": "python3 -u a.py --x=1", "trust": False}),
        ("command+trust:./run", "command", {"command": "./run", "trust": True}),
        ("http:http://127.0.0.1:9/ask", "http", {"url": "http://127.0.0.1:9/ask"}),
        ("python:mine,depth=3", "python", {"name": "mine", "options": {"depth": "3"}}),
        ("random:seed=3", "random", {"seed": "3"}),
        ('constant:{"verdict": "network_healthy"}', "constant", {"answer": {"verdict": "network_healthy"}}),
    ],
)
def test_a_spec_names_an_agent_and_its_options(text: str, agent: str, options: dict[str, object]) -> None:
    choice = parse_spec(text)
    assert (choice.agent, choice.options) == (agent, options)


@pytest.mark.parametrize("text", ["oracle-of-delphi:x", "claude:", "claude", "claude:model=m,fast"])
def test_a_spec_that_says_too_little_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(SpecError, match=r"claude"):
        parse_spec(text)


@pytest.mark.parametrize(
    "text", ["claude:model=m,key_env=sk-ant-" + "abcdefgh" * 3, "command:./a --api-key=abcdefgh12345"]
)
def test_a_key_in_a_spec_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(SpecError, match="environment variable") as refused:
        parse_spec(text)
    assert "abcdefgh" not in str(refused.value)


def test_a_key_that_is_not_set_is_told_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SpecError, match="ANTHROPIC_API_KEY isn't set"):
        program_for("claude", {"model": "m"})


def test_the_key_is_in_no_command_line_and_in_no_text_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "top-secret-value")
    program = program_for("claude", {"model": "m"})
    assert program.access == "network"
    assert "top-secret-value" not in repr(program)
    assert program.environment["ANTHROPIC_API_KEY"] == "top-secret-value"


def test_a_limit_of_money_needs_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(wall_time_s=1, tool_calls=1, cost_usd=1)
    with pytest.raises(SpecError, match="input_usd"):
        check_money("claude", {"model": "home-made"}, budget)
    check_money("claude", {"model": "home-made", "input_usd": 1, "output_usd": 2}, budget)
    check_money("claude", {"model": "claude-sonnet-4-5-20250929"}, budget)


@pytest.mark.parametrize(
    ("options", "way_out"),
    [
        ({"model": "claude-opus-4-8", "thinking_tokens": 4000}, "write thinking=adaptive,effort=high"),
        ({"model": "claude-sonnet-5", "thinking_tokens": 4000}, "write thinking=adaptive,effort=high"),
        ({"model": "claude-fable-5-1", "thinking_tokens": 4000}, "write thinking=adaptive,effort=high"),
        ({"model": "claude-opus-4-20250514", "thinking": "adaptive"}, "write thinking_tokens=4000"),
        ({"model": "claude-sonnet-4-5-20250929", "thinking": "adaptive"}, "write thinking_tokens=4000"),
        ({"model": "claude-opus-4-6", "thinking": "adaptive", "thinking_tokens": 4000}, "give either"),
        ({"model": "claude-opus-4-6", "effort": "extreme"}, "'low', 'medium', 'high', 'xhigh' or 'max'"),
    ],
)
def test_a_way_of_thinking_that_the_model_refuses_is_told_before_anything_runs(
    options: dict[str, object], way_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "top-secret-value")
    with pytest.raises(SpecError, match=re.escape(way_out)):
        program_for("claude", options)


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-5", "home-made"])
def test_models_that_take_both_ways_or_are_not_known_may_be_asked_for_either(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "top-secret-value")
    for options in ({"thinking": "adaptive", "effort": "max"}, {"thinking_tokens": 4000}):
        assert program_for("claude", {"model": model, **options}).access == "network"


def test_files_of_a_command_are_carried_in_one_by_one(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("")
    (tmp_path / "truth.json").write_text("")
    program = program_for("command", {"command": f"python3 {script} --fast"})
    assert program.carried == ((script, "/agent/0/mine.py"),)
    assert program.argv[1:] == ("/agent/0/mine.py", "--fast")
    assert program.access == "closed"


def test_a_program_written_in_the_command_itself_is_no_path() -> None:
    written = "print(" + "'/'.join('a') or " * 400 + "0)"
    program = program_for("command", {"command": f'python3 -c "{written}"'})
    assert program.argv[1:] == ("-c", written)
    assert program.carried == ()


def test_a_marked_folder_is_carried_in_whole(tmp_path: Path) -> None:
    home = tmp_path / "mine"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "run").write_text("")
    program = program_for("command", {"command": f"sh {home}/./bin/run"})
    assert program.carried == ((home, "/agent/0/mine"),)
    assert program.argv[1] == "/agent/0/mine/bin/run"


def test_a_folder_that_holds_the_runs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match="where runs are kept"):
        program_for("command", {"command": f"sh {tmp_path}/./run"})


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(SpecError, match="no such program"):
        program_for("command", {"command": "no-such-program-6f1"})


@pytest.mark.parametrize(
    ("name", "hint"), [("mine.py", "command:python3 "), ("mine.sh", "command:sh "), ("m", "command:/")]
)
def test_a_file_named_as_an_agent_is_told_how_a_program_is_named(tmp_path: Path, name: str, hint: str) -> None:
    script = tmp_path / name
    script.write_text("")
    with pytest.raises(SpecError, match=hint):
        parse_spec(str(script))


def test_a_python_agent_that_is_not_installed_is_refused_before_anything_starts() -> None:
    with pytest.raises(SpecError, match="no installed package"):
        program_for("python", {"name": "docs/examples/agent.py"})


def test_a_constant_answer_must_be_an_answer() -> None:
    with pytest.raises(SpecError, match="JSON"):
        parse_spec("constant:healthy")
    with pytest.raises(SpecError, match="verdict"):
        program_for("constant", dict(parse_spec('constant:{"verdict": "fine"}').options))


def test_the_seed_of_random_is_a_number() -> None:
    assert program_for("random", {"seed": "3"}).access == "closed"
    with pytest.raises(SpecError, match="seed"):
        program_for("random", {"seed": "often"})
