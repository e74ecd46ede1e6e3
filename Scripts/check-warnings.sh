#!/usr/bin/env bash
# Fails when a build log names a warning in a file of ours.
#   Scripts/check-warnings.sh LOG
set -euo pipefail
log=$1
pattern='(Sources|Tests|Examples|Stubs)/[^ ]*\.(swift|c|h|inc):[0-9]+:[0-9]+: warning:'
if grep -E "$pattern" "$log" | sort -u | sed 's/^/  /' | grep . >&2; then
    echo "check-warnings: the lines above are warnings of our own targets; mend them" >&2
    exit 1
fi
echo "no warnings"
