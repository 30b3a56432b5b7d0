from ipaddress import IPv4Network
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.problems import load_model, validated


class Box(Model):
    kind: Literal["box"] = "box"
    width: int = Field(ge=1)


class Ball(Model):
    kind: Literal["ball"] = "ball"
    radius: float = Field(gt=0, le=10)
    colors: int | tuple[int, ...] = 1


class Shelf(Model):
    name: str
    things: tuple[Annotated[Box | Ball, Field(discriminator="kind")], ...] = ()
    label: Literal["new", "old"] = "new"
    network: IPv4Network = IPv4Network("10.0.0.0/8")
    is_open: bool = True


def mistakes(raw: object) -> dict[str, Problem]:
    with pytest.raises(SpecError) as caught:
        validated(Shelf, raw, "shelf.yaml")
    return {problem.key: problem for problem in caught.value.problems}


def test_a_right_value_becomes_a_model() -> None:
    raw = {"name": "s", "things": [{"kind": "ball", "radius": 2, "colors": [1, 2]}], "network": "10.1.0.0/16"}
    assert validated(Shelf, raw, "x") == Shelf(
        name="s", things=(Ball(radius=2, colors=(1, 2)),), network=IPv4Network("10.1.0.0/16")
    )


def test_all_mistakes_are_named_at_once_with_key_value_and_remedy() -> None:
    found = mistakes({"things": [{"kind": "box", "width": 0}], "label": "odd", "is_open": "yes"})
    assert set(found) == {"name", "things[1].width", "label", "is_open"}
    assert found["name"].wanted == "this key is required"
    assert (found["things[1].width"].value, found["things[1].width"].wanted) == ("0", "at least 1")
    assert found["label"].wanted == "one of 'new' or 'old'"
    assert all(problem.source == "shelf.yaml" for problem in found.values())


def test_an_unknown_key_is_answered_with_the_known_ones() -> None:
    found = mistakes({"name": "s", "things": [{"kind": "ball", "radius": 1, "raduis": 2}]})
    assert found["things[1].raduis"].wanted == (
        "there is no such key; did you mean radius? known keys: colors, kind, radius"
    )


def test_an_unknown_kind_is_answered_with_the_known_ones() -> None:
    found = mistakes({"name": "s", "things": [{"kind": "cone"}]})
    assert found["things[1]"].wanted == "`kind` is one of 'box', 'ball'"


def test_members_of_a_union_give_one_mistake_with_both_ways_out() -> None:
    found = mistakes({"name": "s", "things": [{"kind": "ball", "radius": 1, "colors": "red"}]})
    assert list(found) == ["things[1].colors"]
    assert found["things[1].colors"].wanted == "a whole number, or a list"


@pytest.mark.parametrize(("raw", "wanted"), [("4", "a whole number"), (True, "a whole number")])
def test_numbers_are_not_guessed_from_text_or_truth(raw: object, wanted: str) -> None:
    found = mistakes({"name": "s", "things": [{"kind": "box", "width": raw}]})
    assert found["things[1].width"].wanted == wanted


def test_a_file_that_holds_no_keys_is_one_mistake() -> None:
    assert mistakes(["a", "list"])[""].wanted == "keys with values"


def test_a_long_value_is_cut() -> None:
    assert len(mistakes({"name": "s", "label": "x" * 500})["label"].value) == 60


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("name: [1, 2\nlabel: new\n", "line 2, column 6", "expected ',' or ']', but got ':'"),
        ("name: s\nname: t\n", "line 2, column 1", "the key name stands here twice"),
        ("name: !!python/object:os.system x\n", "line 1, column 7", "could not determine a constructor"),
    ],
)
def test_a_file_that_is_not_plain_yaml_is_told_with_its_line(tmp_path: Path, text: str, key: str, value: str) -> None:
    path = tmp_path / "shelf.yaml"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load_model(Shelf, path)
    (problem,) = caught.value.problems
    assert (problem.source, problem.key) == (str(path), key)
    assert problem.value.startswith(value)


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "shelf.yaml"
    path.write_bytes(b"name: \xff\xfe\n")
    with pytest.raises(SpecError, match="UTF-8"):
        load_model(Shelf, path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Is a directory"):
        load_model(Shelf, tmp_path)
