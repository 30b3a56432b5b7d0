"""Runs stay readable: files of earlier versions are brought up to date, files of later ones are refused by name."""

import json
import shutil
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from netopsbench.core.errors import SpecError
from netopsbench.core.model import Model
from netopsbench.records.versions import STEPS, NewerFormatError, read_record
from netopsbench.scoring.run import score_run

VERSION_1 = Path(__file__).parent / "kept" / "version-1"
"""As the first version wrote it. Never to be written again: a change that can't read it needs a version and a step."""


class Parcel(Model):
    """A record in its third version."""

    schema_version: Literal[3] = 3
    weight_g: int
    tags: tuple[str, ...] = ()


def grams_instead_of_kilograms(content: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in content.items() if key != "weight_kg"}
    return {**kept, "weight_g": content["weight_kg"] * 1000}


def several_tags_instead_of_one(content: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in content.items() if key != "tag"}
    return {**kept, "tags": [content["tag"]] if content.get("tag") else []}


PARCEL_STEPS = (grams_instead_of_kilograms, several_tags_instead_of_one)


def parcel(**content: Any) -> Parcel:
    return read_record(Parcel, json.dumps(content).encode(), PARCEL_STEPS)


def test_a_file_of_the_first_version_takes_every_step() -> None:
    assert parcel(schema_version=1, weight_kg=2, tag="red") == Parcel(weight_g=2000, tags=("red",))


def test_a_file_in_between_takes_only_the_steps_that_are_left() -> None:
    assert parcel(schema_version=2, weight_g=5, tag="") == Parcel(weight_g=5)


def test_a_file_of_the_present_version_takes_none() -> None:
    assert parcel(schema_version=3, weight_g=5, tags=["a"]) == Parcel(weight_g=5, tags=("a",))


def test_a_file_of_a_later_version_is_refused_with_both_versions() -> None:
    with pytest.raises(NewerFormatError, match="schema_version is 4, and this netopsbench reads up to 3"):
        parcel(schema_version=4, weight_t=1)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"schema_version": "1"}', b'{"schema_version": 0}', b"[" * 100_000])
def test_what_is_no_record_of_any_version_stays_a_mistake(content: bytes) -> None:
    with pytest.raises(ValidationError):
        read_record(Parcel, content, PARCEL_STEPS)


@pytest.mark.parametrize("model", STEPS, ids=lambda model: model.__name__)
def test_there_is_a_step_to_every_version_that_a_record_ever_had(model: type[Model]) -> None:
    assert model.model_fields["schema_version"].default == len(STEPS[model]) + 1


def test_a_run_of_version_1_is_read_and_scored_as_when_it_was_written() -> None:
    run = score_run(VERSION_1)
    assert run.records.problems == ()
    (agent,) = run.summary.agents
    assert agent.strict is not None
    assert (agent.counts.scored, agent.strict.value) == (3, 0.5)
    assert [score.strict for score in run.scores] == [0.5, 1.0, 0.0]


def test_a_trial_of_a_later_version_is_left_out_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(VERSION_1, folder)
    newer = folder / "trials" / "t2.json"
    newer.write_text(newer.read_text().replace('"schema_version": 1', '"schema_version": 99'))
    (problem,) = score_run(folder).records.problems
    assert problem.startswith("trials/t2.json is left out: its schema_version is 99")


def test_a_run_of_a_later_version_is_the_users_to_know(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema_version": 99}')
    with pytest.raises(SpecError, match="schema_version is 99"):
        score_run(tmp_path)
