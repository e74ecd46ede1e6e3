#!/usr/bin/env bash
# Attacks the WebAssembly engine with modules made from a seed. Ends with exit code 1 on any find.
#   Scripts/fuzz.sh                        both fuzzers, then the differential run, then the fallback
#   Scripts/fuzz.sh replay cases SEED N    one generated case, what happens in it, and wasmtime's word
#   Scripts/fuzz.sh replay bytes SEED N    one changed module
#   MINUTES=30 of each fuzzer   SEED=…, drawn otherwise   CASES=20000 compared with wasmtime
# AddressSanitizer watches Swift and C, UndefinedBehaviorSanitizer the C core; the checks of debug
# builds are on. Docs/internals/fuzzing.md says more.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${MINUTES:-30} cases=${CASES:-20000}
seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
python=${OPENPATCH_PYTHON:-.build/python/bin/python3}
shared=${OPENPATCH_SHARED:-../shared}
scratch=.build/fuzz
log=$scratch/log
# Foundation leaks when it reads an empty file; it is not what we look at.
mkdir -p $scratch
echo 'leak:FoundationEssentials' >$scratch/leaks
export LSAN_OPTIONS="suppressions=$PWD/$scratch/leaks:print_suppressions=0"

build() { # folder, options
    local folder=$1
    shift
    if ! swift build -c release --product wasmfuzz --scratch-path "$folder" \
        -Xswiftc -enable-testing "$@" >"$folder.build.log" 2>&1; then
        tail -n 40 "$folder.build.log" >&2
        exit 1
    fi
}

build_watched() {
    build $scratch --sanitize=address -Xswiftc -DDEBUG -Xcc -DDEBUG -Xcc -fsanitize=undefined \
        -Xcc -fno-sanitize-recover=all
}

corpus() {
    local folder=$scratch/corpus archive
    rm -rf "$folder" && mkdir -p "$folder"
    for archive in wasm-2.0 memory64; do
        [ -f "$shared/spec-suite/$archive.tar.gz" ] || continue
        tar -xzf "$shared/spec-suite/$archive.tar.gz" -C "$folder" --wildcards '*.wasm' \
            --transform "s,.*/,$archive-,"
    done
    echo "$folder"
}

if [ "${1:-}" = replay ]; then
    [ $# = 4 ] || { echo "usage: Scripts/fuzz.sh replay cases|bytes SEED CASE" >&2; exit 64; }
    build_watched
    options=()
    if [ "$2" = bytes ]; then options=(--corpus "$(corpus)"); fi
    $scratch/release/wasmfuzz "$2" --seed "$3" --case "$4" "${options[@]}"
    $scratch/release/wasmfuzz "$2" --seed "$3" --case "$4" "${options[@]}" --emit - |
        "$python" Scripts/fuzz-differential.py
    exit
fi

echo "seed $seed, commit $(git rev-parse --short HEAD)$(git diff --quiet HEAD || echo ' and changes')"
build_watched
mkdir -p $log
status=0

fuzz() { # cases|bytes, options
    local kind=$1
    shift
    if ! $scratch/release/wasmfuzz "$kind" --seed "$seed" --minutes "$minutes" \
        --progress "$log/$kind.case" "$@" >"$log/$kind.log" 2>&1; then
        tail -n 60 "$log/$kind.log"
        echo "replay: Scripts/fuzz.sh replay $kind $seed $(cat "$log/$kind.case")"
        return 1
    fi
    tail -n 1 "$log/$kind.log"
}

compare() { # tool, what, options
    local tool=$1
    shift
    "$tool" "$@" --seed "$seed" --emit - | "$python" Scripts/fuzz-differential.py
}

echo "== valid modules and changed ones, $minutes minutes each, watched by sanitizers"
fuzz cases & first=$!
fuzz bytes --corpus "$(corpus)" & second=$!
wait $first || status=1
wait $second || status=1

echo "== $cases of each on wasmtime"
compare $scratch/release/wasmfuzz cases --count "$cases" || status=1
compare $scratch/release/wasmfuzz bytes --corpus $scratch/corpus --count "$cases" || status=1

echo "== the switch fallback"
build $scratch-switch -Xcc -DOPENPATCH_WASM_SWITCH
compare $scratch-switch/release/wasmfuzz cases --corpus || status=1
compare $scratch-switch/release/wasmfuzz cases --count $((cases / 10)) || status=1
exit $status
