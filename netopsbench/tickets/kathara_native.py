"""A Kathará lab that runs as it is written: its startup scripts with errors ignored, its files laid over a node's own.

What its files tell of addresses, routing and services is known besides, so that the lab can be inspected like any
other; what it needs and this machine lacks is named.
"""

import re
import shlex
import shutil
from collections.abc import Callable, Collection, Iterator
from ipaddress import IPv4Address
from typing import NamedTuple

from netopsbench.core.errors import Problem
from netopsbench.fabric.labs.check import RESERVED_FILES
from netopsbench.fabric.labs.service_shim import ALIASES, PATH, shim_files
from netopsbench.fabric.labs.spec import DnsService, HttpService, LabHost, LabNode, Service
from netopsbench.fabric.spec import FabricSpec
from netopsbench.tickets.kathara import KatharaLab, Machine
from netopsbench.tickets.kathara_lab import DHCP_CLIENTS, NO_DHCP, as_lab, safe_name
from netopsbench.tickets.kathara_names import unserved_records, zone_records

MTU = 1500
"""As Kathará's networks have it."""
HasProgram = Callable[[str], bool]
_WRITABLE = ("var", "root", "tmp", "run", "srv")
_STARTUP = "startup/commands"
_NOT_SERVED = {
    "dhcp": f"{NO_DHCP}; give the machines their addresses in their startup scripts",
    "dns": "its zones name no address that a machine here has, so no name server runs",
}
"""Why a service that other labs have isn't there."""
_SERVICE = re.compile(
    r"(?:systemctl\s+(?:--\S+\s+)*(?:re)?start\s+|service\s+|/etc/init\.d/)(?P<name>[\w@.-]+?)(?:\.service)?(?:\s+(?:re)?start)?\s*&?"
)
_BUILTINS = frozenset(
    {
        *(".", ":", "[", "break", "case", "cd", "continue", "echo", "eval", "exec", "exit", "export", "false", "kill"),
        *("local", "printf", "pwd", "read", "return", "set", "shift", "source", "test", "trap", "true", "type"),
        *("ulimit", "umask", "unset", "wait", "if", "then", "elif", "else", "fi", "for", "while", "until", "do"),
        *("done", "in", "esac", "function", "{", "}", "service", "systemctl"),
    }
)
"""What the shell does itself, and what the shim does."""
_VLAN = re.compile(r"\bvlan\b|\bvconfig\b|\bdev\s+\w+\.\d+\b", re.IGNORECASE)
_BOOT = f"""\
#!/bin/sh
[ "$1" = start ] && [ ! -e /run/startup.done ] || exit 0
touch /run/startup.done
mkdir -p /var/log
shell=$(command -v bash || command -v sh)
PATH={PATH} "$shell" /etc/{_STARTUP} >/var/log/startup.log 2>&1
exit 0
"""


class Native(NamedTuple):
    """A lab that can be started, and what of it this machine can't give."""

    spec: FabricSpec
    names: dict[str, str]
    """A machine's name in the lab's files to its name here."""
    notes: tuple[Problem, ...]


def has_program(name: str) -> bool:
    """Whether nodes, which see this machine's programs, have one."""
    return shutil.which(name, path="/usr/sbin:/usr/bin") is not None


def native_lab(kathara: KatharaLab, has: HasProgram = has_program) -> Native:
    """The lab with everything that its machines start with."""
    lab, about_files = as_lab(kathara)
    notes = [note for note in about_files if not note.source.endswith(".startup")]
    names = {machine.name: safe_name(machine.name) for machine in kathara.machines}
    nodes = dict(lab.nodes)
    held = {address.ip for node in nodes.values() for address in node.interfaces.values()}
    for machine in kathara.machines:
        node = nodes.get(names[machine.name])
        if node is not None:
            furnished = _furnished(node, machine, held)
            nodes[names[machine.name]] = furnished
            notes += [*_lacking(machine, furnished, has), *_unnamed(machine, held)]
    topology = lab.model_copy(update={"nodes": nodes})
    spec = FabricSpec(name=safe_name(kathara.name), topology=topology, mtu=MTU)
    return Native(spec, names, tuple(notes))


