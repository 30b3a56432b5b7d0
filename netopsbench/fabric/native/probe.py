"""What really works inside a sandbox on this machine: every feature is tried, in namespaces of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netopsbench.core.process import run
from netopsbench.fabric.native.software import Software

PROBE_TIMEOUT_S = 30

# `unshare` succeeds on systems that then forbid everything inside, so only what was tried counts.
_SCRIPT = r"""
PATH=/usr/sbin:/usr/bin:/sbin:/bin
try() {
    step=$1; shift
    if said=$("$@" 2>&1); then verdict=ok; else verdict=no; fi
    printf '%s\t%s\t%s\n' "$step" "$verdict" "$(printf %s "$said" | tr '\n\t' '  ')"
}
write() { echo "$2" > "$1"; }
redirect() {
    tc qdisc add dev probe0 clsact &&
    tc filter add dev probe0 ingress protocol all prio 1 u32 match u32 0 0 \
        action mirred egress redirect dev probe1
}
forward() {
    printf '%s\n' 'table netdev probe {' 'chain in {' \
        'type filter hook ingress device "probe1" priority 0;' 'fwd to "probe0"' '}' '}' | nft -f -
}
room() {
    bwrap --unshare-net --unshare-pid --unshare-uts --unshare-ipc --cap-add ALL --as-pid-1 \
        --ro-bind / / --tmpfs /run --proc /proc --dev /dev \
        ip link add name probe2 type veth peer name probe3
}
[ -z "$1" ] || try overlay mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr
try link ip link add name probe0 type veth peer name probe1
try room room
try redirect redirect
try netem tc qdisc add dev probe1 root netem delay 1ms
try forward forward
try hash_seed write /proc/sys/net/ipv4/fib_multipath_hash_seed 1
try hash_fields write /proc/sys/net/ipv4/fib_multipath_hash_fields 51
"""


@dataclass(frozen=True)
class Tried:
    """How one step went."""

    is_ok: bool
    said: str
    """What the failing program said."""


def sandbox(is_root: bool) -> tuple[str, ...]:
    """The command that starts another one in namespaces of its own."""
    as_user = () if is_root else ("--user", "--map-root-user")
    return ("unshare", *as_user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def probe(software: Software | None, entry: Sequence[str]) -> Mapping[str, Tried]:
    """Try each step behind the command `entry`; one that wasn't reached has the sandbox's reason."""
    root = str(software.root) if software and software.root else ""
    done = run([*entry, "sh", "-c", _SCRIPT, "probe", root], timeout_s=PROBE_TIMEOUT_S)
    tried = {}
    for line in done.stdout.splitlines():
        step, _, rest = line.partition("\t")
        verdict, _, said = rest.partition("\t")
        tried[step] = Tried(verdict == "ok", said.strip())
    unreached = Tried(False, done.stderr.strip() or f"the sandbox ended with {done.returncode}")
    steps = ("overlay", "link", "room", "redirect", "netem", "forward", "hash_seed", "hash_fields")
    return {step: tried.get(step, unreached) for step in steps}
