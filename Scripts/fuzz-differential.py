#!/usr/bin/env python3
"""Runs what `wasmfuzz` made on wasmtime and compares, line by line.

    wasmfuzz cases --seed 1 --count 1000 --emit - | Scripts/fuzz-differential.py
    wasmfuzz bytes --seed 1 --count 1000 --emit - | Scripts/fuzz-differential.py

Reads, from the files that are named or else from standard input, lines of JSON: cases with the outcome that our engine had, and mutants with our verdict. Other
lines are passed on. Ends with exit code 1 when anything differs. Docs/internals/fuzzing.md says
what is compared and what cannot be.
"""
import base64
import fileinput
import json
import struct
import sys
import zlib
from importlib.metadata import version

import wasmtime
from wasmtime import Func, FuncType, ValType

MEMORY, TABLE = 16 << 20, 10_000
FUEL = 200
KINDS = {
    "UNREACHABLE": "unreachable",
    "INTEGER_DIVISION_BY_ZERO": "integer_divide_by_zero",
    "INTEGER_OVERFLOW": "integer_overflow",
    "BAD_CONVERSION_TO_INTEGER": "invalid_conversion_to_integer",
    "MEMORY_OUT_OF_BOUNDS": "out_of_bounds_memory_access",
    "TABLE_OUT_OF_BOUNDS": "table_bounds",
    "INDIRECT_CALL_TO_NULL": "uninitialized_element",
    "BAD_SIGNATURE": "indirect_call_type_mismatch",
    "STACK_OVERFLOW": "call_stack_exhausted",
}


class HostFailure(Exception):
    pass


def engine():
    c = wasmtime.Config()
    c.wasm_simd = c.wasm_relaxed_simd = c.wasm_threads = c.wasm_tail_call = False
    c.wasm_multi_memory = c.wasm_function_references = c.wasm_gc = c.wasm_exceptions = False
    c.wasm_memory64 = True
    c.cranelift_opt_level = "none"
    c.max_wasm_stack = 2 << 20
    c.memory_reservation = 0
    c.memory_reservation_for_growth = 0
    c.memory_guard_size = 0
    return wasmtime.Engine(c)


def f32_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64_bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def plain(value):
    """The value itself: the bindings leave nulls in their box."""
    return value.value if isinstance(value, wasmtime.Val) else value


def text(kind, value):
    value = plain(value)
    if kind == "i32":
        return f"i32:{value & 0xffffffff:08x}"
    if kind == "i64":
        return f"i64:{value & 0xffffffffffffffff:016x}"
    if kind in ("f32", "f64"):
        if value != value:
            return kind + ":nan"
        return f"f32:{f32_bits(value):08x}" if kind == "f32" else f"f64:{f64_bits(value):016x}"
    if value is None:
        return "ref:null"
    return f"ref:{value}" if isinstance(value, int) else "ref:func"


def value(words):
    kind, digits = words.split(":")
    if kind == "ref":
        return None if digits == "null" else int(digits)
    if digits == "nan":
        return float("nan")
    bits = int(digits, 16)
    if kind == "i32":
        return struct.unpack("<i", struct.pack("<I", bits))[0]
    if kind == "i64":
        return struct.unpack("<q", struct.pack("<Q", bits))[0]
    if kind == "f32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def signed(bits, width):
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> (width - 1) else bits


def host(store, notes):
    """The functions of `h`, as in Tests/WebAssemblyFuzz/Cases/HostModule.swift."""
    i32, i64, f32, f64 = ValType.i32, ValType.i64, ValType.f32, ValType.f64

    def canonical32(x):
        return 0x7FC00000 if x != x else f32_bits(x)

    def canonical64(x):
        return 0x7FF8000000000000 if x != x else f64_bits(x)

    def note(x, y):
        notes[0] = (notes[0] * 31 + canonical32(x) + (y & 0xFFFFFFFF)) & (2**64 - 1)

    def fail(x):
        if x & 15 == 7:
            raise HostFailure()

    table = {
        "mix": ([i32, i32], [i32], lambda a, b: signed((a & 0xFFFFFFFF) * 31 + b, 32)),
        "wide": ([i64, f64], [i64], lambda a, b: signed(a * 6364136223846793005 + canonical64(b), 64)),
        "split": ([i64], [i32, i32], lambda a: [signed(a, 32), signed(a >> 32, 32)]),
        "note": ([f32, i32], [], note),
        "half": ([f64], [f64], lambda a: a * 0.5),
        "fail": ([i32], [], fail),
    }
    return {
        ("h", name): Func(store, FuncType([t() for t in ins], [t() for t in outs]), body)
        for name, (ins, outs, body) in table.items()
    }


