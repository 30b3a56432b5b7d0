"""The commands of all vendors as Markdown, read off their table."""

from netopsbench.vendors.names import NEEDS, TITLES, VENDORS
from netopsbench.vendors.table import commands_for

_CALLED = {
    "huawei": "Huawei VRP",
    "h3c": "H3C Comware",
    "cisco": "Cisco IOS",
    "arista": "Arista EOS",
    "sonic": "SONiC",
    "frr": "FRR",
    "linux": "Linux",
}


def vendor_commands() -> str:
    """A section for each need, with every vendor's commands."""
    lines: list[str] = []
    for need in NEEDS:
        lines += [f"### {need}", "", f"{TITLES[need][0].upper()}{TITLES[need][1:]}.", ""]
        lines += ["| vendor | commands |", "|---|---|"]
        for vendor in VENDORS:
            patterns = ", ".join(f"`{command.pattern}`" for command in commands_for(vendor, need)).replace("|", "\\|")
            lines.append(f"| {_CALLED[vendor]} | {patterns or 'none'} |")
        lines.append("")
    return "\n".join(lines).rstrip()
