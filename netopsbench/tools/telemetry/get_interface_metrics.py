"""What a device's interfaces carried, baseline against now."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import Node
from netopsbench.records.telemetry import InterfaceCounters, NodeCounters, Window
from netopsbench.telemetry.rates import reach, restarts, samples_of, total_rise
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.telemetry.collector_results import DeviceMetrics, InterfaceMetrics, MetricsWindow
from netopsbench.tools.telemetry.collectors import of_type, view_of

_NOT_COUNTERS = {"kind", "t_ns", "source"}


def get_interface_metrics(
    context: ToolContext,
    device: Device,
    interface: Annotated[str | None, Field(description="Only this interface.")] = None,
) -> DeviceMetrics:
    """Traffic, discards and errors of a device's interfaces, in the healthy baseline and in the time in question.

    Beside them what the device's kernel refused or found damaged: checksum errors, missing routes, reverse-path
    filtering, packets too large. A cable can lose packets that no counter of either end sees.
    """
    node = context.device(device)
    known = [port.name for port in node.interfaces]
    if interface is not None and interface not in known:
        raise ToolError(f"{device} has no interface {interface[:40]!r}; it has: {', '.join(known)}", "bad_arguments")
    return DeviceMetrics(
        device=device,
        baseline=_window(context, node, interface, context.baseline),
        current=_window(context, node, interface, context.current),
    )


def _window(context: ToolContext, node: Node, interface: str | None, window: Window) -> MetricsWindow:
    where = {"source": node.name}
    found = of_type(context.store.query("interface_counters", reach(window), where), InterfaceCounters)
    refused = of_type(context.store.query("node_counters", reach(window), where), NodeCounters)
    wanted = [port.name for port in node.interfaces if interface in (None, port.name)]
    samples = {name: samples_of([each for each in found if each.interface == name], window) for name in wanted}
    return MetricsWindow(
        interfaces=tuple(_metrics(name, some) for name, some in samples.items() if some),
        missing=tuple(name for name, some in samples.items() if not some),
        kernel=_kernel(samples_of(refused, window)),
        collector=view_of(context, "interfaces", reach(window), node.name),
    )


def _metrics(name: str, samples: Sequence[InterfaceCounters]) -> InterfaceMetrics:
    length_s = (samples[-1].t_ns - samples[0].t_ns) / 1e9

    def counted(field: str) -> int:
        return total_rise([getattr(sample, field) for sample in samples])

    return InterfaceMetrics(
        interface=name,
        length_s=round(length_s, 3),
        in_packets_per_s=round(counted("in_packets") / length_s, 1),
        in_mbit_per_s=round(counted("in_octets") * 8e-6 / length_s, 3),
        in_discards=counted("in_discards"),
        in_errors=counted("in_errors"),
        out_packets_per_s=round(counted("out_packets") / length_s, 1),
        out_mbit_per_s=round(counted("out_octets") * 8e-6 / length_s, 3),
        out_discards=counted("out_discards"),
        out_errors=counted("out_errors"),
        restarts=max(restarts([getattr(each, field) for each in samples]) for field in ("in_packets", "out_packets")),
    )


def _kernel(samples: Sequence[NodeCounters]) -> dict[str, int]:
    names = [name for name in NodeCounters.model_fields if name not in _NOT_COUNTERS]
    counted = {name: total_rise([getattr(sample, name) for sample in samples]) for name in names}
    return {name: value for name, value in counted.items() if value}
