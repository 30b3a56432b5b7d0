"""Set-up and quickstart by an ordinary user leave the system as it was."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
ORDINARY_UID = 65534
SYSCTLS = (
    "net/core/rmem_max",
    "net/core/somaxconn",
    "net/ipv4/conf/all/rp_filter",
    "net/ipv4/conf/default/rp_filter",
    "net/ipv4/fib_multipath_hash_fields",
    "net/ipv4/fib_multipath_hash_policy",
    "net/ipv4/fib_multipath_hash_seed",
    "net/ipv4/icmp_ratelimit",
    "net/ipv4/ip_forward",
    "net/ipv4/neigh/default/gc_thresh3",
    "net/ipv6/conf/all/disable_ipv6",
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/unprivileged_userns_clone",
    "fs/inotify/max_user_instances",
    "user/max_net_namespaces",
    "user/max_user_namespaces",
)

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(shutil.which("apt-get") is None, reason="set-up is tested on Debian and Ubuntu only"),
]


@dataclass(frozen=True)
class System:
    """Everything of the system that set-up could have changed."""

    packages: str
    etc: Mapping[str, str]
    links: str
    mounts: str
    sysctls: Mapping[str, str]
    services: str


def observe() -> System:
    return System(
        packages=said("dpkg-query", "--show"),
        etc={str(path): digest(path) for path in sorted(Path("/etc").rglob("*"))},
        links="\n".join(sorted(path.name for path in Path("/sys/class/net").iterdir())),
        mounts=Path("/proc/self/mountinfo").read_text(),
        sysctls={name: setting(Path("/proc/sys") / name) for name in SYSCTLS},
        services=said("systemctl", "list-units", "--type=service", "--state=running", "--plain", "--no-legend"),
    )


def said(*argv: str) -> str:
    if shutil.which(argv[0]) is None:
        return ""
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False).stdout


def setting(path: Path) -> str:
    return path.read_text() if path.is_file() else "absent"


def digest(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    status = path.stat()
    is_readable = path.is_file() and os.access(path, os.R_OK)
    content = hashlib.sha256(path.read_bytes()).hexdigest() if is_readable else ""
    return f"{status.st_mode:o} {status.st_uid}:{status.st_gid} {content}"


@dataclass(frozen=True)
class Visitor:
    """An ordinary user with a copy of the checkout and an empty home."""

    folder: Path

    def run(self, *argv: str) -> "subprocess.CompletedProcess[str]":
        drop = ("setpriv", f"--reuid={ORDINARY_UID}", f"--regid={ORDINARY_UID}", "--clear-groups")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("NETOPSBENCH", "XDG_", "VIRTUAL_"))
        }
        return subprocess.run(
            [*(drop if os.geteuid() == 0 else ()), *argv],
            cwd=self.folder / "tree",
            env=kept | {"HOME": str(self.folder / "home"), "PATH": "/usr/local/bin:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def processes(self) -> list[str]:
        """Command lines of this user's processes that are still there."""
        mark = str(self.folder).encode()
        return [
            command.replace(b"\0", b" ").decode(errors="replace")
            for pid in Path("/proc").glob("[0-9]*")
            if mark in read(pid / "environ") + (command := read(pid / "cmdline"))
        ]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ProcessLookupError):
        return b""


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    # Not under pytest's own folder: that belongs to the user who runs the tests, and nobody else may enter it.
    folder = Path(tempfile.mkdtemp(prefix="visitor-", dir="/var/tmp"))
    try:
        leave_out = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", ".hypothesis", "runs", "dist")
        shutil.copytree(CHECKOUT, folder / "tree", ignore=leave_out)
        (folder / "home").mkdir()
        folder.chmod(0o755)
        if os.geteuid() == 0:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, ORDINARY_UID, ORDINARY_UID, follow_symlinks=False)
        yield Visitor(folder)
    finally:
        shutil.rmtree(folder)


def test_setup_and_doctor_change_nothing_and_are_quick_the_second_time(visitor: Visitor) -> None:
    before = observe()
    first = visitor.run("sh", "scripts/setup.sh")
    assert first.returncode == 0, first.stderr
    command = f"{first.stdout.strip()}/bin/netopsbench"
    fixed = visitor.run(command, "doctor", "--fix")
    assert "FRR" in fixed.stdout, fixed.stderr
    second = visitor.run("sh", "scripts/setup.sh")
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert observe() == before
    assert visitor.processes() == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_quickstart_changes_nothing(visitor: Visitor) -> None:
    before = observe()
    done = visitor.run("sh", "scripts/quickstart.sh")
    assert done.returncode == 0, done.stderr
    assert "report.html" in done.stdout + done.stderr
    assert observe() == before
    assert visitor.processes() == []
