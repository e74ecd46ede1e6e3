#!/usr/bin/env python3
"""Sums a benchmark run up against the toolchain's wasmkit, and keeps its figures.

usage: summary.py LAST_JSON CALL_COST_TXT STARTUP_TXT VARIANTS_TXT DEBUG_TXT HISTORY_CSV|'' COMMIT
"""
import csv
import datetime
import json
import math
import os
import re
import sys

YARDSTICK = 'wasmkit016'
HEADER = ['date', 'commit', 'figure', 'value']


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float('nan')


def ratios(seconds, other):
    """Kernel -> how many times as fast as `other` our engine is."""
    kernels = sorted({key.split('/')[0] for key in seconds})
    return {k: seconds[f'{k}/{other}'] / seconds[f'{k}/ours'] for k in kernels}


def comparison(seconds, other, name):
    by_kernel = ratios(seconds, other)
    yield from ((f'{kernel} vs {name}', ratio) for kernel, ratio in by_kernel.items())
    yield f'geomean vs {name}', geomean(list(by_kernel.values()))
    # memory.copy is the C library's work in every engine and hides what interpreting costs.
    interpreted = [ratio for kernel, ratio in by_kernel.items() if kernel != 'memcopy']
    yield f'geomean vs {name} without memory.copy', geomean(interpreted)


def plain(text):
    """Lines of the form `figure: value`."""
    for line in text.splitlines():
        name, _, value = line.rpartition(': ')
        yield name, float(value)


def startup(text):
    """The lines below each module's name, as (figure, value)."""
    module = ''
    for line in text.splitlines():
        name, _, rest = line.partition(': ')
        if not rest:
            module = line.strip()
        elif name != 'bytes':
            value, unit = rest.split()
            yield f'{name} {module} {unit}', float(value)


def figures(last, costs, loading):
    result = list(comparison(last, YARDSTICK, 'wasmkit'))
    for other in sorted({key.split('/')[1] for key in last} - {YARDSTICK, 'ours'}):
        result += comparison(last, other, 'wasmkit-cli' if other == 'wasmkit' else other)
    for name, value in re.findall(r'^(.+): ([\d.]+) ns a call$', costs, re.MULTILINE):
        result.append((f'{name} ns', float(value)))
    return result + list(startup(loading))


def main():
    last_path, costs_path, startup_path, variants_path, debug_path, history, commit = sys.argv[1:8]
    with open(last_path) as file:
        last = json.load(file)
    with open(costs_path) as file:
        costs = file.read()
    with open(startup_path) as file:
        loading = file.read()
    rows = figures(last, costs, loading)
    for path in (variants_path, debug_path):
        with open(path) as file:
            rows += plain(file.read())
    for name, value in rows:
        print(f'{name}: {value:.2f}{"x" if " vs " in name else ""}')
    if not history:
        return
    fresh = not os.path.exists(history)
    date = datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%MZ')
    with open(history, 'a', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        if fresh:
            writer.writerow(HEADER)
        for name, value in rows:
            writer.writerow([date, commit, name, f'{value:.3f}'])


if __name__ == '__main__':
    main()
