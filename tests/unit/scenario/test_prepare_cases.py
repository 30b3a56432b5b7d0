"""A campaign written out as folders of scenario files."""

import json
from collections import Counter
from ipaddress import IPv4Network

import pytest

from netopsbench.campaign.cases import load_cases
from netopsbench.core.errors import SpecError
from netopsbench.core.files import known_data
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.faults import BlackholeRoute, PacketLoss
from netopsbench.records.labels import LABELS
from netopsbench.records.names import Port
from netopsbench.scenario.check import check_cases
from netopsbench.scenario.exposure import exposure_of
from netopsbench.scenario.generate import generate
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.manifest import MANIFEST, SECRET, sha256
from netopsbench.scenario.model import Scenario, Timeline
from netopsbench.scenario.prepare import prepare, write_prepared
from netopsbench.scenario.truth import truth_of

PUBLISHED = {
    "xs": (12, 2),
    "small": (12, 3),
    "medium": (24, 4),
    "large": (48, 4),
    "xlarge": (66, 4),
    "fat-tree-k8": (66, 4),
    "fat-tree-k12": (66, 4),
}
MAIN = load_campaign("netopsbench")
PLANS = {scale: plan_fabric(load_spec(scale)) for scale in MAIN.scales}
CASES = generate(MAIN, PLANS)
SMALL = MAIN.model_copy(update={"scales": ("xs", "small")})


def cases_of(scale: str) -> list[Scenario]:
    return [case for case in CASES if case.scale == scale]


def test_the_published_counts_are_met_at_all_seven_scales():
    found = {
        scale: (sum(bool(case.faults) for case in cases_of(scale)), sum(not case.faults for case in cases_of(scale)))
        for scale in MAIN.scales
    }
    assert found == PUBLISHED
    assert len(CASES) == 319


@pytest.mark.parametrize(
    ("scale", "least", "most"), [("xs", 1, 1), ("medium", 2, 2), ("large", 4, 4), ("xlarge", 5, 6)]
)
def test_every_fault_has_its_published_number_of_cases(scale, least, most):
    counts = Counter(case.faults[0].kind for case in cases_of(scale) if case.faults)
    assert set(counts) == {label.name for label in LABELS}
    assert {least, most} == set(counts.values())


def test_no_two_cases_have_the_same_faults_or_seed():
    assert check_cases(CASES, PLANS)[1] == ()
    assert len({case.seed for case in CASES}) == len({case.id for case in CASES}) == 319


@pytest.mark.parametrize("scale", MAIN.scales)
def test_targets_are_spread_over_the_devices(scale):
    truths = [truth_of(case.faults, PLANS[scale]).faults[0] for case in cases_of(scale) if case.faults]
    racks = [node.name for node in PLANS[scale].nodes if node.role in ("leaf", "edge")]
    hit = Counter(truth.accepted[0].device for truth in truths if truth.accepted[0].device in racks)
    fair = hit.total() / len(racks)
    assert max(hit.values()) <= max(2, 2 * fair)
    assert len(hit) >= min(len(racks), hit.total()) * 0.5


@pytest.mark.parametrize("name", known_data("campaigns"))
def test_every_campaign_of_the_package_passes_its_own_check(name):
    cases = load_cases(name)
    plans = {scale: plan_fabric(load_spec(scale)) for scale in cases.fabrics}
    checked, problems = check_cases(cases.scenarios, plans)
    assert problems == ()
    assert sum(scale.cases for scale in checked) == len(cases.scenarios) > 0


def test_almost_half_of_the_balanced_campaign_is_healthy_at_every_scale():
    cases = load_cases("balanced").scenarios
    for scale in {case.scale for case in cases}:
        here = [case for case in cases if case.scale == scale]
        assert 0.4 <= sum(not case.faults for case in here) / len(here) <= 0.5


def test_cases_of_two_faults_ask_for_both():
    cases = load_cases("double")
    assert cases.most_faults == 2
    assert {len(case.faults) for case in cases.scenarios} == {0, 2}


def test_the_same_campaign_gives_the_same_bytes():
    assert prepare(SMALL, PLANS) == prepare(SMALL, PLANS)
    # Of all files at once, so that a change of what is drawn is never made unawares.
    manifest = prepare(SMALL, PLANS)["xs"][MANIFEST]
    assert json.loads(manifest)["generator"] == 3


