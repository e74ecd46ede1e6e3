#!/usr/bin/env python3
"""What two choices cost in our own engine: 64-bit memories, and limits on a call.

usage: variants.py KERNELS_FOLDER OUT_FOLDER SIZES_JSON ROUNDS

`wasm64 vs wasm32`: a kernel built for 64-bit memory against the same for 32-bit memory, both from
the same source without a C library (kernels that need one are left out).
`limited vs unlimited`: the kernel under fuel, a deadline and a look at the clock, against none.
Times are processor times of the child, less those of the same run with no work, medians of
interleaved rounds. Prints `KERNEL A vs B: RATIO`, above 1 when A is faster.
"""
import json
import math
import os
import resource
import statistics
import subprocess
import sys

KERNELS = ['fib', 'sieve', 'matmul', 'sha256', 'json']
LIMITS = ['--fuel', '1000000000000', '--timeout', '600']


def build(folder, out, kernel, width):
    path = os.path.join(out, f'{kernel}-{width}.wasm')
    subprocess.run(
        ['clang', f'--target=wasm{width}-unknown-unknown', '-O2', '-nostdlib', '-ffreestanding',
         '-mbulk-memory', '-Wl,--no-entry', '-Wl,-z,stack-size=65536',
         os.path.join(folder, f'{kernel}.c'), '-o', path], check=True)
    return path


def run(module, options, n):
    """Processor seconds and the result."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ['patchcli', 'wasm', 'run', *options, module, '--invoke', 'run', str(n)],
        capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout)


def compare(name, variants, sizes, rounds):
    """`variants`: kernel -> two (module, options), the second being the measure of the first."""
    times = {kernel: ([], []) for kernel in variants}
    for _ in range(rounds):
        for kernel, pair in variants.items():
            results = set()
            for samples, (module, options) in zip(times[kernel], pair):
                work, result = run(module, options, sizes[kernel][0])
                none, _ = run(module, options, sizes[kernel][1])
                samples.append(work - none)
                results.add(result)
            if len(results) > 1:
                sys.exit(f'variants: {kernel} gives different results')
    total = 0.0
    for kernel, (first, second) in times.items():
        ratio = statistics.median(second) / statistics.median(first)
        total += math.log(ratio)
        print(f'{kernel} {name}: {ratio:.3f}')
    print(f'geomean {name}: {math.exp(total / len(times)):.3f}')


def main():
    folder, out, sizes_path, rounds = sys.argv[1:5]
    os.makedirs(out, exist_ok=True)
    with open(sizes_path) as file:
        sizes = json.load(file)
    built = {kernel: [build(folder, out, kernel, width) for width in (64, 32)]
             for kernel in KERNELS}
    wide = {kernel: [(module, []) for module in pair] for kernel, pair in built.items()}
    compare('wasm64 vs wasm32', wide, sizes, int(rounds))
    limited = {kernel: [(pair[1], LIMITS), (pair[1], [])] for kernel, pair in built.items()}
    compare('limited vs unlimited', limited, sizes, int(rounds))


if __name__ == '__main__':
    main()
