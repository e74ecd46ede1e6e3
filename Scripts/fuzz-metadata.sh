#!/usr/bin/env bash
# Damages every metadata document in every way for so many seconds (default 300) and checks that a
# device refuses it, keeps what it has, and recovers. OPENPATCH_SEED replays a run.
#   Scripts/fuzz-metadata.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENPATCH_FUZZ_SECONDS=${1:-300}
exec swift test --filter MetadataFuzzTests
