#!/usr/bin/env bash
# What a routed function costs: closed gate, patched call with scalars and with a struct of twenty
# fields; and how long `patchcli build` takes for one changed function, cold and warm, with the
# module's size. Calls are in processor time, builds by the wall clock. Times are of this machine:
# compare lines of one run.
#   PATCHCLI=… Benchmarks/calls.sh
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
if [ -z "${PATCHCLI:-}" ]; then
    swift build -c release --product patchcli >&2
    PATCHCLI=$(swift build -c release --show-bin-path)/patchcli
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R Benchmarks/Calls/. "$work/"
cd "$work"
export OPENPATCH_PACKAGE=$root NO_COLOR=1
"$PATCHCLI" prepare >&2
"$PATCHCLI" fingerprint register --no-publish >&2
swift build -c release --scratch-path "${CALLS_BUILD:-$root/.build/calls}" >&2
"$PATCHCLI" unprepare >&2

seconds() { python3 -c 'import sys; print("%.2f" % (float(sys.argv[2]) - float(sys.argv[1])))' "$@"; }
timed() {
    local begun ended
    begun=$(date +%s.%N)
    "$PATCHCLI" build --json -o module.wasm >build.json
    ended=$(date +%s.%N)
    echo "$1_s $(seconds "$begun" "$ended")"
}
sed -i.bak 's/a &+ b &\* c }/a \&+ b \&* c \&+ 1 }/' Sources/Calls/Routed.swift
timed build_one_function
echo "module_integers_brotli_bytes $(python3 -c 'import json; print(json.load(open("build.json"))["brotli"])')"
timed build_again
sed -i.bak 's/wide.b &+ 1/wide.b \&+ 2/' Sources/Calls/Routed.swift
timed build_two_functions
echo "module_strings_brotli_bytes $(python3 -c 'import json; print(json.load(open("build.json"))["brotli"])')"
mkdir -p resources
cp module.wasm resources/base.wasm
fingerprint=$(python3 -c 'import glob, json
print(json.load(open(glob.glob(".openpatch/builds/*/build.json")[0]))["fingerprint"])')
OPENPATCH_DEV=1 "${CALLS_BUILD:-$root/.build/calls}/release/Calls" "$work/resources" "$fingerprint"
