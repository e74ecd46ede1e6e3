#!/usr/bin/env bash
# Runs the public wasi-testsuite (https://github.com/WebAssembly/wasi-testsuite) from a checkout of
# its branch with built programs, prod/testsuite-base, and compares with Docs/wasi-suite.csv.
#   SUITE=DIR Scripts/wasi-suite.sh
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${SUITE:-}" ]; then
    echo "SUITE is not set: name a checkout of the wasi-testsuite's branch prod/testsuite-base" >&2
    echo "  git clone --depth 1 -b prod/testsuite-base \\" >&2
    echo "      https://github.com/WebAssembly/wasi-testsuite" >&2
    exit 64
fi
swift build --product patchcli
"$(swift build --show-bin-path)/patchcli" wasm wasi-suite "$SUITE" --list Docs/wasi-suite.csv
