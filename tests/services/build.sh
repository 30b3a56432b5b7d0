#!/bin/sh
# Build Telegraf and InfluxDB from their Go modules and print the folder that holds both programs.
#
# The folder is a cache outside the checkout, so only the first run takes minutes. Exit code 3: something that
# building needs is missing, and standard error says what. With --check it builds nothing: exit code 4 says that
# everything needed for building is there. Words go to stderr.
set -eu

telegraf=1.37.2
influxdb=1.13.2
pkg_config=0.3.0
# Only the plug-ins that collectors/telegraf.conf uses: 26 MB instead of 300.
plugins=inputs.influxdb_v2_listener,inputs.syslog,outputs.influxdb_v2

say() { printf '%s\n' "$*" >&2; }

cache=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME}/.cache}/netopsbench/services/telegraf-$telegraf-influxdb-$influxdb
if [ -x "$cache/telegraf" ] && [ -x "$cache/influxd" ]; then
    echo "$cache"
    exit
fi

missing=
for need in "go:Go 1.26 or newer" "cc:a C compiler" "cargo:Rust with cargo" "pkg-config:pkg-config"; do
    command -v "${need%%:*}" >/dev/null || missing="$missing, ${need#*:}"
done
if [ -n "$missing" ]; then
    say "Telegraf and InfluxDB can't be built: ${missing#, } missing"
    exit 3
fi

if [ "${1:-}" = --check ]; then
    say "Telegraf and InfluxDB aren't built yet: run sh tests/services/build.sh"
    exit 4
fi

mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9
work=$(mktemp -d "$cache/.build-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# InfluxDB's module names a Rust release of its own, which rustup would download.
if command -v rustup >/dev/null; then
    RUSTUP_TOOLCHAIN=$(cd / && rustup default | cut -d' ' -f1)
    export RUSTUP_TOOLCHAIN
fi

# source_of MODULE VERSION: the folder with the module's source in Go's own cache.
source_of() {
    (cd / && go mod download -json "$1@v$2") | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p'
}

# build PROGRAM MODULE VERSION PACKAGE [OPTION…]
build() {
    program=$1 module=$2 version=$3 package=$4
    shift 4
    [ ! -x "$cache/$program" ] || return 0
    say "Building $program $version (minutes the first time) …"
    folder=$(source_of "$module" "$version")
    (cd "$folder" && PATH=$work:$PATH nice go build -trimpath -gcflags=all=-dwarf=false "$@" \
        -o "$work/$program" "$package") >&2
    mv "$work/$program" "$cache/$program"
}

# Flux, a library in Rust inside InfluxDB, is built by a pkg-config that stands in for the system's. Its own settings
# ask for the smallest library, optimized as a whole, on which the compiler spends longer.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1
GOBIN=$work GOFLAGS= go install "github.com/influxdata/pkg-config@v$pkg_config" >&2
build telegraf github.com/influxdata/telegraf "$telegraf" ./cmd/telegraf -tags "custom,$plugins" \
    -ldflags "-s -w -X github.com/influxdata/telegraf/internal.Version=$telegraf"
build influxd github.com/influxdata/influxdb "$influxdb" ./cmd/influxd -ldflags "-s -w -X main.version=$influxdb"
echo "$cache"