def failure(error):
    if isinstance(error, wasmtime.Trap):
        return "trap " + KINDS.get(error.trap_code.name, error.trap_code.name)
    if isinstance(error, HostFailure):
        return "failed in the host"
    return "refused: " + str(error).split("\n")[0]


def run(eng, case):
    store = wasmtime.Store(eng)
    store.set_limits(memory_size=MEMORY, table_elements=TABLE, instances=100, tables=1000, memories=100)
    notes, lines, instances = [0], [], []
    functions = host(store, notes)
    for number, encoded in enumerate(case["modules"]):
        try:
            module = wasmtime.Module(eng, base64.b64decode(encoded))
            before = instances[-1].exports(store) if instances else {}
            given = [
                functions[(i.module, i.name)] if i.module == "h" else before[i.name]
                for i in module.imports
            ]
            instances.append(wasmtime.Instance(store, module, given))
            lines.append(f"instance {number} ok")
        except Exception as error:
            lines.append(f"instance {number} {failure(error)}")
            break
    else:
        exports = [i.exports(store) for i in instances]
        for call in case["calls"]:
            for e in exports:
                if "fuel" in e:
                    e["fuel"].set_value(store, FUEL)
            f = exports[call["module"]][call["function"]]
            name = f"call {call['module']} {call['function']}"
            try:
                results = f(store, *[value(a) for a in call["arguments"]])
                kinds = [str(t) for t in f.type(store).results]
                results = [] if not kinds else [results] if len(kinds) == 1 else results
                lines.append(" ".join([name, "ok"] + [text(k, v) for k, v in zip(kinds, results)]))
            except Exception as error:
                lines.append(f"{name} {failure(error)}")
    lines.append(f"notes {notes[0]}")
    for number, instance in enumerate(instances):
        exports = instance.exports(store)
        for name in exports:
            item, prefix = exports[name], f"{number} {name}"
            if isinstance(item, wasmtime.Global):
                lines.append(f"{prefix} {text(str(item.type(store).content), item.value(store))}")
            elif isinstance(item, wasmtime.Memory):
                sum_ = zlib.crc32(item.read(store, 0, item.data_len(store)))
                lines.append(f"{prefix} {item.size(store)} pages {sum_}")
            elif isinstance(item, wasmtime.Table):
                size = item.size(store)
                shown = "".join("-" if plain(item.get(store, k)) is None else "x" for k in range(min(size, 40)))
                lines.append(f"{prefix} {size} elements {shown}")
    return lines


def main():
    sys.stdout.reconfigure(line_buffering=True)
    eng = engine()
    cases = mutants = valid = differing = 0
    for line in fileinput.input(encoding="utf-8"):
        if not line.startswith("{"):
            sys.stdout.write(line)
            continue
        entry = json.loads(line)
        if "outcome" in entry:
            cases += 1
            theirs = run(eng, entry)
            for mine, other in zip(entry["outcome"] + ["nothing"] * len(theirs), theirs + ["nothing"] * 2):
                if mine != other:
                    differing += 1
                    print(f"case {entry['number']}: ours '{mine}', wasmtime '{other}'")
                    break
        else:
            mutants += 1
            try:
                wasmtime.Module.validate(eng, base64.b64decode(entry["bytes"]))
                verdict = "valid"
            except Exception as error:
                verdict = " ".join(str(error).split())
            valid += verdict == "valid"
            if (verdict == "valid") != entry["valid"]:
                differing += 1
                print(f"mutant {entry['number']}: ours '{entry['code']}', wasmtime '{verdict}'")
    print(f"wasmtime {version('wasmtime')}: {cases} cases, {mutants} mutants ({valid} valid), {differing} differ")
    if differing or cases + mutants == 0:
        sys.exit(1)


main()
