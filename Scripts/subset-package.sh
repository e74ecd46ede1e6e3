#!/usr/bin/env bash
# Makes a package of some targets and what they depend on, over links to this checkout, for builds
# that want other settings than the whole product.
#   Scripts/subset-package.sh FOLDER TARGET…
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
shift
mkdir -p "$folder"
for name in Sources Tests Stubs Examples Docs Scripts; do
    ln -sfn "$root/$name" "$folder/$name"
done
{
    cat "$root/Package.swift"
    printf '\nlet wantedTargets: Set<String> = ['
    printf '"%s", ' "$@"
    cat <<'SWIFT'
]

func namesOfDependencies(_ target: Target) -> [String] {
    target.dependencies.compactMap {
        switch $0 {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: nil
        }
    }
}

var keptTargets = Set<String>()
var pendingTargets = Array(wantedTargets)
while let name = pendingTargets.popLast() {
    guard keptTargets.insert(name).inserted else { continue }
    pendingTargets += package.targets.filter { $0.name == name }.flatMap(namesOfDependencies)
}
package.targets = package.targets.filter { keptTargets.contains($0.name) }
package.products = package.products.filter {
    switch $0 {
    case let library as Product.Library: keptTargets.isSuperset(of: library.targets)
    case let program as Product.Executable: keptTargets.isSuperset(of: program.targets)
    default: false
    }
}
SWIFT
} >"$folder/Package.swift"
