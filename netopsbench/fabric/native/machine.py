"""Whether this machine can run fabrics, how large, and what is missing: one check per line."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from netopsbench.core.home import home
from netopsbench.core.model import Model
from netopsbench.fabric.native.limits import Limits, read_limits
from netopsbench.fabric.native.probe import Tried, probe, sandbox
from netopsbench.fabric.native.service_software import BUNDLES, Bundle, ServiceSoftware, find_service_software
from netopsbench.fabric.native.software import Software
from netopsbench.fabric.size import MachineFacts

FETCH = "netopsbench doctor --fix"
MIN_PYTHON = (3, 11)
SCALE_NEEDS = {
    "xs": (0.5, 1),
    "small": (0.7, 1),
    "medium": (1.0, 1),
    "large": (1.5, 2),
    "fat-tree-k8": (3.0, 2),
    "fat-tree-k12": (6.0, 2),
    "xlarge": (7.0, 2),
}
"""GiB of free memory for fabric, collectors and store together, and cores."""


class Check(Model):
    """One line of the doctor's findings."""

    name: str
    is_ok: bool
    is_required: bool
    """Whether nothing runs without it; the others limit what can be run."""
    found: str
    needed: str
    remedy: str = ""
    """How to get what is missing; empty when nothing is."""


@dataclass(frozen=True)
class Feature:
    """Something that is tried inside a sandbox."""

    step: str
    """Name of the step in the probe."""
    name: str
    needed: str
    is_required: bool
    remedy: str


FEATURES = (
    Feature("overlay", "overlay", "overlay mounts in a sandbox", True, "Linux 5.11 or newer, or root"),
    Feature("room", "nested sandboxes", "bubblewrap inside a sandbox", True, "a newer kernel, or root"),
    Feature(
        "redirect",
        "cables",
        "tc clsact, u32, mirred redirect",
        True,
        "as root: modprobe -a cls_u32 act_mirred sch_ingress",
    ),
    Feature(
        "forward",
        "cable faults by nft",
        "nft netdev ingress with fwd",
        False,
        "as root: modprobe nft_fwd_netdev",
    ),
    Feature(
        "netem", "cable faults by netem", "tc netem", False, "nothing where nft does it; as root: modprobe sch_netem"
    ),
)


def examine(software: Software | None) -> tuple[Check, ...]:
    """Try and measure everything on this machine; leaves nothing behind."""
    is_root = os.geteuid() == 0
    tried = probe(software, sandbox(is_root))
    limits = read_limits(home())
    return (
        check_python(sys.version_info[:3]),
        check_software(software),
        *(check_services(bundle, find_service_software(bundle)) for bundle in BUNDLES),
        check_sandbox(tried["link"], is_root=is_root, settings=Path("/proc/sys/kernel")),
        *check_features(tried, software),
        *check_limits(limits),
        *check_scales(limits),
    )


def machine_facts() -> MachineFacts:
    """What this machine can give a fabric now."""
    limits = read_limits(home())
    return MachineFacts(
        memory_mib=limits.memory_gib * 1024,
        cores=limits.cores,
        gc_thresh3=limits.neighbours,
        has_permanent_neighbours=True,
        namespaces=limits.namespaces,
        tasks=limits.processes,
    )


def check_python(version: tuple[int, ...]) -> Check:
    """The interpreter's version."""
    is_ok = version[:2] >= MIN_PYTHON
    return Check(
        name="Python",
        is_ok=is_ok,
        is_required=True,
        found=_dotted(version),
        needed=_dotted(MIN_PYTHON),
        remedy="" if is_ok else "install a newer python3",
    )


def check_software(software: Software | None) -> Check:
    """FRR and the programs around it."""
    if software is None:
        found, remedy = "none", f"{FETCH} (no root needed)"
    else:
        where = "in a private folder" if software.root else "of this system"
        found, remedy = f"FRR {software.frr_version}, {where}", ""
    return Check(
        name="routing software",
        is_ok=software is not None,
        is_required=True,
        found=found,
        needed="FRR 8.4, bubblewrap, iproute2, nftables",
        remedy=remedy,
    )


def check_services(bundle: Bundle, found: ServiceSoftware | None) -> Check:
    """What labs serve names, addresses and pages with, or speak LLDP."""
    where = "" if found is None else "in a private folder" if found.root else "of this system"
    return Check(
        name=f"lab {bundle.what}",
        is_ok=found is not None,
        is_required=False,
        found=f"{bundle.names}, {where}" if found else "none",
        needed=bundle.names,
        remedy="" if found else f"{FETCH} (no root needed)",
    )


def check_sandbox(link: Tried, *, is_root: bool, settings: Path) -> Check:
    """Namespaces with power inside: a link was created in one, or why not.

    `settings` is the folder of kernel settings that can take the power away, /proc/sys/kernel.
    """
    kind = "root" if is_root else "user namespaces"
    program = _missing_program(link)
    if link.is_ok:
        found, remedy = f"{kind}; a link was created inside", ""
    elif program:
        found, remedy = f"not tried: there is no {program} program yet", FETCH
    else:
        found = f"{kind}, but cannot create links here: {link.said}"
        remedy = _sandbox_remedy(link.said, is_root, settings)
    return Check(
        name="sandbox",
        is_ok=link.is_ok,
        is_required=True,
        found=found,
        needed="root, or user namespaces that work",
        remedy=remedy,
    )


