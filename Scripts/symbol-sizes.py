#!/usr/bin/env python3
"""Prints how many bytes of a program's symbols come from each target of this package.

usage: symbol-sizes.py PROGRAM    PROGRAM: not stripped
"""
import collections
import re
import subprocess
import sys

TARGETS = [
    "WebAssemblyWASI", "WebAssembly", "PatchCompression", "PatchCrypto", "PatchPlatform",
    "Rollout", "TUFRepository", "TUF", "ModuleABI", "UpdateEngine", "PatchSDK",
]
CORE = re.compile(r"(h|wc|exit|trap)_|(handlers|names|flags|operators|call_foreign)$")


def target(symbol: str) -> str:
    """Whose symbol it is: the first target that its mangled name spells, length first."""
    found = [
        (symbol.find(f"{len(name)}{name}"), -len(name), name)
        for name in TARGETS if f"{len(name)}{name}" in symbol
    ]
    if found:
        return min(found)[2]
    if CORE.match(symbol):
        return "CWasmCore"
    return "copies of the standard library" if symbol.startswith("$s") else "other"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines = subprocess.run(
        ["nm", "--size-sort", "-S", sys.argv[1]], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    sizes: collections.Counter[str] = collections.Counter()
    counts: collections.Counter[str] = collections.Counter()
    for line in lines:
        _, size, kind, *name = line.split()
        if kind in "bB" or not name:
            continue
        whose = target(name[0])
        sizes[whose] += int(size, 16)
        counts[whose] += 1
    for whose, size in sizes.most_common():
        print(f"{size:9}  {counts[whose]:6} symbols  {whose}")
    print(f"{sum(sizes.values()):9}  {sum(counts.values()):6} symbols  all")


main()
