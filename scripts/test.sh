#!/bin/sh
# All checks: `sh scripts/test.sh [pytest's options]`; `sh scripts/test.sh -m slow` runs the slow ones.
# As root it installs the system packages that tests need; otherwise it says what is skipped.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
status=0

say() { printf '%s\n' "$*" >&2; }

# step COMMAND…: run it and remember the first failure.
step() {
    say "== $*"
    "$@" || { failed=$?; [ "$status" -ne 0 ] || status=$failed; }
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >&2 || {
        apt-get -qq update >&2
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >&2
    }
}

# Program and the Debian package that has it: tests compare the host before and after with these.
install_missing() {
    packages=
    for pair in ip:iproute2 sysctl:procps python3:python3; do
        command -v "${pair%%:*}" >/dev/null || packages="$packages ${pair#*:}"
    done
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        say "Not installed, so tests that need them are skipped:$packages"
        return 0
    fi
    # shellcheck disable=SC2086
    apt_install $packages
}

# install_optional PROGRAM PACKAGE: not every system or architecture has it.
install_optional() {
    if [ "$(id -u)" -ne 0 ] || command -v "$1" >/dev/null || ! command -v apt-get >/dev/null; then
        return 0
    fi
    apt_install "$2" || say "Not installed, so tests that need it are skipped: $2"
}

# containerlab's schema of topologies, which exports are checked against. Nothing of the module is run, so no checksum
# database is asked.
fetch_schema() {
    command -v go >/dev/null || return 0
    (cd / && GONOSUMDB='github.com/srl-labs/*' go mod download github.com/srl-labs/containerlab@v0.54.2 >&2) ||
        say "Not fetched, so a test that needs it is skipped: containerlab's schema"
}

install_missing
# A kernel with netem, which not every machine's has.
install_optional linux.uml user-mode-linux
# Reports are looked at in a real browser.
install_optional chromium chromium
fetch_schema
venv=$(sh scripts/setup.sh dev)
PATH=$venv/bin:$PATH
export PATH
findings=$(netopsbench doctor --fix) || say "Tests of running fabrics are skipped on this machine:
$findings"

sh tests/services/build.sh >/dev/null || say "Tests of Telegraf and InfluxDB are skipped: see the lines above."
# Most tests wait more than they compute, so two files are tested at a time. Slow tests load the machine themselves.
at_once=2
for word in "$@"; do
    [ "$word" = slow ] || continue
    at_once=0
    sh tests/services/build.sh influxdb2 >/dev/null || say "Tests of InfluxDB 2 are skipped: see the lines above."
done

step ruff check .
step ruff format --check .
step mypy
step lint-imports
step pytest -n "$at_once" --dist loadfile "$@"
exit "$status"
