"""First process of the test sandbox: clients in namespaces of their own, joined by a bridge.

Prints the clients' PIDs as JSON, then lives until its standard input ends.
"""

import json
import subprocess
import sys
import time
from pathlib import Path


def ip(*words: str, pid: int | None = None) -> None:
    enter = ["nsenter", "--target", str(pid), "--net"] if pid else []
    subprocess.run([*enter, "ip", *words], check=True)


def add_client(number: int) -> int:
    holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    home = Path("/proc/self/ns/net").readlink()
    while Path(f"/proc/{holder.pid}/ns/net").readlink() == home:
        time.sleep(0.005)
    address = f"02:00:00:00:00:{number:02x}"
    peer = ["peer", "name", "eth1", "address", address, "netns", str(holder.pid)]
    ip("link", "add", "name", f"wire{number}", "type", "veth", *peer)
    ip("link", "set", "dev", f"wire{number}", "mtu", "9100", "master", "hub", "up")
    ip("addr", "add", f"10.0.0.{number}/24", "dev", "eth1", pid=holder.pid)
    ip("link", "set", "dev", "eth1", "mtu", "9100", "up", pid=holder.pid)
    return holder.pid


def main() -> None:
    # Without multicast snooping and spanning tree, the bridge forwards from the first moment.
    ip("link", "add", "name", "hub", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
    ip("link", "set", "dev", "hub", "up")
    pids = [add_client(number + 1) for number in range(int(sys.argv[1]))]
    for pid in pids:
        # Address resolution would make the first probe after a link's return late.
        for number in range(1, len(pids) + 1):
            words = ["neigh", "replace", f"10.0.0.{number}", "lladdr", f"02:00:00:00:00:{number:02x}"]
            ip(*words, "dev", "eth1", "nud", "permanent", pid=pid)
    print(json.dumps(pids), flush=True)
    sys.stdin.read()


main()
