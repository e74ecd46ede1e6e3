"""The functions `unicode.*` that a host gives to modules, from Python's own Unicode database."""
import unicodedata

import wasmtime


def normalization(scalar):
    text = chr(scalar)
    bits = unicodedata.combining(text) << 3
    if unicodedata.normalize("NFD", text) != text:
        bits |= 1
    if unicodedata.normalize("NFC", text) != text:
        bits |= 2
    if unicodedata.category(text).startswith("M") or 0x1100 <= scalar <= 0x11FF:
        bits |= 4
    return bits


def composition(first, second):
    text = unicodedata.normalize("NFC", chr(first) + chr(second))
    return ord(text) if len(text) == 1 else -1


def decomposition(scalar):
    text = unicodedata.normalize("NFD", chr(scalar))
    return text.encode() if text != chr(scalar) else b""


def define_unicode(linker, store, write):
    i32 = wasmtime.ValType.i32()

    def decompose(scalar, pointer, capacity):
        text = decomposition(scalar)
        if 0 < len(text) <= capacity:
            write(text, pointer)
            return len(text)
        return 0

    for name, count, answer in (
        ("normalization", 1, normalization),
        ("composition", 2, composition),
        ("decomposition", 3, decompose),
    ):
        shape = wasmtime.FuncType([i32] * count, [i32])
        linker.define(
            store, "openpatch", "unicode." + name, wasmtime.Func(store, shape, answer))
