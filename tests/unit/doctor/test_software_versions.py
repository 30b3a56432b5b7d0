"""Versions as programs and packages spell them, and trees of unpacked software."""

from collections.abc import Callable
from pathlib import Path

import pytest

from netopsbench.core.errors import UnsupportedError
from netopsbench.fabric.native import apt, software
from netopsbench.fabric.native.software import MIN_FRR, fetch_software, find_software, frr_version, parse_version

REFUSAL = "FRR 8.4 or newer is needed"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("8.4.4", (8, 4, 4)),
        ("10.3", (10, 3)),
        ("10.5.1-dev-g0123abc", (10, 5, 1)),
        ("1:8.4.4-1.1~deb12u2", (8, 4, 4)),
        ("v9", (9,)),
        ("1.24\n", (1, 24)),
        ("", ()),
        ("unknown", ()),
    ],
)
def test_versions_are_read_without_a_traceback(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_version(text) == numbers


def test_ten_is_newer_than_eight_point_four_and_nothing_is_older() -> None:
    assert parse_version("10.0") >= MIN_FRR
    assert parse_version("8.4") >= MIN_FRR
    assert parse_version("8.1.2") < MIN_FRR
    assert parse_version("") < MIN_FRR


def program(path: Path, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def tree(folder: Path, frr: str) -> Path:
    """An unpacked tree in which every program of `software._PROGRAMS` exists."""
    program(folder / "usr/lib/frr/bgpd", f"bgpd version {frr}\nCopyright")
    for name in ("bin/bwrap", "bin/vtysh", "sbin/nft", "sbin/tc", "bin/ip", "bin/ping"):
        program(folder / "usr" / name, "")
    return folder


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, on a system whose own software is never good enough."""
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path / "home"))
    inspected = software._inspected
    monkeypatch.setattr(software, "_inspected", lambda root: None if root is None else inspected(root))
    return tmp_path / "home"


def test_version_comes_from_the_daemon_itself(tmp_path: Path) -> None:
    assert frr_version(tree(tmp_path, "10.3-rc1")) == "10.3-rc1"


def test_a_daemon_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    broken = tmp_path / "usr/lib/frr/bgpd"
    broken.parent.mkdir(parents=True)
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    assert frr_version(tmp_path) == ""


def unpacked(frr: str, *extra: str) -> Callable[[list[Path], Path], None]:
    def unpack(debs: list[Path], folder: Path) -> None:
        tree(folder, frr)
        for name in extra:
            program(folder / name, "")

    return unpack


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """An apt that downloads nothing; what it was asked for."""
    asked: list[tuple[str, ...]] = []

    def download(packages: tuple[str, ...], folder: Path) -> list[Path]:
        asked.append(packages)
        return [folder / "frr.deb"]

    monkeypatch.setattr(apt, "has_apt", lambda: True)
    monkeypatch.setattr(apt, "download", download)
    return asked


def test_software_is_fetched_once_and_found_again(
    own_home: Path, downloads: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apt, "unpack", unpacked("10.3", "usr/lib/frr/mgmtd"))
    assert find_software() is None
    fetched = fetch_software(lambda words: None)
    assert fetched.root is not None
    assert fetched.root.is_relative_to(own_home / "software")
    assert (fetched.frr_version, fetched.has_mgmtd) == ("10.3", True)
    assert fetch_software(lambda words: None) == find_software() == fetched
    assert len(downloads) == 1


def test_packages_that_are_too_old_are_refused_and_leave_nothing(
    own_home: Path, downloads: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apt, "unpack", unpacked("8.1"))
    with pytest.raises(UnsupportedError, match=REFUSAL) as refused:
        fetch_software(lambda words: None)
    assert "found 8.1" in str(refused.value)
    assert sorted(path.name for path in (own_home / "software").iterdir()) == ["lock"]


def test_a_failed_download_leaves_nothing(
    own_home: Path, downloads: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(packages: tuple[str, ...], folder: Path) -> list[Path]:
        folder.mkdir()
        raise UnsupportedError("no network")

    monkeypatch.setattr(apt, "download", refuse)
    with pytest.raises(UnsupportedError, match="no network"):
        fetch_software(lambda words: None)
    assert sorted(path.name for path in (own_home / "software").iterdir()) == ["lock"]


def test_a_system_without_apt_is_told_what_to_install(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apt, "has_apt", lambda: False)
    with pytest.raises(UnsupportedError, match="Install frr, bubblewrap, nftables, iproute2 and iputils"):
        fetch_software(lambda words: None)


def test_a_home_that_no_overlay_mount_can_name_is_refused(
    own_home: Path, downloads: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETOPSBENCH_HOME", str(own_home / "a:b"))
    with pytest.raises(UnsupportedError, match="set NETOPSBENCH_HOME to a folder without it"):
        fetch_software(lambda words: None)
    assert downloads == []
