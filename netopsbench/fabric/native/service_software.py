"""The programs of a lab's services: the system's own where it has them, else unpacked into a private folder."""

import shutil
import tempfile
from pathlib import Path

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.model import Model
from netopsbench.fabric.native import apt
from netopsbench.fabric.native.software import Say, fetching_alone, locate, software_id, store

PACKAGES = ("dnsmasq-base", "busybox")
"""Debian's names. dnsmasq answers DNS and DHCP; busybox serves pages, asks for addresses, looks up names."""

_PROGRAMS = ("sbin/dnsmasq", "bin/busybox")


class ServiceSoftware(Model):
    """Where the programs come from."""

    root: Path | None
    """Folder whose `usr` is laid over the system's /usr inside a lab; None: the system's own as it is."""


def find_service_software() -> ServiceSoftware | None:
    """The programs that are there already, the system's first; None when they have to be fetched."""
    folder = store() / software_id(PACKAGES)
    return _inspected(None) or (_inspected(folder) if folder.is_dir() else None)


def fetch_service_software(say: Say) -> ServiceSoftware:
    """Find the programs, or download and unpack them under `home()`; needs no root, installs nothing.

    Raises UnsupportedError when this system has no apt, or lacks the packages.
    """
    found = find_service_software()
    if found is not None:
        return found
    if not apt.has_apt():
        raise UnsupportedError(
            "the services of labs need dnsmasq and busybox, and this system has no apt to get them with; install both "
            "with its package manager, so that /usr/sbin/dnsmasq and /usr/bin/busybox exist"
        )
    with fetching_alone(say):
        return find_service_software() or _fetched(say)


def _fetched(say: Say) -> ServiceSoftware:
    folder = store() / software_id(PACKAGES)
    work = Path(tempfile.mkdtemp(prefix=".fetch-", dir=folder.parent))
    try:
        say("Downloading the programs of lab services (about 1.5 MB; nothing is installed on this system) …")
        tree = work / "tree"
        apt.unpack(apt.download(PACKAGES, work / "apt"), tree)
        if folder.exists():
            shutil.rmtree(folder)
        tree.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    software = _inspected(folder)
    if software is None:
        raise UnsupportedError(f"{', '.join(PACKAGES)} of this system don't hold {' and '.join(_PROGRAMS)}")
    return software


def _inspected(root: Path | None) -> ServiceSoftware | None:
    return ServiceSoftware(root=root) if all(locate(root, name) for name in _PROGRAMS) else None
