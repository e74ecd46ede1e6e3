#!/usr/bin/env bash
# Installs what the build, the tests and the demo need and this machine lacks. Asks nothing.
#   Scripts/setup.sh build   system libraries only (make demo)
#   Scripts/setup.sh test    those and the tools that tests run
#   Scripts/setup.sh conformance   system libraries, and what the TUF conformance suite runs
set -euo pipefail
cd "$(dirname "$0")/.."
level=${1:-build}

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$1" >&2
    printf '       %s\n' "${@:2}" >&2
    exit 69
}

command -v swift >/dev/null || fail "no 'swift' on PATH" \
    "OpenPatch needs a Swift 6.2 or newer toolchain from swift.org." \
    "Install one with swiftly (https://www.swift.org/install) and open a new shell."

install_with_apt() {
    local wanted=(pkg-config libmicrohttpd-dev libsqlite3-dev libssl-dev libbrotli-dev libdivsufsort-dev libcurl4 curl)
    if [ "$level" = test ]; then
        wanted+=(python3 python3-venv openssl brotli strace nginx-light unicode-data)
    fi
    if [ "$level" = conformance ]; then wanted+=(python3 python3-venv faketime); fi
    local missing=()
    for package in "${wanted[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' \
            || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            fail "these packages are missing and this user may not install them: ${missing[*]}" \
                "Run once: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
        fi
    fi
    say "installing ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            RUNLEVEL=1 apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        fail "apt-get could not install ${missing[*]}" "Its last lines are above."
    fi
    rm -f "$log"
    # Tests start a web server of their own; the packaged service is not wanted.
    case " ${missing[*]} " in *" nginx-light "*)
        if [ -d /run/systemd/system ]; then
            "${as_root[@]}" systemctl disable --now nginx >/dev/null 2>&1 || true
        fi ;;
    esac
}

install_with_brew() {
    command -v brew >/dev/null || fail "Homebrew is missing" \
        "Install it from https://brew.sh, then run this again."
    local missing=()
    local wanted=(pkg-config libmicrohttpd sqlite openssl@3 brotli libdivsufsort)
    if [ "$level" = conformance ]; then wanted+=(libfaketime); fi
    for package in "${wanted[@]}"; do
        brew list --formula "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    brew install --quiet "${missing[@]}" </dev/null
}

case $(uname -s) in
    Linux)
        command -v apt-get >/dev/null || fail "only Debian and Ubuntu are installed automatically" \
            "Install the development files of libmicrohttpd, SQLite, OpenSSL 3, brotli and libdivsufsort, and pkg-config."
        install_with_apt
        ;;
    Darwin) install_with_brew ;;
    *) fail "$(uname -s) is not supported" "OpenPatch is built on Linux and macOS." ;;
esac

# Previews are tested in a real browser. Not every system packages one without a desktop; the tests
# say that they are skipped where there is none.
has_browser() {
    local name
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        command -v "$name" >/dev/null && return 0
    done
    return 1
}
if [ "$level" = test ] && [ "$(uname -s)" = Linux ] && ! has_browser; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo -n)
    if apt-cache show chromium-headless-shell >/dev/null 2>&1 &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
            --no-install-recommends chromium-headless-shell >/dev/null 2>&1 </dev/null; then
        say "installed chromium-headless-shell"
    else
        say "no Chromium: the tests of the preview are skipped"
    fi
fi

# The Python tools of tests live in a virtual environment of their own, keyed by their list.
if [ "$level" = test ]; then
    stamp=.build/python/requirements.stamp
    if ! cmp -s Scripts/requirements-test.txt "$stamp" 2>/dev/null; then
        say "laying the Python tools of the tests under .build/python"
        rm -rf .build/python
        mkdir -p .build
        python3 -m venv .build/python
        .build/python/bin/pip install --quiet --disable-pip-version-check \
            -r Scripts/requirements-test.txt </dev/null
        cp Scripts/requirements-test.txt "$stamp"
    fi
fi
say "ready ($level)"
