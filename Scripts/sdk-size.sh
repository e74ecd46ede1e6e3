#!/usr/bin/env bash
# What PatchSDK adds to an app: the same small program is built twice by plain
# `swift build -c release`, once without and once with the SDK, both are stripped, and the
# difference is printed. Fails above LIMIT bytes (default 1,500,000; 0 only measures).
#
#   Scripts/sdk-size.sh              prints the figure and holds it
#   Scripts/sdk-size.sh --sections   also what the difference is made of, by section
#   Scripts/sdk-size.sh --targets    also what each target of this package brings, by symbols
#   Scripts/sdk-size.sh --small …    the same with the flags that an app may pass to be small
#                                    (Docs/sdk.md, "A smaller program")
#
# Both programs use Foundation, because every app does; it and the standard library are shared
# libraries on Linux as on Apple systems, so neither is in the figure.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
limit=${LIMIT:-1500000}
scratch=${OPENPATCH_SIZE_SCRATCH:-.build/sdk-size}
flags=()
if [ "${1:-}" = --small ]; then
    shift
    # Optimise all for size, not only what the package does itself; one copy of equal functions;
    # relocations in their short form.
    flags=(
        -Xswiftc -Osize -Xswiftc -use-ld=lld
        -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs)
fi
# From nothing: a build folder of an app does not notice new files of the package it depends on.
rm -rf "$scratch/build"
mkdir -p "$scratch/app/Sources/Without" "$scratch/app/Sources/With"
scratch=$(cd "$scratch" && pwd)

cat > "$scratch/app/Package.swift" <<SWIFT
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
    name: "SizeApp",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "OpenPatch", path: "$root")],
    targets: [
        .executableTarget(name: "Without"),
        .executableTarget(
            name: "With", dependencies: [.product(name: "PatchSDK", package: "OpenPatch")]),
    ])
SWIFT
cat > "$scratch/app/Sources/Without/main.swift" <<'SWIFT'
import Foundation

func greeting(_ name: String) -> String { "Hello, \(name)" }
print(greeting("you"), URL(string: "https://example.com")?.absoluteString ?? "-", Date())
SWIFT
cat > "$scratch/app/Sources/With/main.swift" <<'SWIFT'
import Foundation
import PatchSDK

func greeting(_ name: String) -> String { "Hello, \(name)" }
Patch.configure(.init(appKey: "pak_size"))
await Patch.shared.start()
let served: Int32? = try? Patch.shared.call("greeting_len", returning: Int32.self)
print(served ?? -1)
print(greeting("you"), URL(string: "https://example.com")?.absoluteString ?? "-", Date())
SWIFT

build() {
    swift build -c release --package-path "$scratch/app" --scratch-path "$scratch/build" \
        ${flags[@]+"${flags[@]}"} "$@" \
        > "$scratch/build.log" 2>&1 || { tail -n 40 "$scratch/build.log" >&2; exit 1; }
}
build --product Without
build --product With
bin=$(swift build -c release --package-path "$scratch/app" --scratch-path "$scratch/build" \
    --show-bin-path)
size() { wc -c < "$1" | tr -d ' '; }
for name in Without With; do
    cp "$bin/$name" "$scratch/$name"
    strip "$scratch/$name"
done
without=$(size "$scratch/Without")
with=$(size "$scratch/With")
added=$((with - without))

if [ "${1:-}" = --sections ]; then
    for name in Without With; do readelf -SW "$scratch/$name" > "$scratch/$name.sections"; done
    awk '
        { sub(/^ *\[ *[0-9]+\] */, "") }
        $1 ~ /^[._a-z]/ && $5 ~ /^[0-9a-f]+$/ {
            # The text of the shell awk cannot read hexadecimal, so by hand.
            value = 0; hex = $5
            for (i = 1; i <= length(hex); i++)
                value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            if ($2 == "NOBITS") value = 0
            if (FNR == NR) old[$1] = value; else new[$1] = value
        }
        END { for (name in new) printf "%9d  %s\n", new[name] - old[name], name }
    ' "$scratch/Without.sections" "$scratch/With.sections" | sort -rn | awk '$1 > 1000'
fi
if [ "${1:-}" = --targets ]; then
    Scripts/symbol-sizes.py "$bin/With"
fi
echo "sdk-size: without $without, with $with, added $added bytes (at most $limit)"
[ "$limit" -eq 0 ] || [ "$added" -le "$limit" ] || {
    echo "sdk-size: the SDK adds more than $limit bytes to a stripped release binary" >&2
    exit 1
}
