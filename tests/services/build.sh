#!/bin/sh
# Build Telegraf and InfluxDB 1.x from their Go modules and print the folder that holds both programs; with the word
# influxdb2, InfluxDB 2.x, which only slow tests need, and the folder that holds it.
#
# The folders are caches outside the checkout, so only the first run takes minutes. Exit code 3: something that
# building needs is missing, and standard error says what. With --check it builds nothing: exit code 4 says that
# everything needed for building is there. Words go to stderr.
set -eu

telegraf=1.37.2
influxdb=1.13.2
influxdb2=2.7.12
pkg_config=0.3.0
# Only the plug-ins that collectors/telegraf.conf uses: 26 MB instead of 300.
plugins=inputs.influxdb_v2_listener,inputs.syslog,outputs.influxdb_v2

say() { printf '%s\n' "$*" >&2; }

root=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME}/.cache}/netopsbench/services
cache=$root/telegraf-$telegraf-influxdb-$influxdb what="Telegraf and InfluxDB" programs="telegraf influxd"
use="sh tests/services/build.sh" check=
for word in "$@"; do
    case $word in
        influxdb2)
            # A folder deeper, where `netopsbench telemetry up` doesn't look: it takes what was built last.
            cache=$root/more/influxdb-$influxdb2 what="InfluxDB 2" programs=influxd
            use="$use influxdb2"
            ;;
        --check) check=yes ;;
        *)
            say "$word is unknown; known words: influxdb2 --check"
            exit 2
            ;;
    esac
done

is_built() {
    for program in $programs; do
        [ -x "$cache/$program" ] || return 1
    done
}

if is_built; then
    echo "$cache"
    exit
fi

missing=
for need in "go:Go 1.26 or newer" "cc:a C compiler" "cargo:Rust with cargo" "pkg-config:pkg-config"; do
    command -v "${need%%:*}" >/dev/null || missing="$missing, ${need#*:}"
done
if [ -n "$missing" ]; then
    say "$what can't be built: ${missing#, } missing"
    exit 3
fi

if [ -n "$check" ]; then
    say "Not built yet: $what; run $use"
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

if [ "$programs" = influxd ]; then
    # The Flux of InfluxDB 2.7 takes warnings for errors, and later compilers than its own warn of more. Libraries of
    # others come with the option already, which may be given once.
    cat >"$work/rustc-that-warns" <<'END'
#!/bin/sh
case " $* " in
    *" --cap-lints "*) exec "$@" ;;
    *) exec "$@" --cap-lints warn ;;
esac
END
    chmod +x "$work/rustc-that-warns"
    export RUSTC_WRAPPER="$work/rustc-that-warns"
    build influxd github.com/influxdata/influxdb/v2 "$influxdb2" ./cmd/influxd \
        -tags sqlite_foreign_keys,sqlite_json -ldflags "-s -w -X main.version=v$influxdb2"
else
    build telegraf github.com/influxdata/telegraf "$telegraf" ./cmd/telegraf -tags "custom,$plugins" \
        -ldflags "-s -w -X github.com/influxdata/telegraf/internal.Version=$telegraf"
    build influxd github.com/influxdata/influxdb "$influxdb" ./cmd/influxd -ldflags "-s -w -X main.version=$influxdb"
fi
echo "$cache"
