#!/usr/bin/env bash
# Compiles the interpreter's C core for every platform that it must run on, warnings refused, with
# no header but the compiler's own; then runs the engine's tests over the core in its other form,
# one `switch`, which compilers without guaranteed tail calls get.
#   Scripts/check-core.sh            both
#   Scripts/check-core.sh --compile  the first only
set -euo pipefail
cd "$(dirname "$0")/.."
clang=$(command -v clang || echo "$(dirname "$(command -v swiftc)")/clang")
work=.build/core
mkdir -p "$work"

compile() {
    local target=$1
    shift
    "$clang" --target="$target" -std=c11 -ffreestanding -Wall -Wextra -Werror \
        -ISources/CWasmCore/include "$@" Sources/CWasmCore/core.c
}

# On ARM64 a handler that sets up a stack frame costs what the design saves. Those that call a C
# function may (memory.copy and memory.fill); nothing else here sees ARM64.
frames_allowed=4
frames() {
    awk '/^_?h_[a-z0-9_]+:/ { name = $1; seen = 0 }
         /^[^.#[:space:];\/]*:/ && !/^_?h_/ && !/^[Ll]/ { name = "" }
         name && !seen && /\[sp,? ?#-|sub\tsp, sp/ { count++; seen = 1 }
         END { print count + 0 }' "$1"
}

for target in arm64-apple-ios15 arm64e-apple-ios15 aarch64-unknown-linux-gnu \
    x86_64-unknown-linux-gnu x86_64-apple-macos12; do
    compile "$target" -O0 -S -o /dev/null
    compile "$target" -O2 -S -o "$work/core.s"
    compile "$target" -O2 -E -o - | grep musttail >/dev/null \
        || { echo "check-core: no guaranteed tail calls for $target" >&2; exit 1; }
    note=
    case $target in
    arm64*)
        found=$(frames "$work/core.s")
        note=", $found handlers with a stack frame"
        [ "$found" -gt 0 ] || { echo "check-core: frames are no longer recognised" >&2; exit 1; }
        [ "$found" -le "$frames_allowed" ] \
            || { echo "check-core: $found handlers set up a stack frame on $target" >&2; exit 1; }
        ;;
    esac
    echo "check-core: $target compiles clean$note"
done
# The analysis of uninitialised variables takes minutes over one function of 1,800 cases.
compile x86_64-unknown-linux-gnu -O2 -Wno-uninitialized -Wno-sometimes-uninitialized \
    -DOPENPATCH_WASM_SWITCH -c -o "$work/core.o"
echo "check-core: the switch form compiles clean"
[ "${1:-}" != --compile ] || exit 0

Scripts/engine-package.sh "$work/package" OPENPATCH_WASM_SWITCH
export OPENPATCH_SHARED=${OPENPATCH_SHARED:-$(cd .. && pwd)/shared}
swift test --package-path "$work/package" --scratch-path "$work/switch" \
    --filter 'WebAssemblyTests|SpecSuiteTests' --skip GeneratedFilesTests
