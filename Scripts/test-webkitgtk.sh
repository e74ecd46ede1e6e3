#!/usr/bin/env bash
# Tests web bundles in a real WebKit: the WebKitGTK adapter, through the example WebShell.
# Apart from `make test`, because WebKitGTK is half a gigabyte. Installs it when it is missing and
# this user may; with --run-only it only says what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
for package in libwebkitgtk-6.0-dev xvfb xauth; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' \
        || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    line="apt-get install -y --no-install-recommends ${missing[*]}"
    if [ "${1:-}" = --run-only ] || [ "$(id -u)" != 0 ]; then
        echo "test-webkitgtk: these packages are missing: ${missing[*]}" >&2
        echo "                run once: sudo $line" >&2
        exit 69
    fi
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive $line -qq
fi

export OPENPATCH_WEBKITGTK=1
# A scratch path of its own, so that the usual build does not start anew after each switch.
exec swift test --scratch-path "${OPENPATCH_WEBKITGTK_SCRATCH:-.build/webkitgtk}" --filter WebKitGTKTests
