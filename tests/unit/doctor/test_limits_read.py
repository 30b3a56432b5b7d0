"""Limits are the smallest of what kernel, container and session grant."""

from pathlib import Path

import pytest

from netopsbench.fabric.native.limits import read_limits

GIB = 1024**3


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A /proc with generous limits."""
    files = {
        "meminfo": "MemTotal: 33554432 kB\nMemAvailable: 16777216 kB\n",
        "self/cgroup": "0::/box\n",
        "sys/kernel/pid_max": "4194304\n",
        "sys/kernel/threads-max": "190000\n",
        "sys/fs/nr_open": "1048576\n",
        "sys/fs/inotify/max_user_instances": "128\n",
    }
    files |= {f"sys/user/max_{kind}_namespaces": "90000\n" for kind in ("user", "net", "mnt", "pid", "uts", "ipc")}
    for name, content in files.items():
        path = tmp_path / "proc" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "proc"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """The control group of this process, without limits."""
    box = tmp_path / "cgroup" / "box"
    box.mkdir(parents=True)
    return box


def test_available_memory_counts_where_no_container_limits_it(tmp_path: Path, proc: Path, box: Path) -> None:
    (box / "memory.max").write_text("max\n")
    assert read_limits(tmp_path, proc, box.parent).memory_gib == 16


def test_a_container_leaves_its_limit_less_what_it_uses(tmp_path: Path, proc: Path, box: Path) -> None:
    (box / "memory.max").write_text(f"{4 * GIB}\n")
    (box / "memory.current").write_text(f"{1 * GIB}\n")
    assert read_limits(tmp_path, proc, box.parent).memory_gib == 3


def test_a_cpu_quota_counts_as_a_share_of_a_core(tmp_path: Path, proc: Path, box: Path) -> None:
    (box / "cpu.max").write_text("50000 100000\n")
    assert read_limits(tmp_path, proc, box.parent).cores == 0.5


def test_the_smallest_kind_of_namespace_limits_the_fabric(tmp_path: Path, proc: Path, box: Path) -> None:
    (proc / "sys/user/max_uts_namespaces").write_text("7\n")
    assert read_limits(tmp_path, proc, box.parent).namespaces == 7


def test_a_kernel_without_user_namespaces_grants_none(tmp_path: Path, proc: Path, box: Path) -> None:
    (proc / "sys/user/max_user_namespaces").unlink()
    assert read_limits(tmp_path, proc, box.parent).namespaces == 0


def test_a_container_may_allow_fewer_processes_than_the_kernel(tmp_path: Path, proc: Path, box: Path) -> None:
    (box / "pids.max").write_text("300\n")
    assert read_limits(tmp_path, proc, box.parent).processes == 300


def test_neighbour_limit_is_unknown_inside_another_network_namespace(tmp_path: Path, proc: Path, box: Path) -> None:
    assert read_limits(tmp_path, proc, box.parent).neighbours is None
    path = proc / "sys/net/ipv4/neigh/default/gc_thresh3"
    path.parent.mkdir(parents=True)
    path.write_text("1024\n")
    assert read_limits(tmp_path, proc, box.parent).neighbours == 1024
