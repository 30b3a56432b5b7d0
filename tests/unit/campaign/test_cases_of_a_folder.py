import pytest
from fake_trials import campaign_file, planned

from netopsbench.campaign.cases import load_cases
from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.manifest import MANIFEST
from netopsbench.scenario.prepare import prepare, write_prepared


@pytest.fixture
def folder(tmp_path):
    """The three cases of a small campaign, written out."""
    campaign = load_campaign(str(campaign_file(tmp_path)))
    (made,) = write_prepared(prepare(campaign, {"xs": plan_fabric(load_spec("xs"))}), tmp_path / "cases")
    return made


def files_of(folder):
    return sorted(path for path in folder.glob("*.yaml") if path.name != MANIFEST)


def test_a_folder_gives_the_same_cases_as_the_campaign_it_was_made_from(folder, tmp_path):
    assert load_cases(str(folder)) == planned(tmp_path).cases
    assert load_cases(str(folder.parent)) == planned(tmp_path).cases


def test_a_changed_and_a_missing_file_are_both_named(folder):
    changed, missing, _ = files_of(folder)
    with changed.open("a") as file:
        file.write("# touched\n")
    missing.unlink()
    with pytest.raises(SpecError) as refused:
        load_cases(str(folder))
    assert changed.name in str(refused.value)
    assert missing.name in str(refused.value)


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(SpecError, match="manifest"):
        load_cases(str(tmp_path))


def test_a_folder_takes_no_seed(folder):
    with pytest.raises(SpecError, match="drawn already"):
        load_cases(str(folder), seed=3)


def test_only_some_cases_of_a_folder_can_be_taken(folder):
    wanted = files_of(folder)[0].stem
    assert [each.id for each in load_cases(str(folder), only=[wanted]).scenarios] == [wanted]
