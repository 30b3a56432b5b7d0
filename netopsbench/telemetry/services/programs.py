"""Where Telegraf and InfluxDB are on this machine."""

import os
import shutil
from pathlib import Path

from netopsbench.core.errors import UnsupportedError
from netopsbench.core.model import Model
from netopsbench.core.process import run

NAMES = {"telegraf": "Telegraf", "influxd": "InfluxDB"}


class Programs(Model):
    """The two programs, found."""

    telegraf: str
    influxd: str
    influxdb_version: str
    """`1.13.2`"""


def find_programs() -> Programs:
    """Telegraf and InfluxDB from PATH, or from the cache that `tests/services/build.sh` fills.

    Raises UnsupportedError naming what is missing and how to get it.
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
    return Programs(telegraf=str(found["telegraf"]), influxd=influxd, influxdb_version=_version(influxd))


def _cached() -> str:
    """Folders of the cache as a search path, the newest first."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "netopsbench" / "services"
    folders = sorted(root.glob("*/"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    return os.pathsep.join(str(folder) for folder in folders)


def _version(influxd: str) -> str:
    """The version that `influxd version` tells: `InfluxDB v1.8.10 (git: …)`; a build from source says `unknown`."""
    said = run([influxd, "version"], timeout_s=20).stdout.split()
    words = [word.lstrip("v") for word in said if word.lstrip("v")[:1].isdigit()]
    return words[0] if words else "1"
