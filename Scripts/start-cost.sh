#!/usr/bin/env bash
# What a start from the cache takes beyond the start of the same app without the SDK, without any
# network. Release mode, both by turns.
#   Scripts/start-cost.sh [RUNS] [BYTES or a module FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-101}
module=${2:-131072}
scratch=${OPENPATCH_START_SCRATCH:-.build/start-cost}
mkdir -p "$scratch"
swift build -c release --product start-child --scratch-path "$scratch" >"$scratch/build.log" 2>&1 ||
    { tail -n 40 "$scratch/build.log" >&2; exit 1; }
child=$(swift build -c release --scratch-path "$scratch" --show-bin-path)/start-child
device=$(mktemp -d)
trap 'rm -rf "$device"' EXIT
"$child" prepare "$device" "$module"
"$child" measure "$device" "$runs"
