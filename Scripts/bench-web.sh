#!/usr/bin/env bash
# Web bundles against plain files: packing and opening an archive of 1,000 files and 50 MB, serving
# it over HTTP against nginx, and loading a page in WebKitGTK against file://. Ratios of pairs that
# were measured in turn; fails when a limit is missed. PAIRS=15 and LOADS=20 by default.
#   ONLY=open,serve,load Scripts/bench-web.sh
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    printf 'bench-web: %s\n' "$@" >&2
    exit 69
}
only=${ONLY:-open,serve,load}
case $only in *load*) export OPENPATCH_WEBKITGTK=1 ;; esac
case $only in *serve*)
    command -v wrk >/dev/null || fail "no 'wrk' on PATH; run once: sudo apt-get install -y wrk nginx-light"
    command -v nginx >/dev/null || fail "no 'nginx' on PATH; run make setup" ;;
esac
case $only in *load*)
    command -v xvfb-run >/dev/null && pkg-config --exists webkitgtk-6.0 \
        || fail "WebKitGTK is missing; run once: sudo apt-get install -y libwebkitgtk-6.0-dev xvfb xauth" ;;
esac
export OPENPATCH_WEBBENCH=1
# A scratch path of its own, so that the usual build does not start anew after each switch.
scratch=${OPENPATCH_WEBBENCH_SCRATCH:-.build/bench-web}
swift build -c release --scratch-path "$scratch" --product webbench >&2
exec python3 Scripts/bench-web.py "$scratch/release/webbench" "$only"
