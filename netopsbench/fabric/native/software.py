"""The routing software: the system's own where it is good enough, else unpacked into a private folder."""

import hashlib
import platform
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.home import home
from netopsbench.core.locks import try_lock, wait_for_lock
from netopsbench.core.model import Model
from netopsbench.core.process import run
from netopsbench.fabric.native import apt

MIN_FRR = (8, 4)
FRR_DAEMONS_DIR = "/usr/lib/frr"
PACKAGES = ("frr", "bubblewrap", "nftables", "iproute2", "iputils-ping")
"""Debian's names; their dependencies are resolved by apt."""

_PROGRAMS = ("bin/bwrap", "bin/vtysh", "sbin/nft", "sbin/tc", "bin/ip", "bin/ping")
"""What every fabric needs below /usr beside FRR's daemons."""

Say = Callable[[str], None]


class Software(Model):
    """Where the programs that run inside a fabric come from."""

    root: Path | None
    """Folder whose `usr` is laid over the system's /usr inside a fabric; None: the system's own as it is."""
    frr_version: str
    bwrap: Path
    """Path to bubblewrap as seen outside a fabric; inside it is /usr/bin/bwrap."""
    frr_daemons_dir: str
    """Folder of bgpd, zebra and so on as seen inside a node."""
    has_mgmtd: bool
    """FRR 10 and newer keep the configuration in a daemon of its own, which has to be started first."""


def find_software() -> Software | None:
    """The routing software that is there already, system first; None when it has to be fetched."""
    return _inspected(None) or _private()


def fetch_software(say: Say) -> Software:
    """Find the routing software, or download and unpack it under `home()`; needs no root, installs nothing.

    Raises UnsupportedError when this system has no apt, or its packages are missing or too old.
    """
    found = find_software()
    if found is not None:
        return found
    if not apt.has_apt():
        raise UnsupportedError(
            f"FRR {_dotted(MIN_FRR)} or newer and bubblewrap are missing, and this system has no apt to get "
            "them with. Install frr, bubblewrap, nftables, iproute2 and iputils with its package manager, so "
            f"that {FRR_DAEMONS_DIR}/bgpd and /usr/bin/bwrap exist."
        )
    with fetching_alone(say):
        return _private() or _fetched(say)


def parse_version(text: str) -> tuple[int, ...]:
    """The numbers of a version, `8.4.4` or `10.3-dev` or `1:2.0~rc1`; empty when there is none."""
    match = re.search(r"\d+(?:\.\d+)*", re.sub(r"^\d+:", "", text.strip()))
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def _private() -> Software | None:
    folder = store() / software_id(PACKAGES)
    return _inspected(folder) if folder.is_dir() else None


def _fetched(say: Say) -> Software:
    folder = store() / software_id(PACKAGES)
    work = Path(tempfile.mkdtemp(prefix=".fetch-", dir=folder.parent))
    try:
        say("Downloading the routing software (about 15 MB; nothing is installed on this system) …")
        debs = apt.download(PACKAGES, work / "apt")
        tree = work / "tree"
        apt.unpack(debs, tree)
        if _inspected(tree) is None:
            raise UnsupportedError(_shortcomings(tree))
        if folder.exists():
            shutil.rmtree(folder)
        tree.rename(folder)
        software = _inspected(folder)
        if software is None:
            raise UnsupportedError(_shortcomings(folder))
        say(f"FRR {software.frr_version} and {len(debs) - 1} more packages are in {folder}")
        return software
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _inspected(root: Path | None) -> Software | None:
    """What `root` laid over the system gives; None when something is missing or too old."""
    version = frr_version(root)
    if parse_version(version) < MIN_FRR or _missing(root):
        return None
    bwrap, mgmtd = locate(root, "bin/bwrap"), locate(root, "lib/frr/mgmtd")
    assert bwrap is not None
    return Software(
        root=root,
        frr_version=version,
        bwrap=bwrap,
        frr_daemons_dir=FRR_DAEMONS_DIR,
        has_mgmtd=mgmtd is not None,
    )


def frr_version(root: Path | None) -> str:
    """Version of the bgpd that `root` laid over the system gives, `8.4.4`; empty when none runs."""
    bgpd = locate(root, "lib/frr/bgpd")
    if bgpd is None:
        return ""
    argv = [str(bgpd), "--version"]
    done = run(argv if root is None else ["env", library_path(root), *argv], timeout_s=20)
    match = re.search(r"version (\S+)", done.stdout)
    return match.group(1) if done.is_ok and match else ""


def library_path(root: Path) -> str:
    """`LD_LIBRARY_PATH=…` with which a program unpacked in `root` runs outside a fabric."""
    folders = sorted((root / "usr" / "lib").glob("*-linux-gnu*"))
    return "LD_LIBRARY_PATH=" + ":".join(f"{folder}:{folder}/frr" for folder in folders)


def _missing(root: Path | None) -> list[str]:
    return [name for name in _PROGRAMS if locate(root, name) is None]


def locate(root: Path | None, name: str) -> Path | None:
    """A file below /usr, in `root` first, then in the system; sbin and bin are taken for one."""
    names = [name, name.replace("sbin/", "bin/"), re.sub(r"^bin/", "sbin/", name)]
    tops = [Path("/usr")] if root is None else [root / "usr", Path("/usr")]
    return next((path for top in tops for each in names if (path := top / each).is_file()), None)


def _shortcomings(root: Path) -> str:
    found = frr_version(root) or "none that runs"
    missing = ", ".join(f"/usr/{name}" for name in _missing(root))
    return (
        f"this system's packages are not enough: FRR {_dotted(MIN_FRR)} or newer is needed, found {found}"
        + (f"; missing programs: {missing}" if missing else "")
        + ". Debian 12, Ubuntu 24.04 and newer have what is needed."
    )


def store() -> Path:
    """Folder of all unpacked packages; UnsupportedError when its path can't be used."""
    folder = home() / "software"
    # The kernel separates the folders of an overlay mount by `:` and its options by `,`.
    for character in ":,\\":
        if character in str(folder):
            raise UnsupportedError(
                f"{folder} can't hold the routing software, because its path contains {character!r}; "
                "set NETOPSBENCH_HOME to a folder without it"
            )
    folder.mkdir(exist_ok=True)
    return folder


def software_id(wanted: Sequence[str]) -> str:
    """Name of the folder that holds these packages of this system."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    system = f"{release.get('ID', 'linux')}{release.get('VERSION_ID', '')}"
    packages = hashlib.sha256(" ".join(wanted).encode()).hexdigest()[:8]
    return re.sub(r"[^A-Za-z0-9._-]", "_", f"{system}-{platform.machine()}-{packages}")


@contextmanager
def fetching_alone(say: Say) -> Iterator[None]:
    """Hold the only right to fetch for the block; it ends with the process, however that ends."""
    lock = store() / "lock"
    with lock.open("w") as file:
        if not try_lock(file):
            say(f"Waiting for another netopsbench (lock {lock}) to finish downloading …")
            wait_for_lock(file)
        yield


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
