"""Ways out of the sandbox that an agent might try, one test each: none of them gets it anything."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from netopsbench.agent.run import Examination

ShutIn = Callable[..., Examination]

MARK = "escape-mark-5c2e"
DONE = '\nprint(\'{"verdict": "inconclusive"}\')'


@pytest.fixture
def bystander() -> Iterator[int]:
    """A process outside, as the runner or a router is one."""
    process = subprocess.Popen([sys.executable, "-c", "input()", MARK], stdin=subprocess.PIPE, env={"MARK": MARK})
    yield process.pid
    assert process.poll() is None, "it was ended from inside"
    process.kill()
    process.wait()


@pytest.fixture
def run_folder() -> Iterator[Path]:
    """A run with its truth, readable by everybody, where people keep them."""
    folder = Path("/var/tmp") / f"runs-{MARK}" / "trials"
    folder.mkdir(parents=True)
    (folder / "case.json").write_text(json.dumps({"truth": MARK}))
    yield folder.parent
    (folder / "case.json").unlink()
    folder.rmdir()
    folder.parent.rmdir()


def held_in(shut_in: ShutIn, code: str, *words: object) -> None:
    """The attempt itself ends well only when all that it tried was in vain."""
    outcome = shut_in([sys.executable, "-c", code + DONE, *map(str, words)])
    assert outcome.failure is None, (outcome.failure, outcome.message, outcome.stderr)
    assert MARK not in outcome.stderr


def test_proc_of_the_parent_and_of_the_first_process(shut_in: ShutIn, bystander: int) -> None:
    code = """
import os, sys
assert not os.path.exists(f"/proc/{sys.argv[1]}")
for pid in {"1", str(os.getppid())}:
    for name in ("environ", "cmdline", "maps", "root/etc/shadow", "cwd/run.json"):
        try:
            seen = open(f"/proc/{pid}/{name}", "rb").read(1 << 16)
        except OSError:
            continue
        assert b"escape-" + b"mark" not in seen, (pid, name)
        assert not (name.startswith(("root", "cwd")) and seen), (pid, name)
"""
    held_in(shut_in, code, bystander)


def test_the_run_folder_by_its_path(shut_in: ShutIn, run_folder: Path) -> None:
    code = """
import os, sys
for path in (sys.argv[1], os.path.dirname(sys.argv[1]), "/proc/1/root" + sys.argv[1], "/proc/self/root" + sys.argv[1]):
    try:
        raise SystemExit(f"{path}: {os.listdir(path)}")
    except OSError:
        pass
"""
    held_in(shut_in, code, run_folder)


def test_the_scenario_by_any_path(shut_in: ShutIn) -> None:
    code = """
import os
kept = []
for top, folders, files in os.walk("/", onerror=lambda _: None):
    folders[:] = [each for each in folders if os.path.join(top, each) not in ("/proc", "/sys", "/usr")]
    where = top.split("/")
    if "site-packages" not in where:
        kept += [os.path.join(top, each) for each in files if each.endswith((".yaml", ".yml")) or each in
                 ("run.json", "plan.json", "manifest.json", "journal.jsonl", "calls.jsonl")]
assert not kept, kept
"""
    held_in(shut_in, code)


def test_the_environment(shut_in: ShutIn) -> None:
    code = """
import os
assert set(os.environ) <= {"PATH", "LANG", "PWD", "NETOPSBENCH_TOOLS", "LC_CTYPE"}, sorted(os.environ)
"""
    held_in(shut_in, code)


def test_descriptors_that_were_left_open(shut_in: ShutIn) -> None:
    code = """
import os
here = "/proc/self/fd"
found = {}
for name in os.listdir(here):
    try:
        found[int(name)] = os.readlink(f"{here}/{name}")
    except OSError:
        continue
extra = {number: what for number, what in found.items() if number > 2 and not what.startswith("/proc/")}
assert not extra, extra
"""
    held_in(shut_in, code)


def test_network_namespaces_of_nodes(shut_in: ShutIn, bystander: int) -> None:
    code = """