def test_prepared_folders_hold_the_cases_of_the_campaign(tmp_path):
    write_prepared(prepare(SMALL, PLANS), tmp_path)
    assert load_cases(str(tmp_path)).scenarios == generate(SMALL, PLANS)
    assert load_cases(str(tmp_path / "xs")).scenarios == tuple(cases_of("xs"))


def test_a_manifest_counts_and_hashes_what_lies_beside_it(tmp_path):
    write_prepared(prepare(SMALL, PLANS), tmp_path)
    manifest = json.loads((tmp_path / "xs" / MANIFEST).read_text())
    assert manifest["counts"]["by_fault"]["healthy"] == 2
    assert sum(manifest["counts"]["by_difficulty"].values()) == 14
    assert all(
        sha256((tmp_path / "xs" / path).read_bytes()) == digest for path, digest in manifest["scenarios"].items()
    )


def test_preparing_twice_changes_nothing_and_other_cases_are_never_overwritten(tmp_path):
    write_prepared(prepare(SMALL, PLANS), tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.yaml")}
    write_prepared(prepare(SMALL, PLANS), tmp_path)
    other = prepare(SMALL.model_copy(update={"seed": 7}), PLANS)
    with pytest.raises(SpecError, match="holds other files") as refused:
        write_prepared(other, tmp_path)
    assert len(refused.value.problems) == 2
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.yaml")} == times


def test_one_full_folder_keeps_all_from_being_written(tmp_path):
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "mine.txt").write_text("precious")
    with pytest.raises(SpecError):
        write_prepared(prepare(SMALL, PLANS), tmp_path)
    assert not (tmp_path / "xs").exists()


def test_a_secret_seed_is_hashed_in_the_manifest_and_kept_for_its_owner(tmp_path):
    secret = SMALL.model_copy(update={"seed": 987654321987654321})
    files = prepare(secret, PLANS, is_secret=True)
    assert not any(b"987654321987654321" in content for path, content in files["xs"].items() if path != SECRET)
    write_prepared(files, tmp_path)
    assert (tmp_path / "xs" / SECRET).stat().st_mode & 0o077 == 0
    cases = load_cases(str(tmp_path / "xs"))
    assert cases.seed == 987654321987654321
    assert cases.seed_sha256 == sha256(b"987654321987654321")
    (tmp_path / "xs" / SECRET).unlink()
    assert load_cases(str(tmp_path / "xs")).seed is None


def test_folders_of_different_seeds_are_no_one_campaign(tmp_path):
    write_prepared(prepare(MAIN.model_copy(update={"scales": ("xs",)}), PLANS), tmp_path)
    write_prepared(prepare(MAIN.model_copy(update={"scales": ("small",), "seed": 7}), PLANS), tmp_path)
    with pytest.raises(SpecError, match="one by one"):
        load_cases(str(tmp_path))


def test_a_file_that_the_manifest_does_not_list_is_named(tmp_path):
    write_prepared(prepare(SMALL, PLANS), tmp_path)
    (tmp_path / "xs" / "mine.yaml").write_text("fabric: xs\n")
    with pytest.raises(SpecError, match="doesn't list this file"):
        load_cases(str(tmp_path / "xs"))


def lossy(loss_pct: float, epochs: int = 3) -> Scenario:
    fault = PacketLoss(at=Port(node="leaf1", interface="eth1"), loss_pct=loss_pct)
    return Scenario(fabric="xs", scale="xs", seed=1, faults=(fault,), timeline=Timeline(fault_epochs=epochs))


def test_the_same_fault_in_two_cases_is_found_whatever_their_seeds():
    twice = [lossy(30), lossy(30).model_copy(update={"seed": 2})]
    assert "the same ones" in str(check_cases(twice, PLANS)[1][0])


def test_a_loss_that_no_window_of_this_length_can_show_is_found():
    assert "no telemetry" in str(check_cases([lossy(1)], PLANS)[1][0])
    assert exposure_of(lossy(1, epochs=100), PLANS["xs"]) == ("pingmesh ports",)
    assert exposure_of(lossy(30), PLANS["xs"]) == ("pingmesh",)


def test_a_healthy_case_is_exposed_nowhere():
    assert exposure_of(Scenario(fabric="xs", scale="xs", seed=1), PLANS["xs"]) == ()


def test_a_discarding_route_is_seen_by_probes_and_on_the_switch():
    fault = BlackholeRoute(device="leaf1", prefix=IPv4Network("192.168.102.0/30"))
    case = Scenario(fabric="xs", scale="xs", seed=1, faults=(fault,))
    assert exposure_of(case, PLANS["xs"]) == ("pingmesh", "device")
