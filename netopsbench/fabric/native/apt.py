"""Debian packages downloaded and unpacked into a private folder by an ordinary user; nothing is installed."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.process import Completed, run

UPDATE_TIMEOUT_S = 300
DOWNLOAD_TIMEOUT_S = 900
UNPACK_TIMEOUT_S = 120

_CONFIG = Path(__file__).with_name("apt.conf")
"""Shared with `scripts/setup.sh`, which needs it before there is a Python."""


def has_apt() -> bool:
    """Whether this system can download Debian packages."""
    return bool(shutil.which("apt-get") and shutil.which("dpkg-deb") and Path("/var/lib/dpkg/status").is_file())


def download(packages: Sequence[str], folder: Path) -> list[Path]:
    """Download `packages` and those of their dependencies that this system hasn't installed.

    Package lists are refreshed below `folder`, not in the system. Raises UnsupportedError with apt's words.
    """
    state, cache = folder / "state", folder / "cache"
    (state / "lists" / "partial").mkdir(parents=True)
    (cache / "archives" / "partial").mkdir(parents=True)
    config = folder / "apt.conf"
    config.write_text(_CONFIG.read_text().replace("@folder@", str(folder)))
    # One broken third-party source makes the whole refresh fail; what counts is whether packages are found.
    refreshed = _apt_get(config, ["update"], UPDATE_TIMEOUT_S)
    fetched = _apt_get(config, ["--yes", "--download-only", "install", *packages], DOWNLOAD_TIMEOUT_S)
    if not fetched.is_ok:
        said = _complaints(refreshed) + _complaints(fetched) or [f"apt-get ended with {fetched.returncode}"]
        raise UnsupportedError(
            f"apt-get could not download {', '.join(packages)}:\n  " + "\n  ".join(said) + "\n"
            "Check the network and the package sources in /etc/apt (apt-get update shows the same errors)."
        )
    return sorted((cache / "archives").glob("*.deb"))


def unpack(debs: Sequence[Path], tree: Path) -> None:
    """Unpack the /usr of packages into `tree`/usr, with /bin, /sbin and /lib merged into it; no more."""
    raw = tree.with_name(f"{tree.name}.raw")
    for deb in debs:
        done = run(["dpkg-deb", "--extract", str(deb), str(raw)], timeout_s=UNPACK_TIMEOUT_S)
        if not done.is_ok:
            raise UnsupportedError(f"{deb.name} could not be unpacked into {raw}: {done.stderr.strip()}")
    (raw / "usr").mkdir(parents=True, exist_ok=True)
    tree.mkdir()
    (raw / "usr").rename(tree / "usr")
    for name in ("bin", "sbin", "lib", "lib64"):
        if (raw / name).is_dir():
            shutil.copytree(raw / name, tree / "usr" / name, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(raw)


def _apt_get(config: Path, arguments: Sequence[str], timeout_s: float) -> Completed:
    return run(["env", "LC_ALL=C", "apt-get", "-q", "-c", str(config), *arguments], timeout_s=timeout_s)


def _complaints(done: Completed) -> list[str]:
    lines = [line.strip() for line in done.stderr.splitlines()]
    said = [line for line in lines if line.startswith(("E:", "W: Failed to fetch"))]
    if done.returncode in (124, 127):
        said.append(done.stderr.strip())
    return said