def _sandbox_remedy(said: str, is_root: bool, settings: Path) -> str:
    if is_root:
        return "root lacks capabilities: start the container with --privileged, or leave it"
    if _setting(settings / "apparmor_restrict_unprivileged_userns") not in ("", "0"):
        return "as root, once: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    if _setting(settings / "unprivileged_userns_clone") == "0":
        return "as root, once: sysctl -w kernel.unprivileged_userns_clone=1"
    if "mount /proc" in said:
        return "the container hides parts of /proc: start it with --security-opt systempaths=unconfined"
    return "run as root, or allow user namespaces (sysctl user.max_user_namespaces; a container's seccomp profile)"


def _setting(path: Path) -> str:
    return path.read_text().strip() if path.is_file() else ""


def check_features(tried: Mapping[str, Tried], software: Software | None) -> tuple[Check, ...]:
    """What the kernel and the tools can do inside a sandbox; nothing can be said where none can be had."""
    if not tried["link"].is_ok:
        return ()
    has_overlay = software is not None and software.root is not None
    features = [feature for feature in FEATURES if has_overlay or feature.step != "overlay"]
    return (
        *(_feature(feature, tried[feature.step]) for feature in features),
        _hashing(tried["hash_seed"], tried["hash_fields"]),
    )


def _feature(feature: Feature, tried: Tried) -> Check:
    program = _missing_program(tried)
    if tried.is_ok:
        found, remedy = "works", ""
    elif program:
        found, remedy = f"not tried: there is no {program} program yet", FETCH
    else:
        found, remedy = f"does not work: {tried.said}", feature.remedy
    return Check(
        name=feature.name,
        is_ok=tried.is_ok,
        is_required=feature.is_required,
        found=found,
        needed=feature.needed,
        remedy=remedy,
    )


def _missing_program(tried: Tried) -> str:
    """The program whose absence the shell reports; empty when that wasn't the reason."""
    match = re.search(r"(\S+): not found$", tried.said)
    return match.group(1) if match and not tried.is_ok else ""


def _hashing(seed: Tried, fields: Tried) -> Check:
    found = "a seed per switch" if seed.is_ok else "hash fields per tier" if fields.is_ok else "neither"
    is_ok = seed.is_ok or fields.is_ok
    return Check(
        name="ECMP hashing",
        is_ok=is_ok,
        is_required=False,
        found=found,
        needed="fib_multipath_hash_seed or _hash_fields, for fat-trees",
        remedy="" if is_ok else "Linux 6.11 or newer (5.13 at least)",
    )


def check_limits(limits: Limits) -> tuple[Check, ...]:
    """The kernel's and the session's limits against what the largest scales need."""
    checks = [
        _at_least("namespaces", limits.namespaces, 512, "as root: sysctl -w user.max_net_namespaces=4096"),
        _at_least("processes", limits.processes, 4096, "raise `ulimit -u`, or pids.max of the container"),
        _at_least("open files", limits.open_files, 4096, "raise `ulimit -Hn`"),
        _at_least(
            "inotify instances",
            limits.inotify_instances,
            16,
            "as root: sysctl -w fs.inotify.max_user_instances=128",
        ),
        _at_least("free disk, GiB", round(limits.disk_gib, 1), 1, "free some, or set NETOPSBENCH_HOME"),
    ]
    if limits.neighbours is not None:
        remedy = "as root: sysctl -w net.ipv4.neigh.default.gc_thresh3=1024"
        checks.append(_at_least("neighbour entries", limits.neighbours, 1024, remedy))
    return tuple(checks)


def _at_least(name: str, found: float, needed: float, remedy: str) -> Check:
    is_ok = found >= needed
    return Check(
        name=name,
        is_ok=is_ok,
        is_required=False,
        found=f"{found:,}",
        needed=f"{needed:,}",
        remedy="" if is_ok else remedy,
    )


def check_scales(limits: Limits) -> tuple[Check, ...]:
    """Which fabrics fit into the memory that is free now, and the cores; xs has to."""
    return tuple(_scale(scale, gib, cores, limits) for scale, (gib, cores) in SCALE_NEEDS.items())


def _scale(scale: str, gib: float, cores: int, limits: Limits) -> Check:
    is_ok = limits.memory_gib >= gib and limits.cores >= cores
    return Check(
        name=f"scale {scale}",
        is_ok=is_ok,
        is_required=scale == "xs",
        found=f"{limits.memory_gib:.1f} GiB free, cores: {limits.cores:g}",
        needed=f"{gib:g} GiB, cores: {cores}",
        remedy="" if is_ok else "end other programs, or take a larger machine",
    )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
