"""What the doctor says about a machine, from measured figures; nothing is probed here."""

from dataclasses import replace
from pathlib import Path

import pytest

from netopsbench.cli.doctor import findings, summary
from netopsbench.fabric.native.limits import Limits
from netopsbench.fabric.native.machine import (
    FEATURES,
    SCALE_NEEDS,
    Check,
    check_features,
    check_limits,
    check_python,
    check_sandbox,
    check_scales,
    check_software,
)
from netopsbench.fabric.native.probe import Tried
from netopsbench.fabric.native.software import Software

ROOMY = Limits(
    memory_gib=32,
    cores=8,
    disk_gib=100,
    namespaces=90_000,
    processes=30_000,
    open_files=1_000_000,
    inotify_instances=128,
    neighbours=1024,
)
PRIVATE = Software(
    root=Path("/srv/software/one"),
    frr_version="8.4.4",
    bwrap=Path("/srv/software/one/usr/bin/bwrap"),
    frr_daemons_dir="/usr/lib/frr",
    has_mgmtd=False,
)
WORKS = Tried(True, "")


def tried(**steps: Tried) -> dict[str, Tried]:
    every = [feature.step for feature in FEATURES] + ["link", "hash_seed", "hash_fields"]
    return {step: steps.get(step, WORKS) for step in every}


def test_python_is_compared_by_number_not_by_text() -> None:
    assert check_python((3, 11, 2)).is_ok
    assert check_python((4, 0, 0)).is_ok
    old = check_python((3, 9, 18))
    assert (old.is_ok, old.found, old.needed) == (False, "3.9.18", "3.11")


def test_missing_software_names_the_command_that_fetches_it() -> None:
    check = check_software(None)
    assert not check.is_ok
    assert "netopsbench doctor --fix" in check.remedy


def test_software_found_says_its_version_and_whose_it_is() -> None:
    assert check_software(PRIVATE).found == "FRR 8.4.4, in a private folder"
    system = PRIVATE.model_copy(update={"root": None})
    assert check_software(system).found == "FRR 8.4.4, of this system"


def test_powerless_namespace_says_that_links_cannot_be_created_and_why(tmp_path: Path) -> None:
    refused = Tried(False, "RTNETLINK answers: Operation not permitted")
    check = check_sandbox(refused, is_root=False, settings=tmp_path)
    assert not check.is_ok
    assert "cannot create links here: RTNETLINK answers: Operation not permitted" in check.found


@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        (
            "apparmor_restrict_unprivileged_userns",
            "1\n",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("unprivileged_userns_clone", "0\n", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ],
)
def test_remedy_is_the_one_root_command_for_the_setting_that_forbids_it(
    tmp_path: Path, setting: str, value: str, command: str
) -> None:
    (tmp_path / setting).write_text(value)
    check = check_sandbox(Tried(False, "Operation not permitted"), is_root=False, settings=tmp_path)
    assert command in check.remedy


def test_a_hidden_proc_is_told_apart_from_forbidden_namespaces(tmp_path: Path) -> None:
    masked = Tried(False, "unshare: mount /proc failed: Operation not permitted")
    assert "systempaths=unconfined" in check_sandbox(masked, is_root=False, settings=tmp_path).remedy
    assert "--privileged" in check_sandbox(masked, is_root=True, settings=tmp_path).remedy


def test_an_absent_program_is_no_verdict_on_the_kernel(tmp_path: Path) -> None:
    absent = Tried(False, "probe: 3: ip: not found")
    check = check_sandbox(absent, is_root=False, settings=tmp_path)
    assert (check.found, check.remedy) == ("not tried: there is no ip program yet", "netopsbench doctor --fix")
    checks = {
        each.name: each for each in check_features(tried(forward=Tried(False, "probe: 16: nft: not found")), None)
    }
    assert checks["cable faults by nft"].remedy == "netopsbench doctor --fix"


def test_features_are_not_judged_where_no_sandbox_can_be_had() -> None:
    assert check_features(tried(link=Tried(False, "Operation not permitted")), PRIVATE) == ()


def test_overlay_is_needed_only_for_software_in_a_private_folder() -> None:
    system = PRIVATE.model_copy(update={"root": None})
    assert "overlay" in {check.name for check in check_features(tried(), PRIVATE)}
    assert "overlay" not in {check.name for check in check_features(tried(), system)}


def test_netem_is_optional_and_redirect_is_not() -> None:
    bad = Tried(False, "Specified qdisc kind is unknown.")
    checks = {check.name: check for check in check_features(tried(netem=bad, redirect=bad), PRIVATE)}
    assert {name for name, check in checks.items() if not check.is_ok and check.is_required} == {"cables"}
    assert "unknown" in checks["cable faults by netem"].found


@pytest.mark.parametrize(
    ("seed", "fields", "found"),
    [(True, True, "a seed per switch"), (False, True, "hash fields per tier"), (False, False, "neither")],
)
def test_ecmp_hashing_takes_the_better_of_two_ways(seed: bool, fields: bool, found: str) -> None:
    steps = tried(hash_seed=Tried(seed, ""), hash_fields=Tried(fields, ""))
    (check,) = [each for each in check_features(steps, PRIVATE) if each.name == "ECMP hashing"]
    assert (check.found, check.is_ok) == (found, seed or fields)


def test_every_limit_that_is_too_low_says_how_to_raise_it() -> None:
    tight = Limits(
        memory_gib=32,
        cores=8,
        disk_gib=0.2,
        namespaces=0,
        processes=100,
        open_files=1024,
        inotify_instances=1,
        neighbours=128,
    )
    assert all(not check.is_ok and check.remedy for check in check_limits(tight))
    assert all(check.is_ok and not check.remedy for check in check_limits(ROOMY))


def test_neighbour_limit_is_left_out_where_the_kernel_does_not_show_it() -> None:
    names = {check.name for check in check_limits(replace(ROOMY, neighbours=None))}
    assert "neighbour entries" not in names


def test_each_of_the_seven_scales_is_compared_with_memory_and_cores() -> None:
    assert [check.name for check in check_scales(ROOMY)] == [f"scale {scale}" for scale in SCALE_NEEDS]
    assert len(SCALE_NEEDS) == 7
    laptop = {check.name: check.is_ok for check in check_scales(replace(ROOMY, memory_gib=4, cores=2))}
    assert laptop["scale fat-tree-k8"]
    assert not laptop["scale fat-tree-k12"]
    single = {check.name: check.is_ok for check in check_scales(replace(ROOMY, cores=1))}
    assert single["scale medium"]
    assert not single["scale large"]


def test_summary_names_what_is_missing_or_what_can_run() -> None:
    scales = check_scales(replace(ROOMY, memory_gib=1, cores=4))
    assert summary(scales) == "This machine can run fabrics of these scales: xs, small, medium."
    assert summary((check_software(None), *scales)).endswith("missing: routing software.")


def test_a_row_shows_text_in_square_brackets_as_it_is() -> None:
    check = Check(name="a", is_ok=False, is_required=False, found="[red] said tc", needed="b", remedy="c")
    table = findings([check])
    assert list(table.columns[2].cells) == [r"\[red] said tc"]
    assert list(table.columns[3].cells) == ["b; c"]
