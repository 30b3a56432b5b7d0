#!/bin/sh
# From nothing to a scored report: `sh scripts/quickstart.sh`. Needs no root, changes nothing on this system.
# Options are those of `netopsbench quickstart`.
set -eu

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$(sh "$scripts/setup.sh")
findings=$("$venv/bin/netopsbench" doctor --fix) || {
    printf '%s\n' "$findings" >&2
    exit 1
}
exec "$venv/bin/netopsbench" quickstart "$@"
