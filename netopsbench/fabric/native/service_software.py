"""Programs that labs need beside routing: the system's own where it has them, else unpacked into a private folder."""

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.model import Model
from netopsbench.fabric.native import apt
from netopsbench.fabric.native.software import Say, fetching_alone, locate, software_id, store


class Bundle(NamedTuple):
    """Programs that are fetched together."""

    what: str
    """What labs need them for."""
    packages: tuple[str, ...]
    """Debian's names."""
    programs: tuple[str, ...]
    """Below /usr."""
    size: str
    """Of the download."""

    @property
    def names(self) -> str:
        """The programs in words, `dnsmasq and busybox`."""
        return " and ".join(Path(program).name for program in self.programs)


SERVICES = Bundle("services", ("dnsmasq-base", "busybox"), ("sbin/dnsmasq", "bin/busybox"), "1.5 MB")
"""dnsmasq answers DNS and DHCP; busybox serves pages, asks for addresses, looks up names."""
DISCOVERY = Bundle("LLDP", ("lldpd",), ("sbin/lldpd", "sbin/lldpcli"), "5 MB")
BUNDLES = (SERVICES, DISCOVERY)


class ServiceSoftware(Model):
    """Where the programs come from."""

    root: Path | None
    """Folder whose `usr` is laid over the system's /usr inside a lab; None: the system's own as it is."""


def find_service_software(bundle: Bundle) -> ServiceSoftware | None:
    """The programs that are there already, the system's first; None when they have to be fetched."""
    folder = store() / software_id(bundle.packages)
    return _inspected(bundle, None) or (_inspected(bundle, folder) if folder.is_dir() else None)


def fetch_service_software(bundle: Bundle, say: Say) -> ServiceSoftware:
    """Find the programs, or download and unpack them under `home()`; needs no root, installs nothing.

    Raises UnsupportedError when this system has no apt, or lacks the packages.
    """
    found = find_service_software(bundle)
    if found is not None:
        return found
    if not apt.has_apt():
        paths = " and ".join(f"/usr/{program}" for program in bundle.programs)
        raise UnsupportedError(
            f"labs need {bundle.names} for {bundle.what}, and this system has no apt to get them with; install them "
            f"with its package manager, so that {paths} exist"
        )
    with fetching_alone(say):
        return find_service_software(bundle) or _fetched(bundle, say)


def _fetched(bundle: Bundle, say: Say) -> ServiceSoftware:
    folder = store() / software_id(bundle.packages)
    work = Path(tempfile.mkdtemp(prefix=".fetch-", dir=folder.parent))
    try:
        say(f"Downloading {bundle.names} for labs (about {bundle.size}; nothing is installed on this system) …")
        tree = work / "tree"
        apt.unpack(apt.download(bundle.packages, work / "apt"), tree)
        if folder.exists():
            shutil.rmtree(folder)
        tree.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    software = _inspected(bundle, folder)
    if software is None:
        raise UnsupportedError(f"{', '.join(bundle.packages)} of this system don't hold {bundle.names}")
    return software


def _inspected(bundle: Bundle, root: Path | None) -> ServiceSoftware | None:
    return ServiceSoftware(root=root) if all(locate(root, name) for name in bundle.programs) else None
