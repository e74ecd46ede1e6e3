#!/usr/bin/env bash
# Runs every generator whose output is committed; with --check, fails if an output is not current.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob
for generator in Scripts/generators/*; do
    "$generator" "$@"
done
