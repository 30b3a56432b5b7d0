"""Published tools that send something through the network."""

import shlex
from typing import Annotated

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.fabric.queries import client_address
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.exec_shell import exec_shell
from netopsbench.tools.devices.live_results import Shown
from netopsbench.tools.packets.beside import ask_beside
from netopsbench.tools.packets.ping_test import address_of, ping_test
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.results import Page, PingResult

Host = Annotated[str, Field(description="A device: a host or a router.", examples=["pc1"])]
_PING_DEADLINE_S = 25.0
_LEAST_PAYLOAD, _MOST_PAYLOAD = 12, 9500
_FIGURES = r"lookup %{time_namelookup} s, connect %{time_connect} s, first byte %{time_starttransfer} s, "
_FIGURES += r"total %{time_total} s, code %{http_code}\n"
_EACH_S = 3
_FLOW_SLACK_S = 10.0


class Reached(Model):
    """Whether a host gets an answer from another one."""

    src: str
    dst: str
    address: str
    is_answered: bool


class Reachability(Model):
    """Pings between all hosts, lost ones first."""

    devices: tuple[str, ...]
    """Every device there is, routers too."""
    pairs: tuple[Reached, ...]
    answered: int
    page: Page


class Throughput(Model):
    """What one TCP connection carried."""

    client: str
    server: str
    address: str
    length_s: float
    received_bytes: int
    mbit_per_s: float
    error: str | None
    """Why nothing or not all was carried."""


def get_reachability(context: ToolContext, offset: Offset = 0, limit: Limit = 500) -> Reachability:
    """Ping from every host to every other one, and see who gets an answer. Names every device there is."""
    hosts = [node for node in context.plan.nodes if not node.is_switch]
    pairs = [(here, there, str(client_address(there))) for here in hosts for there in hosts if here != there]
    asked = {"ask": "ping", "of": [(context.fabric.pid(here.name), address) for here, _, address in pairs]}
    answers: list[bool] = ask_beside(context, "netopsbench.fabric.labs.inspector", asked, _PING_DEADLINE_S)
    found = [
        Reached(src=here.name, dst=there.name, address=address, is_answered=is_answered)
        for (here, there, address), is_answered in zip(pairs, answers, strict=True)
    ]
    chosen, page = page_of(sorted(found, key=lambda each: each.is_answered), offset, limit)
    devices = tuple(node.name for node in context.plan.nodes)
    return Reachability(devices=devices, pairs=chosen, answered=sum(answers), page=page)


def ping_pair(
    context: ToolContext,
    host_a: Host,
    host_b: Host,
    count: Annotated[int, Field(ge=1, le=10, description="Packets.")] = 4,
    args: Annotated[str, Field(max_length=40, description="`-s BYTES` and `-M do` are understood.")] = "",
) -> PingResult:
    """Ping one host from another."""
    size_bytes, dont_fragment = _ping_options(args)
    return ping_test(
        context,
        host_a,
        host_b,
        protocol="icmp",
        source_ports=1,
        count=count,
        size_bytes=size_bytes,
        dont_fragment=dont_fragment,
    )


def curl_web_test(
    context: ToolContext,
    host_name: Host,
    url: Annotated[str, Field(pattern=r"^https?://\S{1,300}$", examples=["http://web1.local/"])],
    times: Annotated[int, Field(ge=1, le=6)] = 5,
) -> Shown:
    """Fetch a page from a host, several times, and see how long it took."""
    page = shlex.quote(url)
    fetch = f"curl -s -o /dev/null -m {_EACH_S} -w {shlex.quote(_FIGURES)} {page}"
    plain = f"busybox wget -q -O /dev/null -T {_EACH_S} {page} && echo fetched || echo failed"
    once = f"if command -v curl >/dev/null; then {fetch}; else {plain}; fi"
    return exec_shell(context, host_name, f"for n in $(seq {times}); do {once}; done")


def iperf_test(
    context: ToolContext,
    client_host_name: Host,
    server_host_name: Host,
    duration: Annotated[int, Field(ge=1, le=20, description="Seconds.")] = 10,
) -> Throughput:
    """What one TCP connection from a host to another carries."""
    address = address_of(context, server_host_name)
    request = {
        "client": context.fabric.pid(context.device(client_host_name).name),
        "server": context.fabric.pid(context.device(server_host_name).name),
        "address": address,
        "duration_s": duration,
    }
    reply = ask_beside(context, "netopsbench.tools.packets.throughput_probe", request, duration + _FLOW_SLACK_S)
    length_s, received = float(reply["length_s"]), int(reply["received_bytes"])
    return Throughput(
        client=client_host_name,
        server=server_host_name,
        address=address,
        length_s=length_s,
        received_bytes=received,
        mbit_per_s=round(received * 8e-6 / length_s, 3) if length_s else 0.0,
        error=reply["error"],
    )


def _ping_options(args: str) -> tuple[int, bool]:
    """Payload in bytes, and whether routers may not cut it."""
    words, size_bytes, dont_fragment = shlex.split(args), 64, False
    while words:
        match words:
            case ["-s", size, *words] if size.isdigit() and _LEAST_PAYLOAD <= int(size) <= _MOST_PAYLOAD:
                size_bytes = int(size)
            case ["-M", "do", *words]:
                dont_fragment = True
            case _:
                wanted = f"`-s BYTES` ({_LEAST_PAYLOAD} to {_MOST_PAYLOAD}) and `-M do`"
                raise ToolError(f"args {args!r} isn't understood; it takes {wanted}", "bad_arguments")
    return size_bytes, dont_fragment
