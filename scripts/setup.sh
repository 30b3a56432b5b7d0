#!/bin/sh
# Make the Python environment of this checkout and print its folder; `sh scripts/setup.sh [dev]`.
#
# Needs no root and installs nothing on the system: what is missing (even Python itself, or its pip) is
# unpacked into a private folder. The second time it only compares a stamp. Words go to stderr.
set -eu

extras=${1:-}
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
system_certificates=/etc/ssl/certs/ca-certificates.crt
work=

say() { printf '%s\n' "$*" >&2; }
fail() { say "setup: $*"; exit 1; }
trap '[ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The same folder as netopsbench/core/home.py chooses, private like there.
find_home() {
    umask 077
    if [ -n "${NETOPSBENCH_HOME:-}" ]; then
        mkdir -p "$NETOPSBENCH_HOME" || fail "set NETOPSBENCH_HOME to a folder that can be written"
        CDPATH='' cd -- "$NETOPSBENCH_HOME" && pwd
        return
    fi
    for folder in "${XDG_DATA_HOME:-}" "${HOME:+$HOME/.local/share}"; do
        if [ -n "$folder" ] && mkdir -p "$folder/netopsbench" 2>/dev/null && [ -w "$folder/netopsbench" ]; then
            echo "$folder/netopsbench"
            return
        fi
    done
    folder=${TMPDIR:-/tmp}/netopsbench-$(id -u)
    mkdir -p "$folder"
    [ -O "$folder" ] || fail "$folder belongs to another user; set NETOPSBENCH_HOME"
    echo "$folder"
}

# A path as the right side of sed's `s|…|…|`.
replacement() { printf %s "$1" | sed 's/[|&\\]/\\&/g'; }

is_good_python() {
    "$1" -c 'import sys, venv, ctypes, ssl; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Prefer the system's interpreter: every user of the machine can run it, also inside a fabric.
find_python() {
    for name in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11 \
        "$home/python/usr/bin/python3"; do
        if is_good_python "$name"; then
            command -v "$name"
            return
        fi
    done
    return 1
}

# fetch FOLDER PACKAGE…: unpack Debian packages, and those of their dependencies that aren't installed.
fetch() {
    folder=$1
    shift
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    work=$(mktemp -d "$home/.fetch-XXXXXX")
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/tree"
    sed "s|@folder@|$(replacement "$work")|g" "$top/netopsbench/fabric/native/apt.conf" >"$work/apt.conf"
    # Parts of Python may be installed (python3-minimal, say), but an interpreter needs them side by side.
    awk -v RS= -v ORS='\n\n' '!/^Package: (lib)?python3(\.[0-9]+)?(-minimal|-stdlib)?\n/' /var/lib/dpkg/status \
        >"$work/status"
    echo "Dir::State::status \"$work/status\";" >>"$work/apt.conf"
    LC_ALL=C apt-get -qq -c "$work/apt.conf" update >&2 || :
    LC_ALL=C apt-get -qq -c "$work/apt.conf" --yes --download-only install "$@" >&2 || return 1
    for deb in "$work"/cache/archives/*.deb; do
        dpkg-deb --extract "$deb" "$work/tree" || return 1
    done
    rm -rf "$folder"
    mv "$work/tree" "$folder"
    rm -rf "$work"
    work=
}

# A Python unpacked away from its place looks for its libraries beside itself (patchelf), so that it runs in
# any environment, also inside a fabric.
fetch_python() {
    fetch "$home/python.new" python3 python3-pip-whl ca-certificates patchelf || return 1
    tree=$home/python.new
    rpath=
    for folder in "$tree"/usr/lib/*-linux-gnu* "$tree"/lib/*-linux-gnu*; do
        [ ! -d "$folder" ] || rpath="$rpath:\$ORIGIN/../..${folder#"$tree"}"
    done
    for program in "$tree"/usr/bin/python3.*[0-9]; do
        LD_LIBRARY_PATH="$(find "$tree" -type d -name '*-linux-gnu*' | paste -sd:)" \
            "$tree/usr/bin/patchelf" --force-rpath --set-rpath "${rpath#:}" "$program" || return 1
    done
    rm -rf "$home/python"
    mv "$tree" "$home/python"
}

make_venv() {
    if "$python" -c 'import ensurepip; ensurepip.version()' >/dev/null 2>&1 &&
        "$python" -m venv --clear "$venv" >/dev/null 2>&1; then
        return
    fi
    # Debian and Ubuntu ship ensurepip apart, in python3-venv; pip's own wheel is enough.
    "$python" -m venv --clear --without-pip "$venv" >&2 || fail "$python could not make $venv"
    wheel=$(find_wheel)
    if [ -z "$wheel" ]; then
        say "Fetching pip into a private folder …"
        fetch "$home/pip" python3-pip-whl ||
            fail "pip is missing and could not be fetched: check the network, or install python3-venv"
        wheel=$(find_wheel)
    fi
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    "$venv/bin/python" -m zipfile -e "$wheel" "$site"
    [ -e "$system_certificates" ] || bring_certificates "$site"
}

find_wheel() {
    for wheel in "$home"/p*/usr/share/python-wheels/pip-*.whl /usr/share/python-wheels/pip-*.whl; do
        if [ -f "$wheel" ]; then
            echo "$wheel"
            return
        fi
    done
}

# Debian's pip reads the certificates of the system; a bare container has none, so it gets those of the package.
bring_certificates() {
    cat "$home"/p*/usr/share/ca-certificates/mozilla/*.crt >"$home/certificates.pem" ||
        fail "certificates are missing: install ca-certificates, then run this again"
    sed -i "s|$system_certificates|$(replacement "$home")/certificates.pem|" "$1/pip/_vendor/certifi/core.py"
}

# is_ready EXTRAS: whether the environment has been made from this checkout's pyproject.toml.
is_ready() {
    [ "$(cat "$venv/netopsbench-stamp$1" 2>/dev/null)" = "$stamp" ] && "$venv/bin/python" -c '' 2>/dev/null
}

choose_venv() {
    if [ -w "$top" ] && { [ ! -e "$top/.venv" ] || [ -w "$top/.venv" ]; }; then
        echo "$top/.venv"
    else
        echo "$home/venv-$(printf %s "$top" | cksum | cut -d' ' -f1)"
    fi
}

home=$(find_home)
stamp="$(cksum <"$top/pyproject.toml") $top"
venv=$top/.venv
if is_ready "$extras"; then
    echo "$venv"
    exit
fi
venv=$(choose_venv)

# Two set-ups at the same time would write into one environment.
exec 9>"$home/setup.lock"
flock 9
if ! is_ready "$extras"; then
    if ! python=$(find_python); then
        say "Fetching Python into a private folder …"
        fetch_python ||
            fail "Python 3.11 or newer is missing and could not be fetched: check the network, or install python3"
        python=$(find_python) || fail "this system's packages have no Python 3.11 or newer; install one"
    fi
    say "Setting up $venv with $python (a minute the first time) …"
    "$venv/bin/python" -c 'import pip' 2>/dev/null || make_venv
    "$venv/bin/python" -m pip install -q -e "$top${extras:+[$extras]}" >&2 ||
        fail "pip could not install netopsbench into $venv (its words are above)"
    printf %s "$stamp" >"$venv/netopsbench-stamp"
    printf %s "$stamp" >"$venv/netopsbench-stamp$extras"
fi
echo "$venv"
