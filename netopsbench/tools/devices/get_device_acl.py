"""The packet filter of a device."""

from typing import Annotated, Any

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.fabric import nft_shown
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask
from netopsbench.tools.devices.config_results import AclRule, DeviceAcl
from netopsbench.tools.paging import Limit, Offset, page_of

_ACTIONS = ("drop", "reject", "accept", "queue", "jump", "goto", "return")


def get_device_acl(
    context: ToolContext,
    device: Device,
    interface: Annotated[str | None, Field(description="Only rules that name this interface.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> DeviceAcl:
    """The packet filter rules of a device with their conditions, actions and counters, in order.

    A rule without conditions on interface, address, protocol or port matches every packet in that respect.
    """
    context.device(device)
    shown = ask(context, device, ["nft", "-j", "list", "ruleset"])
    entries = shown.get("nftables") if isinstance(shown, dict) else None
    if not isinstance(entries, list):
        raise ToolError(f"{device} did not show its packet filter")
    chains = [entry["chain"] for entry in entries if "chain" in entry]
    rules = [_rule(entry["rule"]) for entry in entries if "rule" in entry]
    if interface is not None:
        rules = [rule for rule in rules if interface in (*rule.in_interfaces, *rule.out_interfaces)]
    chosen, page = page_of(rules, offset, limit)
    return DeviceAcl(
        device=device,
        default_actions={str(chain["name"]): str(chain["policy"]) for chain in chains if "policy" in chain},
        rules=chosen,
        page=page,
    )


def _rule(entry: dict[str, Any]) -> AclRule:
    conditions: dict[str, tuple[str, ...]] = dict.fromkeys(nft_shown.FIELDS.values(), ())
    others: list[str] = []
    action, packets = "count", None
    for part in entry.get("expr", []):
        if "match" in part:
            where = nft_shown.FIELDS.get(nft_shown.looked_at(part["match"].get("left", {})))
            if where is None or part["match"].get("op") not in ("==", "in"):
                others.append(str(part["match"]))
                continue
            values = nft_shown.values(part["match"].get("right"))
            if where == "protocols":
                values = (nft_shown.PROTOCOLS.get(value, value) for value in values)
            conditions[where] = (*conditions[where], *values)
            if where == "destination_ports" and not conditions["protocols"]:
                conditions["protocols"] = (nft_shown.looked_at(part["match"]["left"])[0],)
        elif isinstance(part.get("counter"), dict):
            packets = int(part["counter"].get("packets", 0))
        else:
            action = next((name for name in _ACTIONS if name in part), action)
    return AclRule(
        chain=str(entry.get("chain", "")), action=action, packets=packets, other_conditions=tuple(others), **conditions
    )
