"""Runs calls of a guest module on wasmtime, an engine that shares no code with ours.

usage: run_guest.py MODULE STEPS.json

STEPS is a list of {"call": export, "args": [...]}; an argument is a number or
{"text": string} / {"hex": bytes}, which is written into guest memory through the export that
"alloc" names (default op_alloc) and passed as pointer and length. With "packed" the result is
read as (pointer << 32) | length and answered as text. The answers are printed as a JSON list; a
trap answers {"trap": message} and ends the run. The step {"pages": true} answers the size of memory.
"""
import json
import pathlib
import sys

import wasmtime

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unicode_host import define_unicode  # noqa: E402


def main() -> None:
    module_path, steps_path = sys.argv[1:3]
    config = wasmtime.Config()
    config.wasm_memory64 = True
    config.consume_fuel = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    store.set_fuel(20_000_000_000)
    module = wasmtime.Module.from_file(engine, module_path)
    linker = wasmtime.Linker(engine)
    state = {"random": 1, "log": []}

    def memory():
        return instance.exports(store)["memory"]

    def fill(pointer, length):
        data = bytearray()
        for _ in range(length):
            state["random"] = (state["random"] * 1103515245 + 12345) & 0x7FFFFFFF
            data.append(state["random"] >> 16 & 0xFF)
        memory().write(store, data, pointer)

    def log(level, pointer, length):
        state["log"].append(bytes(memory().read(store, pointer, pointer + length)).decode())

    i32 = wasmtime.ValType.i32()
    pair = wasmtime.FuncType([i32, i32], [])
    triple = wasmtime.FuncType([i32, i32, i32], [])
    linker.define(store, "openpatch", "random.fill", wasmtime.Func(store, pair, fill))
    linker.define(store, "openpatch", "log.write", wasmtime.Func(store, triple, log))
    define_unicode(linker, store, lambda text, at: memory().write(store, text, at))
    instance = linker.instantiate(store, module)
    exports = instance.exports(store)
    exports["_initialize"](store)

    answers = []
    for step in json.load(open(steps_path)):
        try:
            answers.append(run(store, exports, memory(), step))
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            answers.append({"trap": str(error).strip().splitlines()[-1]})
            break
    if state["log"]:
        answers.append({"log": state["log"]})
    json.dump(answers, sys.stdout)


def run(store, exports, memory, step):
    if step.get("pages"):
        return memory.size(store)
    arguments = []
    for argument in step.get("args", []):
        if isinstance(argument, dict):
            data = (argument["text"].encode() if "text" in argument
                    else bytes.fromhex(argument["hex"]))
            pointer = exports[step.get("alloc", "op_alloc")](store, len(data))
            memory.write(store, data, pointer)
            arguments += [pointer, len(data)]
        else:
            arguments.append(argument)
    result = exports[step["call"]](store, *arguments)
    if not step.get("packed"):
        return result
    result &= (1 << 64) - 1
    if result == 0:
        return None
    pointer, length = result >> 32, result & 0xFFFFFFFF
    data = bytes(memory.read(store, pointer, pointer + length))
    exports["op_free"](store, pointer, length)
    return data.decode()


main()
