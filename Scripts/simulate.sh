#!/usr/bin/env bash
# Builds patchcli for speed and runs `patchcli simulate` with the given options.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --product patchcli
exec "$(swift build -c release --show-bin-path)/patchcli" simulate "$@"
