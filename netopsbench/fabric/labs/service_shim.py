"""`systemctl` and `service` for nodes, which have no systemd: both come down to the scripts in /etc/init.d."""

import shlex

FOLDER = "shim"
"""Below /etc."""
PATH = f"/etc/{FOLDER}:/usr/sbin:/usr/bin"
"""Where commands of a node are looked for once it has the shim."""
ALIASES = {
    "dns": ("named", "bind9", "bind", "dnsmasq"),
    "http": ("apache2", "nginx", "lighttpd", "httpd"),
    "dhcp": ("isc-dhcp-server", "dhcpd", "kea-dhcp4-server"),
    "frr": ("zebra",),
    "lldp": ("lldpd",),
}
"""Script to the names under which people know its service."""

_WORK = """\
name="${name%.service}"
script="/etc/init.d/$name"
if [ ! -x "$script" ]; then
    case "$name" in
@aliases@
    esac
fi
if [ ! -x "$script" ]; then
    echo "Unit $name.service could not be found." >&2
    exit 4
fi
# The routing's own script knows start and stop only.
running() {
    case "$script" in
    */frr) for pid in /run/frr/*.pid; do [ -e "$pid" ] && kill -0 "$(cat "$pid")" 2>/dev/null && return 0; done
        return 1 ;;
    esac
    "$script" status >/dev/null
}
case "$operation" in
start|stop) "$script" "$operation" ;;
restart|reload|force-reload|try-restart) "$script" stop; "$script" start ;;
status|is-active)
    if running; then echo "$name is active (running)"; else echo "$name is inactive (dead)"; exit 3; fi ;;
enable|disable|unmask) ;;
*) echo "unknown operation $operation" >&2; exit 1 ;;
esac
"""


def shell_line(line: str) -> list[str]:
    """A line for a node's shell as a command; it finds the shim where the node has it."""
    return ["env", f"PATH={PATH}", "sh", "-c", line]


def service_line(name: str, operation: str) -> str:
    """A line for /bin/sh that does what `systemctl OPERATION NAME` would; the node needs no shim of its own."""
    return f"set -- {shlex.quote(operation)} {shlex.quote(name)}\n{_SYSTEMCTL}"


def shim_files() -> dict[str, str]:
    """The two commands, by path below /etc."""
    return {
        f"{FOLDER}/systemctl": f"#!/bin/sh\n{_SYSTEMCTL}",
        f"{FOLDER}/service": f"#!/bin/sh\n{_SERVICE}",
    }


def _worked_out() -> str:
    lines = [f"    {'|'.join((script, *names))}) script=/etc/init.d/{script} ;;" for script, names in ALIASES.items()]
    return _WORK.replace("@aliases@", "\n".join(lines))


_SYSTEMCTL = 'while [ "${1#-}" != "$1" ]; do shift; done\noperation="$1" name="$2"\n' + _worked_out()
_SERVICE = 'name="$1" operation="$2"\n' + _worked_out()
