#!/usr/bin/env bash
# patchd beside nginx over the same files in one run, telemetry in batches, and how cost grows.
#   Scripts/bench-server.sh [--pairs 15] [--seconds 2] [--quick] [--pairs-only | --growth-only] [--soak MINUTES]
# Needs wrk and h2load beside what `make setup` installs; PATCHD names another binary.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in wrk h2load nginx; do
    command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || {
        echo "bench-server: $tool is missing; run:" \
            "sudo apt-get install -y wrk nghttp2-client nginx-light" >&2
        exit 69
    }
done
patchd=${PATCHD:-}
if [ -z "$patchd" ]; then
    swift build -c release --product patchd
    patchd=$(swift build -c release --show-bin-path)/patchd
fi
exec "${OPENPATCH_PYTHON:-.build/python/bin/python}" Benchmarks/server.py "$patchd" "$@"
