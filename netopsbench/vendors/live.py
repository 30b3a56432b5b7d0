"""Facts from a running device: from its kernel, its routing software, and what was recorded of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, cast

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.core.process import Completed
from netopsbench.fabric.labs.lldp import SHOW_NEIGHBORS
from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2
from netopsbench.vendors import read_bgp, read_config, read_kernel, read_layer2, read_routing
from netopsbench.vendors import sessions as s
from netopsbench.vendors.command import Facts, View
from netopsbench.vendors.printed import KernelPrinted, RouterPrinted

_SAVED = (
    "cd /etc/frr && for file in zebra staticd bgpd ospfd isisd bfdd ripd eigrpd vrrpd; do"
    ' cat "$file.conf" 2>/dev/null; done; true'
)
_PROCESSES = "cat /proc/uptime /proc/[0-9]*/stat 2>/dev/null; true"
_NEIGHBORS = ("sh", "-c", " ".join(SHOW_NEIGHBORS))
"""By a shell: a device without lldpd lacks the program too, and would pass for one that is gone."""
_PING_EVERY_S = "0.2"


class Reach(Protocol):
    """What can be done with one device."""

    def run(self, argv: Sequence[str]) -> Completed:
        """Run a command on it. Raises ToolError `timeout`."""
        ...

    def log(self) -> f.LogLines:
        """What it wrote into its log."""
        ...

    def trace(self, target: str, source: str | None) -> f.Trace:
        """Find the hops to an address; `source` is an address."""
        ...


class LiveDevice:
    """One device, asked anew each time."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._ways: Mapping[type[Model], Callable[[View], Model]] = {
            f.Configuration: lambda view: self._configuration(),
            f.SavedConfiguration: lambda view: self._saved(),
            f.Interfaces: lambda view: self._interfaces(),
            f.Neighbors: lambda view: read_kernel.neighbors(self._list("ip -j -4 neigh show")),
            f.Fib: lambda view: read_kernel.fib(self._list("ip -j -4 route show table main")),
            f.PacketFilter: lambda view: read_kernel.packet_filter(self._ask(["nft", "-j", "list", "ruleset"])),
            f.Processes: lambda view: read_kernel.processes(self._text(["sh", "-c", _PROCESSES])),
            f.Routes: lambda view: read_routing.routes(self._router("show ip route json")),
            s.BgpSummary: lambda view: read_bgp.summary(self._router("show bgp ipv4 unicast summary json")),
            s.BgpSessions: lambda view: read_bgp.sessions(self._router("show bgp neighbors json")),
            s.BgpTable: lambda view: read_bgp.table(self._router("show bgp ipv4 unicast json")),
            s.OspfNeighbors: lambda view: read_routing.ospf(self._router("show ip ospf neighbor json")),
            s.IsisNeighbors: lambda view: read_routing.isis(self._router("show isis neighbor json")),
            s.BfdSessions: lambda view: read_routing.bfd(self._json(["vtysh", "-c", "show bfd peers json"])),
            f.Policies: lambda view: self._policies(),
            l2.PortQueues: lambda view: read_layer2.queues(self._list("tc -j -s qdisc show")),
            l2.Bridges: lambda view: self._bridges(),
            l2.Tunnels: lambda view: self._tunnels(),
            l2.StandbyGroups: lambda view: read_layer2.standby(self._json(["vtysh", "-c", "show vrrp json"])),
            f.LogLines: lambda view: self._reach.log(),
            f.LinkNeighbors: lambda view: read_layer2.link_neighbors(self._json(_NEIGHBORS)),
            f.Ping: self._ping,
            f.Trace: lambda view: self._reach.trace(view.arguments["address"], self._source(view, addresses_only=True)),
            RouterPrinted: lambda view: RouterPrinted(lines=self._router_words(view)),
            KernelPrinted: lambda view: KernelPrinted(lines=self._kernel_words(view)),
        }  # fmt: skip

    def look(self, want: type[Facts], view: View) -> Facts:
        """Ask the device. Raises ToolError."""
        return cast(Facts, self._ways[want](view))

    def _interfaces(self) -> f.Interfaces:
        shown = self._list("ip -j -s addr show")
        described = self._json(["vtysh", "-c", "show interface json"])
        texts = described if isinstance(described, dict) else {}
        return read_kernel.interfaces(
            shown, {name: str(each.get("description", "")) for name, each in texts.items() if isinstance(each, dict)}
        )

    def _configuration(self) -> f.Configuration:
        done = self._reach.run(["vtysh", "-c", "show running-config"])
        return f.Configuration(lines=read_config.running(done.stdout) if done.is_ok else ())

    def _saved(self) -> f.SavedConfiguration:
        return f.SavedConfiguration(lines=read_config.saved(self._text(["sh", "-c", _SAVED])))

    def _policies(self) -> f.Policies:
        return read_config.policies(self._configuration().lines)

    def _bridges(self) -> l2.Bridges:
        links = self._list("ip -j -d link show")
        return read_layer2.bridges(links, self._json(["nft", "-j", "list", "ruleset"]))

    def _tunnels(self) -> l2.Tunnels:
        entries = self._list("bridge -j fdb show")
        return read_layer2.tunnels(self._list("ip -j -d link show type vxlan"), entries)

    def _ping(self, view: View) -> f.Ping:
        asked = view.arguments
        count, size = int(asked.get("count", f.USUAL_COUNT)), int(asked.get("size", f.USUAL_SIZE_BYTES))
        source = self._source(view)
        options = [
            *(["-I", source] if source else []),
            *(["-M", "do"] if view.forbids_fragments else []),
        ]
        # Between two requests passes so little time that the longest run ends before the tool gives up.
        argv = [
            "ping",
            "-n",
            "-c",
            str(count),
            "-i",
            _PING_EVERY_S,
            "-W",
            "1",
            "-s",
            str(size),
            *options,
            asked["address"],
        ]
        done = self._reach.run(argv)
        return read_kernel.ping(done.stdout + done.stderr, asked["address"], source, size, count)

    def _source(self, view: View, *, addresses_only: bool = False) -> str | None:
        source = view.arguments.get("source")
        if source is None or not addresses_only or source[0].isdigit():
            return source
        owned = [each.addresses for each in self._interfaces().interfaces if each.name == source and each.addresses]
        if not owned:
            raise ToolError(f"{view.device}: {view.names.of(source)} has no address to send from", "bad_arguments")
        return owned[0][0].partition("/")[0]

    def _router_words(self, view: View) -> tuple[str, ...]:
        done = self._reach.run(["vtysh", "-c", " ".join(view.words)])
        return tuple((done.stdout + done.stderr).splitlines())

    def _kernel_words(self, view: View) -> tuple[str, ...]:
        done = self._reach.run(view.words)
        return tuple((done.stdout + done.stderr).splitlines())

    def _text(self, argv: Sequence[str]) -> str:
        return self._reach.run(argv).stdout

    def _router(self, command: str) -> dict[str, Any] | None:
        """None when the daemon doesn't run."""
        answer = self._json(["vtysh", "-c", command])
        return answer if isinstance(answer, dict) else None

    def _list(self, command: str) -> list[dict[str, Any]]:
        answer = self._ask(command.split())
        if not isinstance(answer, list):
            raise ToolError("the device did not show its state")
        return [each for each in answer if isinstance(each, dict) and each]

    def _ask(self, argv: Sequence[str]) -> Any:
        answer = self._json(argv)
        if answer is None:
            raise ToolError("the device did not show its state")
        return answer

    def _json(self, argv: Sequence[str]) -> Any:
        done = self._reach.run(argv)
        if not done.is_ok:
            return None
        try:
            return json.loads(done.stdout)
        except ValueError:
            return None
