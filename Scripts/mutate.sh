#!/usr/bin/env bash
# Removes each of the interpreter's handlers, and puts those most like it in its place, one by one:
# a check of `make test` must fail each time. HANDLER=name tries one, JOBS=2 at the same time.
set -euo pipefail
cd "$(dirname "$0")/.."
shared=${OPENPATCH_SHARED:-../shared}
scratch=.build/mutate
echo "commit $(git rev-parse --short HEAD)$(git diff --quiet HEAD || echo ' and changes')"
mkdir -p $scratch
if ! swift build -c release --product wasmfuzz --scratch-path $scratch -Xswiftc -enable-testing \
    -Xswiftc -DOPENPATCH_MUTATION -Xcc -DOPENPATCH_MUTATION >$scratch.build.log 2>&1; then
    tail -n 40 $scratch.build.log >&2
    exit 1
fi
options=()
for archive in wasm-2.0 memory64; do
    [ -f "$shared/spec-suite/$archive.tar.gz" ] || continue
    mkdir -p $scratch/suites/$archive
    tar -xzf "$shared/spec-suite/$archive.tar.gz" -C $scratch/suites/$archive
    options+=(--suite "$PWD/$scratch/suites/$archive")
done
if [ -n "${HANDLER:-}" ]; then options+=(--handler "$HANDLER"); fi
exec $scratch/release/wasmfuzz mutate --jobs "${JOBS:-2}" "${options[@]}"
