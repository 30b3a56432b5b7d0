"""Start scripts of a lab's services: `/etc/init.d/NAME start|stop|restart|status`, at boot and later alike."""

_SCRIPT = """\
#!/bin/sh
pidfile=/run/@process@.pid

is_running() { [ -e "$pidfile" ] && kill -0 "$(cat "$pidfile")" 2>/dev/null; }

case "$1" in
start)
@start@    ;;
stop)
    is_running || exit 0
    kill "$(cat "$pidfile")"
    while is_running; do sleep 0.05; done
    rm -f "$pidfile"
    ;;
restart)
    sh "$0" stop
    sh "$0" start
    ;;
status)
    is_running && echo "@name@ is running" && exit 0
    echo "@name@ is stopped"
    exit 3
    ;;
*)
    echo "usage: $0 start|stop|restart|status" >&2
    exit 2
    ;;
esac
"""

_START_SERVER = """\
    mkdir -p /run /var/lib
    is_running && exit 0
    setsid @command@ </dev/null >/dev/null 2>&1 &
    echo $! > "$pidfile"
"""

_LEASED = """\
#!/bin/sh
case "$1" in
deconfig)
    ip address flush dev "$interface"
    ip link set dev "$interface" up
    ;;
bound|renew)
    ip address replace "$ip/$mask" dev "$interface"
    [ -z "$router" ] || ip route replace default via "${router%% *}"
    [ -z "$dns" ] || for server in $dns; do echo "nameserver $server"; done > /etc/resolv.conf
    ;;
esac
"""
"""What the DHCP client does with an answer."""

LEASE_SERVICE = "networking"


def service_script(name: str, *, process: str, start: str) -> dict[str, str]:
    """The start script of a service: `start` are its lines of shell, `process` names the file with its process id."""
    return {f"init.d/{name}": _SCRIPT.replace("@name@", name).replace("@process@", process).replace("@start@", start)}


def server_script(name: str, command: str) -> dict[str, str]:
    """The start script of a service whose command stays in the foreground."""
    return service_script(name, process=name, start=_START_SERVER.replace("@command@", command))


def daemon_script(name: str) -> str:
    """Command of the dnsmasq that serves `name` alone: each service has a process and a file of its own."""
    # Only so does it stay the user it is: without root a sandbox has no second one, and may not change groups.
    return f"dnsmasq --no-daemon --conf-file=/etc/dnsmasq/{name}.conf"


def lease_script(interface: str) -> dict[str, str]:
    """A host that asks for its address, once a second until it has one."""
    command = f"busybox udhcpc -f -i {interface} -s /etc/udhcpc/default.script -t 5 -T 1 -A 1"
    return {"udhcpc/default.script": _LEASED, **server_script(LEASE_SERVICE, command)}
