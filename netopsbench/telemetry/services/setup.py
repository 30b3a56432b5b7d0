"""What a Telegraf and an InfluxDB of ours are started with: loopback only, fresh tokens, points kept for a time."""

import secrets
import socket
from collections.abc import Mapping
from pathlib import Path

from netopsbench.core.files import data_root
from netopsbench.core.model import Model
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_version import major_version
from netopsbench.telemetry.services.programs import NO_CONFIGURATION, Programs

USER = "netopsbench"
ORG = "netopsbench"
BUCKET = "netopsbench"
LOOPBACK = "127.0.0.1"


class Setup(Model):
    """Everything that stays the same when one of the two is restarted."""

    folder: Path
    """For their files and logs."""
    programs: Programs
    influxdb_port: int
    telegraf_port: int
    syslog_port: int
    password: str
    """Of the one InfluxDB user; in 2.x the token too."""
    write_token: str
    """That Telegraf asks of writers."""
    keep_s: int
    """How long InfluxDB keeps points."""

    @property
    def files(self) -> Path:
        """Of InfluxDB."""
        return self.folder / "influxdb"

    @property
    def is_version_1(self) -> bool:
        return major_version(self.programs.influxdb_version) == 1

    @property
    def token(self) -> str:
        return f"{USER}:{self.password}" if self.is_version_1 else self.password

    @property
    def bucket(self) -> str:
        return f"{BUCKET}/autogen" if self.is_version_1 else BUCKET

    @property
    def address(self) -> InfluxAddress:
        return InfluxAddress(
            url=f"http://{LOOPBACK}:{self.influxdb_port}",
            write_url=f"http://{LOOPBACK}:{self.telegraf_port}",
            token=self.token,
            write_token=self.write_token,
            bucket=self.bucket,
            org=ORG,
        )


def new_setup(folder: Path, programs: Programs, keep_s: int) -> Setup:
    """A set-up with free ports and tokens of its own."""
    influxdb_port, telegraf_port, syslog_port = _free_ports(3)
    return Setup(
        folder=folder,
        programs=programs,
        influxdb_port=influxdb_port,
        telegraf_port=telegraf_port,
        syslog_port=syslog_port,
        password=secrets.token_urlsafe(24),
        write_token=secrets.token_urlsafe(24),
        keep_s=keep_s,
    )


def kept_setup(before: Setup, programs: Programs) -> Setup:
    """The set-up of last time, so that what is stored stays readable; with free ports where others took them."""
    names = ("influxdb_port", "telegraf_port", "syslog_port")
    fresh = dict(zip(names, _free_ports(len(names)), strict=True))
    taken = {name: port for name, port in fresh.items() if not _is_free(getattr(before, name))}
    return before.model_copy(update={"programs": programs, **taken})


def influxdb_command(setup: Setup) -> tuple[list[str], Mapping[str, str]]:
    """Arguments and environment of InfluxDB."""
    program, listen = setup.programs.influxd, f"{LOOPBACK}:{setup.influxdb_port}"
    files = setup.files
    if not setup.is_version_1:
        argv = [program, "--http-bind-address", listen, "--reporting-disabled"]
        argv += ["--bolt-path", str(files / "influxd.bolt"), "--engine-path", str(files / "engine")]
        return argv, NO_CONFIGURATION
    return [program, "run", "-config", "/dev/null"], {
        "INFLUXDB_META_DIR": str(files / "meta"),
        "INFLUXDB_DATA_DIR": str(files / "data"),
        "INFLUXDB_DATA_WAL_DIR": str(files / "wal"),
        "INFLUXDB_DATA_QUERY_LOG_ENABLED": "false",
        "INFLUXDB_BIND_ADDRESS": f"{LOOPBACK}:0",
        "INFLUXDB_REPORTING_DISABLED": "true",
        "INFLUXDB_MONITOR_STORE_ENABLED": "false",
        "INFLUXDB_HTTP_BIND_ADDRESS": listen,
        "INFLUXDB_HTTP_AUTH_ENABLED": "true",
        "INFLUXDB_HTTP_FLUX_ENABLED": "true",
        "INFLUXDB_HTTP_LOG_ENABLED": "false",
    }


def telegraf_command(setup: Setup) -> tuple[list[str], Mapping[str, str]]:
    """Arguments and environment of Telegraf; its configuration file reads the environment, so tokens stay out of it."""
    configuration = data_root("collectors") / "telegraf.conf"
    return [setup.programs.telegraf, "--config", str(configuration)], {
        "TELEGRAF_LISTEN": f"{LOOPBACK}:{setup.telegraf_port}",
        "TELEGRAF_TOKEN": setup.write_token,
        "SYSLOG_LISTEN": f"udp://{LOOPBACK}:{setup.syslog_port}",
        "INFLUX_URL": f"http://{LOOPBACK}:{setup.influxdb_port}",
        "INFLUX_TOKEN": setup.token,
        "INFLUX_ORG": ORG,
        "INFLUX_BUCKET": setup.bucket,
    }


def _free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nothing listens on."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.bind((LOOPBACK, 0))
        return [int(each.getsockname()[1]) for each in held]
    finally:
        for each in held:
            each.close()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # A connection that has just ended keeps the port busy only for those who don't ask for this.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True
