"""Where Telegraf and InfluxDB are on this machine."""

import os
import re
import shutil
from pathlib import Path

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.model import Model
from netopsbench.core.process import run
from netopsbench.telemetry.influx_version import SUPPORTED, major_version

NAMES = {"telegraf": "Telegraf", "influxd": "InfluxDB"}
NO_CONFIGURATION = {"INFLUXD_CONFIG_PATH": os.devnull}
"""InfluxDB 2.x would read any `config.yaml` of the folder in which it is started, even to tell its version."""


class Programs(Model):
    """The two programs, found."""

    telegraf: str
    influxd: str
    influxdb_version: str
    """As it says itself: `1.13.2`, `2.7.12`; one built from source says `unknown` or, in 2.x, `dev`."""


def find_programs() -> Programs:
    """Telegraf and InfluxDB from PATH, or from the cache that `tests/services/build.sh` fills.

    Raises UnsupportedError naming what is missing and how to get it, or a version that can't be used.
    """
    found = {name: shutil.which(name) or shutil.which(name, path=_cached()) for name in NAMES}
    missing = [NAMES[name] for name, path in found.items() if path is None]
    if missing:
        raise UnsupportedError(
            f"{' and '.join(missing)} not found in PATH: install the packages telegraf and influxdb "
            "(portal.influxdata.com/downloads), in a checkout build both with `sh tests/services/build.sh`, "
            "or use containers with `netopsbench telemetry up --compose`"
        )
    influxd = str(found["influxd"])
    version = _version(influxd)
    if major_version(version) is None:
        raise UnsupportedError(f"{influxd} is InfluxDB {version}; {SUPPORTED}, is needed")
    return Programs(telegraf=str(found["telegraf"]), influxd=influxd, influxdb_version=version)


def _cached() -> str:
    """Folders of the cache as a search path, the newest first."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "netopsbench" / "services"
    folders = sorted(root.glob("*/"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    return os.pathsep.join(str(folder) for folder in folders)


def _version(influxd: str) -> str:
    """The version that `influxd version` tells: `InfluxDB v1.8.10 (git: …)`."""
    done = run([influxd, "version"], timeout_s=20, env={**os.environ, **NO_CONFIGURATION})
    said = re.match(r"InfluxDB v?(\S+)", done.stdout)
    return said[1] if said else "unknown"
