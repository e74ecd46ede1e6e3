#!/usr/bin/env bash
# Runs the tests that share modules among threads and tasks under ThreadSanitizer: the engine's, and
# the SDK's calls, native calls, waiting calls and swaps. It halts at the first race, so that a
# report fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
Scripts/engine-package.sh .build/tsan-package
timeout 1200 swift test --package-path .build/tsan-package --scratch-path .build/tsan \
    --sanitize=thread --filter 'SharingTests|cancel'
Scripts/subset-package.sh .build/tsan-sdk-package PatchSDKTests
export OPENPATCH_ROUNDS=${OPENPATCH_ROUNDS:-5}
timeout 2400 swift test --package-path .build/tsan-sdk-package --scratch-path .build/tsan-sdk \
    --sanitize=thread --filter 'ConcurrencyTests|IdleSlotTests|NativeCallTests|CallTests'
