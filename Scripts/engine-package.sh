#!/usr/bin/env bash
# Makes a package of the engine and its tests alone, over links to this checkout, for builds that
# want other settings than the whole product.
#   Scripts/engine-package.sh FOLDER [C-DEFINE]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
define=${2:-}
mkdir -p "$folder/Sources" "$folder/Tests"
for target in CWasmCore WebAssembly WebAssemblySpec; do
    ln -sfn "$root/Sources/$target" "$folder/Sources/$target"
done
for target in CSpawn TestSupport WebAssemblyTests WebAssemblySpecTests; do
    ln -sfn "$root/Tests/$target" "$folder/Tests/$target"
done
settings=
[ -z "$define" ] || settings=", cSettings: [.define(\"$define\")]"
cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Engine",
    platforms: [.macOS(.v12)],
    targets: [
        .target(name: "CWasmCore"$settings),
        .target(name: "WebAssembly", dependencies: ["CWasmCore"]),
        .target(name: "WebAssemblySpec", dependencies: ["WebAssembly"]),
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn"], path: "Tests/TestSupport"),
        .testTarget(name: "WebAssemblyTests", dependencies: ["WebAssembly", "TestSupport"]),
        .testTarget(
            name: "WebAssemblySpecTests",
            dependencies: ["WebAssemblySpec", "WebAssembly", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
SWIFT
