#!/usr/bin/env bash
# Speed of our engine against others, interleaved in one run, and what a call costs.
#   ROUNDS=5 KERNELS=fib,json ENGINES=wasm3 Benchmarks/run.sh
# The kernels and the runner are reference data (OPENPATCH_SHARED, else ../shared). The yardstick
# is the toolchain's own `wasmkit`; ENGINES adds engines of the runner's table, "native" for one.
# Prints ratios, appends one line to Benchmarks/history.csv (HISTORY=no leaves it alone), and
# fails when an engine fails or gives another result than the others.
# `wasm3`, `iwasm` and `wasmkit-cli` join when they are on PATH.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-5}
kernels=${KERNELS:-all}
engines=wasmkit016,ours${ENGINES:+,$ENGINES}
shared=${OPENPATCH_SHARED:-../shared}
scripts=$shared/bench/wasm
export OUT=$PWD/.build/wasm-bench

say() { printf 'bench: %s\n' "$*"; }
fail() {
    printf 'bench: %s\n' "$@" >&2
    exit 69
}

[ -f "$scripts/run.py" ] || fail "no benchmark kernels at '$scripts'" \
    "Name the folder of the reference data with OPENPATCH_SHARED."
command -v wasmkit >/dev/null || fail "no 'wasmkit' on PATH, which the ratios are against" \
    "It is part of the Swift toolchains from swift.org; put their usr/bin on PATH."
command -v python3 >/dev/null || fail "no 'python3' on PATH, which the runner needs"

# The C kernels are built with Debian's libc for WebAssembly.
missing=()
for package in wasi-libc libclang-rt-14-dev-wasm32; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' \
        || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || fail "the kernels need ${missing[*]}, which are Debian's" \
        "Run the benchmarks on Debian or Ubuntu."
    install=(apt-get install -y --no-install-recommends "${missing[@]}")
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || fail "these packages are missing: ${missing[*]}" \
            "Run once: sudo ${install[*]}"
        install=(sudo -n "${install[@]}")
    fi
    say "installing ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null </dev/null
fi

if [ -n "${PATCHCLI:-}" ]; then
    PATH=$(cd "$(dirname "$PATCHCLI")" && pwd):$PATH
else
    say "building patchcli (release)"
    swift build -c release --product patchcli 2>&1 | { grep -E 'error|warning:|^Build' || true; }
    PATH=$(swift build -c release --show-bin-path):$PATH
fi

# Kernels are built again when their sources or the compiler change.
stamp=$(cat "$scripts"/kernels/* "$scripts"/swift-guest/* "$scripts"/build*.sh <(clang --version) \
    <(echo "${COREMARK:-}") | cksum)
if [ "$(cat "$OUT/stamp" 2>/dev/null)" != "$stamp" ]; then
    say "building the kernels"
    rm -rf "$OUT"
    mkdir -p "$OUT"
    for script in build.sh build-swift.sh; do
        bash "$scripts/$script" >"$OUT/$script.log" 2>&1 \
            || { tail -n 20 "$OUT/$script.log" >&2; fail "$script failed; its last lines are above"; }
    done
    echo "$stamp" >"$OUT/stamp"
fi

# Other engines, by the names and places of the runner's table.
join() {
    local name=$1 program=$2 place=$OUT/$3
    case ",$engines," in *",$name,"*) return ;; esac
    program=$(command -v "$program") || return 0
    mkdir -p "$(dirname "$place")"
    ln -sf "$program" "$place"
    engines=$engines,$name
}
join wasm3 wasm3 ref-build/wasm3/wasm3
join wamr iwasm ref-build/wamr/iwasm
join wasmkit wasmkit-cli ref-build/WasmKit/.build/release/wasmkit-cli

say "$rounds interleaved rounds, engines $engines"
pin=()
if command -v taskset >/dev/null && [ "$(nproc)" -gt 1 ]; then pin=(taskset -c 1); fi
"${pin[@]}" python3 "$scripts/run.py" "$rounds" "$kernels" "$engines"

say "what a call costs"
"${pin[@]}" patchcli wasm call-cost | tee "$OUT/call-cost.txt"

say "what 64-bit memories and limits cost"
"${pin[@]}" python3 Benchmarks/variants.py "$scripts/kernels" "$OUT/variants" \
    "$scripts/sizes.json" "$rounds" | tee "$OUT/variants.txt"

# A debug build is what app developers run all day. It is measured where one lies around.
: >"$OUT/debug.txt"
debug=${DEBUG_PATCHCLI:-.build/debug/patchcli}
if [ -x "$debug" ] && [ -f "$OUT/out/coremark.wasm" ]; then
    say "a debug build, 20 iterations of CoreMark"
    TIMEFORMAT='%U %S'
    for _ in 1 2 3 4 5; do
        { time "${pin[@]}" "$debug" wasm run "$OUT/out/coremark.wasm" --invoke run 20 >/dev/null; } \
            2>&1 | awk '{ print $1 + $2 }'
    done | sort -n | sed -n 3p | sed 's/^/debug build, 20 CoreMark iterations, s: /' \
        | tee "$OUT/debug.txt"
fi

say "what loading takes"
[ -f "$OUT/out/big.wasm" ] \
    || python3 "$scripts/mkbig.py" "$OUT/out/swift.wasm" "$OUT/out/big.wasm" 40 >/dev/null
: >"$OUT/startup.txt"
for module in swift big; do
    echo "$module.wasm" | tee -a "$OUT/startup.txt"
    "${pin[@]}" patchcli wasm startup "$OUT/out/$module.wasm" | tee -a "$OUT/startup.txt"
done

python3 Benchmarks/summary.py "$OUT/last.json" "$OUT/call-cost.txt" "$OUT/startup.txt" \
    "$OUT/variants.txt" "$OUT/debug.txt" \
    "$([ "${HISTORY:-yes}" = no ] || echo Benchmarks/history.csv)" \
    "$(git rev-parse --short HEAD 2>/dev/null || echo none)$(git diff --quiet HEAD 2>/dev/null || echo +)"