def _furnished(node: LabNode, machine: Machine, held: Collection[IPv4Address]) -> LabNode:
    """With the services that its startup begins, its files and its startup script."""
    services = tuple(_services(machine, held)) if isinstance(node, LabHost) else ()
    own = {
        path.removeprefix("etc/"): text
        for path, text in machine.files.items()
        if path.startswith("etc/")
        # The routing's files are made from what the lab's own single file says.
        and not path.startswith("etc/frr/")
        and path.removeprefix("etc/") not in RESERVED_FILES
    }
    script = "\n".join([*_laid_over(machine), *machine.startup]) + "\n"
    files = {**own, **shim_files(), _STARTUP: script, "init.d/startup": _BOOT}
    return node.model_copy(update={"files": files, "services": services})


def _laid_over(machine: Machine) -> Iterator[str]:
    """Lines that write the files below folders that a node starts with empty."""
    for path, text in machine.files.items():
        if path.split("/")[0] in _WRITABLE:
            place = shlex.quote(f"/{path}")
            yield f'mkdir -p "$(dirname {place})"; printf %s {shlex.quote(text)} > {place}'


def _services(machine: Machine, held: Collection[IPv4Address]) -> Iterator[Service]:
    begun = {script for line in machine.startup if (script := _script_of(line))}
    if "http" in begun:
        page = machine.files.get("var/www/html/index.html", HttpService().page)
        yield HttpService(page=page)
    # A name for an address that no machine has leads nowhere.
    records = {name: address for name, address in zone_records(machine.files).items() if address in held}
    if "dns" in begun and records:
        yield DnsService(records=records)


def _script_of(line: str) -> str:
    """The script in /etc/init.d behind the service that a line starts; empty when it starts none."""
    found = _SERVICE.fullmatch(line)
    if found is None:
        return ""
    name = found["name"]
    return next((script for script, others in ALIASES.items() if name in others), name)


def _lacking(machine: Machine, node: LabNode, has: HasProgram) -> Iterator[Problem]:
    source = f"{machine.name}.startup"
    served = {service.kind for service in node.services} | ({"frr"} if node.kind == "router" else set())
    for line in machine.startup:
        script = _script_of(line)
        program = _program_of(line)
        if _VLAN.search(line):
            yield Problem(source, "", line, "labs have no VLANs: the line is run, and nothing is known of its effect")
        elif script and script not in served and f"etc/init.d/{script}" not in machine.files:
            wanted = _NOT_SERVED.get(script, "nodes here have no such service; what needs it won't work")
            yield Problem(source, "service", script, wanted)
        elif program in DHCP_CLIENTS:
            yield Problem(source, "", line, f"{NO_DHCP}; nobody answers")
        elif not script and program and not has(program):
            yield Problem(source, "program", program, "this machine lacks it, so the line does nothing; install it")
    for path in machine.files:
        if path.split("/")[0] not in (*_WRITABLE, "etc"):
            yield Problem(machine.name, "file", path, "nodes share this machine's folder; the file is left out")


def _unnamed(machine: Machine, held: Collection[IPv4Address]) -> Iterator[Problem]:
    """What of a name server's zones isn't served."""
    for path, line in unserved_records(machine.files):
        yield Problem(f"{machine.name}/{path}", "", line, "names here have A records only; the line is left out")
    for name, address in zone_records(machine.files).items():
        if address not in held:
            yield Problem(machine.name, name, str(address), "no machine has this address; the name is left out")


def _program_of(line: str) -> str:
    """The program that a line calls first; empty for what the shell does itself."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        # Part of something longer, a here-document or a quoted text: the shell will tell.
        return ""
    while words and ("=" in words[0].partition("/")[0]):
        words = words[1:]
    if not words or words[0] in _BUILTINS or not re.fullmatch(r"[\w./+-]+", words[0]) or words[0].endswith(")"):
        return ""
    return words[0].rpartition("/")[2]
