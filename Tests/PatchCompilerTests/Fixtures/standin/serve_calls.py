"""Serves calls of generated exports on wasmtime, an engine that shares no code with ours.

usage: serve_calls.py MODULE PACKED

PACKED lists the exports whose i64 is a packed result. Each line on standard input is an export and its arguments: `i64:5,i32:1` (floats as bits) or `hex:…`, one
encoded value. One line is printed for each: a number (floats as bits), or the bytes of a packed
result in hex, or `nil`.
"""
import pathlib
import struct
import sys

import wasmtime

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unicode_host import define_unicode  # noqa: E402


def main() -> None:
    module_path = sys.argv[1]
    packed_exports = set(sys.argv[2].split(","))
    config = wasmtime.Config()
    config.wasm_memory64 = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    module = wasmtime.Module.from_file(engine, module_path)
    linker = wasmtime.Linker(engine)
    i32 = wasmtime.ValType.i32()
    pair = wasmtime.FuncType([i32, i32], [])

    def fill(pointer, length):
        memory.write(store, bytes(i * 37 % 256 for i in range(length)), pointer)

    linker.define(store, "openpatch", "random.fill", wasmtime.Func(store, pair, fill))
    leveled = wasmtime.FuncType([i32, i32, i32], [])
    linker.define(
        store, "openpatch", "log.write",
        wasmtime.Func(store, leveled, lambda level, pointer, length: None))
    define_unicode(linker, store, lambda text, at: memory.write(store, text, at))
    instance = linker.instantiate(store, module)
    exports = instance.exports(store)
    memory = exports["memory"]
    exports["_initialize"](store)
    for line in sys.stdin:
        name, _, text = line.strip().partition(" ")
        function = exports[name]
        arguments = []
        taken = None
        if text.startswith("hex:"):
            data = bytes.fromhex(text[4:])
            pointer = exports["op_alloc"](store, len(data)) & 0xFFFFFFFF
            memory.write(store, data, pointer)
            taken = (pointer, len(data))
            arguments = list(taken)
        else:
            arguments = [scalar(part) for part in text.split(",") if part]
        result = function(store, *arguments)
        if taken:
            exports["op_free"](store, *taken)
        kind = list(function.type(store).results)[0]
        # A scalar function has no bytes to read; the caller knows which it is by its type.
        if str(kind) == "f32":
            print(struct.unpack("<I", struct.pack("<f", result))[0])
        elif str(kind) == "f64":
            print(struct.unpack("<Q", struct.pack("<d", result))[0])
        elif name in packed_exports:
            packed = result & (1 << 64) - 1
            pointer, length = packed >> 32, packed & 0xFFFFFFFF
            if packed == 0:
                print("nil")
            else:
                print(bytes(memory.read(store, pointer, pointer + length)).hex())
                exports["op_free"](store, pointer, length)
        else:
            print(result)
        sys.stdout.flush()


def scalar(text):
    kind, value = text.split(":")
    value = int(value)
    if kind == "f32":
        return struct.unpack("<f", struct.pack("<I", value))[0]
    if kind == "f64":
        return struct.unpack("<d", struct.pack("<Q", value))[0]
    bits = 64 if kind == "i64" else 32
    return value - (1 << bits) if value >> (bits - 1) else value


main()
