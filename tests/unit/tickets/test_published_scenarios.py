"""Published scenario files: their grammar, what is lost in it, and writing them again."""

from pathlib import Path

import pytest
from ticket_files import PUBLISHED

from netopsbench.core.errors import SpecError
from netopsbench.tickets.importing import class_of, import_scenarios
from netopsbench.tickets.published import PublishedCheck, read_scenario
from netopsbench.tickets.published_write import write_scenario


def _problems(text: str) -> list[str]:
    return [f"{each.key}: {each.wanted}" for each in read_scenario(text, "f").problems]


def test_every_part_of_a_file_is_read() -> None:
    scenario, problems = read_scenario(PUBLISHED, "f")
    assert problems == ()
    assert (scenario.id, scenario.topology, scenario.style) == ("shop-till2-link-misdirected", "Shop", "standard")
    assert scenario.prompt.splitlines()[1:3] == ["  - I think gw1 broke.", ""]
    assert (scenario.injection.device, scenario.injection.note) == ("gw10", "gw1 is healthy.")
    assert scenario.injection.command == "ip link set eth2 down\n  ip route flush dev eth2"
    assert scenario.checks[1] == PublishedCheck(on="gw1", run="ping -c2 10.0.0.1", expect="0% loss")
    assert scenario.axes == (
        "assert-identifies: gw10",
        "assert-not-identifies: gw1",
        "must-name-port: eth2 of gw10 is down / eth2 down",
    )


def test_writing_and_reading_give_the_same_scenario() -> None:
    scenario = read_scenario(PUBLISHED, "f").scenario
    again = read_scenario(write_scenario(scenario), "f")
    assert again.problems == ()
    assert again.scenario == scenario
    assert write_scenario(again.scenario) == write_scenario(scenario)


def test_a_rewrite_keeps_its_lineage() -> None:
    head = "Fault family: x\nTicket style: novice-confident\nVariant-of: shop-a\nConfidence-flip-of: shop-a-novice"
    scenario = read_scenario(PUBLISHED.replace("Fault family: link down (wrong device)", head), "f").scenario
    assert (scenario.style, scenario.variant_of, scenario.flip_of) == ("novice-confident", "shop-a", "shop-a-novice")
    assert read_scenario(write_scenario(scenario), "f").scenario == scenario


def test_missing_headers_and_text_are_named_together() -> None:
    with pytest.raises(SpecError) as wrong:
        read_scenario("[INJECTION]\ndevice: none\n", "f.txt")
    assert [each.key for each in wrong.value.problems] == ["Scenario", "Topology", "[PROMPT-TO-AGENT]"]


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ("gw1   ping -c2 10.0.0.1       => expect 0% loss", "gw1 ping -c2 10.0.0.1 -> 0% loss", "the line is dropped"),
        ("expect down", "expect a dead port", "always passes"),
        ("  ip route flush dev eth2", "  # flush\n  ip route flush dev eth2", "is dropped"),
        ("  ip route flush dev eth2", "  note: eth2", "read as a key"),
        ("action: shut the port", "shut the port", "no key begins this line"),
        ("[FIX]", "[REPAIR]", "unknown section"),
    ],
)
def test_what_the_published_reading_drops_is_reported(old: str, new: str, reported: str) -> None:
    assert old in PUBLISHED
    assert any(reported in problem for problem in _problems(PUBLISHED.replace(old, new)))


@pytest.mark.parametrize(
    ("scenario_id", "expected"),
    [
        ("shop-false-premise-dns", "false-premise"),
        ("shop-false-premise-dns-misdirected", "false-premise"),
        ("shop-x-misdirected", "wrong-device"),
        ("shop-X-MISDESCRIBED", "wrong-cause"),
        ("shop-misdirected-x", "correct-fault"),
    ],
)
def test_the_class_comes_from_the_id(scenario_id: str, expected: str) -> None:
    assert class_of(scenario_id) == expected


def _dataset(folder: Path, text: str = PUBLISHED, layer: str = "cex") -> Path:
    place = folder / "shop_Q" / layer
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{len(list(folder.rglob('*.txt')))}.txt").write_text(text)
    return folder


def test_strict_import_refuses_a_name_inside_another(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="by substring gw10 passes for gw1"):
        import_scenarios(_dataset(tmp_path))


def test_compat_import_takes_it_and_notes_it(tmp_path: Path) -> None:
    found = import_scenarios(_dataset(tmp_path), "compat")
    assert len(found.scenarios) == 1
    assert ["by substring" in note.wanted for note in found.notes] == [True]


def test_devices_that_the_lab_lacks_are_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"gw10.*there is no such device; known: gw1, till2"):
        import_scenarios(_dataset(tmp_path), labs={"Shop": {"gw1", "till2"}})


def test_all_mistakes_of_all_files_come_at_once(tmp_path: Path) -> None:
    _dataset(tmp_path, PUBLISHED.replace("Topology: Shop\n", ""))
    _dataset(tmp_path, PUBLISHED.replace("must-name", "should-name"), "base")
    with pytest.raises(SpecError) as wrong:
        import_scenarios(tmp_path)
    keys = [problem.key for problem in wrong.value.problems]
    assert "Topology" in keys
    assert "[SCORING-AXES]" in keys


def test_a_rewrite_that_changes_more_than_the_text_is_refused(tmp_path: Path) -> None:
    safe = PUBLISHED.replace("gw1 ", "hub ").replace("gw1\n", "hub\n").replace("gw1?", "hub?")
    rewrite = safe.replace("Scenario: shop-till2-link-misdirected", "Scenario: other-misdirected").replace(
        "Topology: Shop", "Topology: Shop\nTicket style: novice\nVariant-of: shop-till2-link-misdirected"
    )
    _dataset(tmp_path, safe)
    _dataset(tmp_path, rewrite.replace("the tills on floor two are dead", "help, tills!"), "novice")
    assert len(import_scenarios(tmp_path).scenarios) == 2
    _dataset(tmp_path, rewrite.replace("in_taxonomy: true", "in_taxonomy: false").replace("other-", "third-"), "novice")
    with pytest.raises(SpecError, match="differs from shop-till2-link-misdirected in the ticket's text alone"):
        import_scenarios(tmp_path)


def test_a_folder_without_scenarios_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no scenario file"):
        import_scenarios(tmp_path)
