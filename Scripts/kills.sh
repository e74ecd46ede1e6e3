#!/usr/bin/env bash
# Ends real processes with SIGKILL at points drawn at random from whole lives of an app (first
# install, update, roll back, fall back, …). After each, a second process looks at what is left and
# a third one goes on.
#   Scripts/kills.sh [KILLS]
# OPENPATCH_SEED repeats a run.
set -euo pipefail
cd "$(dirname "$0")/.."
kills=${1:-1000}
swift build --build-tests
OPENPATCH_KILLS=$kills swift test --skip-build --filter KillTests 2>&1 | tee .build/kills.log \
    | grep -E 'KILLS|✘|↳|Test run'
awk '/^KILLS/ {sum += $2; points += $4} END {
    printf "%d kills at points drawn from %d in all\n", sum, points}' .build/kills.log
