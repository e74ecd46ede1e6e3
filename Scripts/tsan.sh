#!/usr/bin/env bash
# Runs the tests that share one module among threads under ThreadSanitizer. It halts at the first
# race, so that a report fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/engine-package.sh .build/tsan-package
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
timeout 1200 swift test --package-path .build/tsan-package --scratch-path .build/tsan \
    --sanitize=thread --filter 'SharingTests|cancel'