import ctypes, glob, os, sys
libc = ctypes.CDLL(None, use_errno=True)
own = os.readlink("/proc/self/ns/net")
for path in [*glob.glob("/proc/[0-9]*/ns/net"), *glob.glob("/run/netns/*"), f"/proc/{sys.argv[1]}/ns/net"]:
    try:
        assert os.readlink(path) == own, path
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    assert libc.setns(handle, 0) == -1, path
"""
    held_in(shut_in, code, bystander)


def test_tc_and_nft_of_the_wires(shut_in: ShutIn) -> None:
    code = """
import shutil, socket, subprocess
assert [name for _, name in socket.if_nameindex()] == ["lo"], socket.if_nameindex()
for argv in (["tc", "filter", "show"], ["tc", "qdisc", "show"], ["nft", "list", "ruleset"], ["ip", "-o", "link"]):
    if shutil.which(argv[0]):
        seen = subprocess.run(argv, capture_output=True, text=True, timeout=20).stdout
        for told in ("mirred", "u32", "netem", "tbf", "table ", "chain ", "@", "veth"):
            assert told not in seen, seen
"""
    held_in(shut_in, code)


def test_ptrace(shut_in: ShutIn, bystander: int) -> None:
    code = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
ATTACH, SEIZE = 16, 0x4206
for pid in (1, os.getppid(), int(sys.argv[1])):
    if pid in (0, os.getpid()):
        continue
    for request in (SEIZE, ATTACH):
        if libc.ptrace(request, ctypes.c_long(pid), None, None) == 0:
            assert b"escape" not in open(f"/proc/{pid}/environ", "rb").read(), pid
"""
    held_in(shut_in, code, bystander)


def test_memory_of_others(shut_in: ShutIn, bystander: int) -> None:
    code = """
import sys
for path in (f"/proc/{sys.argv[1]}/mem", "/dev/mem", "/dev/kmem", "/proc/kcore", "/dev/port"):
    try:
        open(path, "rb").read(1)
    except OSError:
        continue
    raise SystemExit(path)
"""
    held_in(shut_in, code, bystander)


def test_signals(shut_in: ShutIn, bystander: int) -> None:
    code = f"""
import os, signal, sys
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
try:
    os.kill(int(sys.argv[1]), {int(signal.SIGKILL)})
except OSError:
    pass
try:
    os.killpg(0, signal.SIGUSR1)
except OSError:
    pass
"""
    held_in(shut_in, code, bystander)


def test_sockets_without_a_path(shut_in: ShutIn) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{MARK}-{os.getpid()}")
        listener.listen()
        code = """
import socket, sys
try:
    socket.socket(socket.AF_UNIX).connect(chr(0) + sys.argv[1])
except OSError:
    pass
else:
    raise SystemExit("connected")
"""
        held_in(shut_in, code, f"{MARK}-{os.getpid()}")


def test_the_routers_sockets(shut_in: ShutIn) -> None:
    code = """
import glob, os, stat
found = [path for top in ("/run", "/var", "/tmp") for path in glob.glob(f"{top}/**", recursive=True)]
sockets = [path for path in found if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode)]
assert sockets == [os.environ["NETOPSBENCH_TOOLS"]], sockets
"""
    held_in(shut_in, code)


def test_a_user_namespace_of_its_own(shut_in: ShutIn, run_folder: Path) -> None:
    """Where the kernel lets it make one, it is mighty in there and sees no more than before."""
    code = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000 | 0x00020000) == 0:
    libc.umount2(b"/proc", 2)
    libc.mount(b"proc", b"/tmp", b"proc", 0, None)
    libc.umount2(b"/", 2)
assert not os.path.exists(sys.argv[1])
"""
    held_in(shut_in, code, run_folder)


def test_the_journal_of_our_own_agents_cannot_be_written(shut_in: ShutIn) -> None:
    code = """
import os
line = b'{"t_ns": 1, "kind": "wait", "wait_s": 300}' + bytes([10])
for descriptor in range(3, 64):
    try:
        os.write(descriptor, line)
    except OSError:
        pass
"""
    outcome = shut_in([sys.executable, "-c", code + DONE])
    assert outcome.failure is None, outcome.message
    assert (outcome.waited_s, outcome.events) == (0, ())
