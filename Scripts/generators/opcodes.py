#!/usr/bin/env python3
"""Writes the interpreter's instruction handlers and opcode numbers from one table.

Run from the root of the checkout (`make generate` does); `--check` writes nothing and fails when
the committed files are not what the table says.

  Sources/CWasmCore/handlers.inc                     OP(number, name, body)   one per IR opcode,
                                                     HOLE(number, name)       for numbers without
  Sources/CWasmCore/optable.inc                      a row per wasm opcode, flags per IR opcode
  Sources/WebAssembly/Translate/Opcodes.generated.swift   the numbers that the translator names

How to add an opcode: Docs/internals/engine.md.

Notation of operand forms: s = frame slot, a = accumulator (r for integers, f for f64, g for f32),
i = immediate in the instruction, k = constant in the next word. Addresses also: k = offset alone,
w = slot + immediate, x = slot + slot. The first letter of a suffix is the destination, then left, then right.
"""
import sys

OPS = []  # (name, body, flags)
INDEX = {}
ROWS = {}  # wasm opcode (0xFC xx -> 0x100 + xx) -> row
NAMED = []  # IR opcodes that the translator names itself

READS = {"r": 1, "f": 2, "g": 4}
WRITES = {"r": 8, "f": 16, "g": 32}
WIDE, BRANCHES, ENDS, HOLE = 64, 128, 256, 512

ACC = {"i32": "r", "i64": "r", "f32": "g", "f64": "f"}
CTYPE = {"i32": "u32", "i64": "u64", "f32": "float", "f64": "double"}
CODE = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}


def op(name, body, flags=0, named=False):
    assert name not in INDEX, name
    INDEX[name] = len(OPS)
    OPS.append((name, body, flags))
    if named:
        NAMED.append(name)
    return INDEX[name]


def hole(name, named=False):
    """A number that is never executed: it keeps the numbering regular, or marks a header."""
    return op(name, None, HOLE, named)


def slot(t, field):
    return {
        "i32": f"(u32)fp[{field}]",
        "i64": f"fp[{field}]",
        "f32": f"f32_of(fp[{field}])",
        "f64": f"f64_of(fp[{field}])",
    }[t]


def acc(t):
    return {"i32": "(u32)r", "i64": "r", "f32": "g", "f64": "f"}[t]


def bits(t, e):
    return {
        "i32": f"(u64)(u32)({e})",
        "i64": f"(u64)({e})",
        "f32": f"f32_bits({e})",
        "f64": f"f64_bits({e})",
    }[t]


def put(t, dest, e):
    """The statement that stores result `e` of type `t`."""
    if dest == "a":
        return f"{ACC[t]} = {e};" if t[0] == "f" else f"r = {bits(t, e)};"
    return f"fp[pc->d] = {bits(t, e)};"


def left(t, form):
    return {"s": slot(t, "pc->a"), "a": acc(t), "i": imm(t), "k": const(t)}[form]


def right(t, form, field="pc->b"):
    return {"s": slot(t, field), "a": acc(t), "i": imm(t), "k": const(t)}[form]


def imm(t):
    return "(u32)pc->imm" if t == "i32" else "(u64)(i64)pc->imm"


def const(t):
    return "f32_of(pc[1].w)" if t == "f32" else "f64_of(pc[1].w)"


def form_flags(t, forms, out=None, dest=None):
    fl = 0
    if "a" in forms:
        fl |= READS[ACC[t]]
    if dest == "a":
        fl |= WRITES[ACC[out]]
    if "k" in forms:
        fl |= WIDE
    return fl


def row(code, cls, tin, tout, base, extra=0, swapped=0, inverse=0, aux=0):
    ROWS[code] = (cls, CODE[tin], CODE[tout], aux, base, extra, swapped, inverse)


# --- integers -------------------------------------------------------------------------------

COMM = ["ss", "as", "si", "ai"]
NONCOMM = ["ss", "as", "sa", "si", "ai", "is", "ia"]
DIVFORMS = ["ss", "as", "sa", "si", "ai"]
FCOMM = ["ss", "as", "sk", "ak"]
FNONCOMM = ["ss", "as", "sa", "sk", "ak", "ks", "ka"]

# Where the operands of a form sit: binary forms with an immediate on the left keep the slot in b.
# (An immediate takes the room of b and c, so `is` has its slot in a.)


def binary(name, t, out, forms, expr, pre=""):
    base = None
    for form in forms:
        x, y = form
        for dest in "sa":
            if name == "i32_sub" and y == "i":
                # The translator adds the negated constant. Of i64, -2^31 has no short negation.
                hole(f"{name}_{dest}{form}")
                continue
            lx = left(t, x)
            ry = right(t, y, "pc->a" if x in "ik" else "pc->b")
            body = f"{CTYPE[t]} x = {lx}, y = {ry}; {pre}{put(out, dest, expr)} "
            body += "NEXT2" if "k" in form else "NEXT"
            n = op(f"{name}_{dest}{form}", body, form_flags(t, form, out, dest))
            base = n if base is None else base
    return base


INT = [  # name, opcode offset from i32.add, commutative, expression (B = width - 1)
    ("add", 0, 1, "x + y"),
    ("sub", 1, 0, "x - y"),
    ("mul", 2, 1, "x * y"),
    ("and", 7, 1, "x & y"),
    ("or", 8, 1, "x | y"),
    ("xor", 9, 1, "x ^ y"),
    ("shl", 10, 0, "x << (y & B)"),
    ("shr_s", 11, 0, "(UT)((ST)x >> (y & B))"),
    ("shr_u", 12, 0, "x >> (y & B)"),
    ("rotl", 13, 0, "(x << (y & B)) | (x >> (-y & B))"),
    ("rotr", 14, 0, "(x >> (y & B)) | (x << (-y & B))"),
]
DIV = [
    ("div_s", 3, "(UT)((ST)x / (ST)y)", "ZERO(y) if (UNLIKELY((ST)y == -1 && x == MIN)) TRAP(integer_overflow) "),
    ("div_u", 4, "x / y", "ZERO(y) "),
    ("rem_s", 5, "(ST)y == -1 ? 0 : (UT)((ST)x % (ST)y)", "ZERO(y) "),
    ("rem_u", 6, "x % y", "ZERO(y) "),
]
CMP = [  # name, opcode offset from i32.eq, expression, swapped, inverse
    ("eq", 0, "x == y", "eq", "ne"),
    ("ne", 1, "x != y", "ne", "eq"),
    ("lt_s", 2, "(ST)x < (ST)y", "gt_s", "ge_s"),
    ("lt_u", 3, "x < y", "gt_u", "ge_u"),
    ("gt_s", 4, "(ST)x > (ST)y", "lt_s", "le_s"),
    ("gt_u", 5, "x > y", "lt_u", "le_u"),
    ("le_s", 6, "(ST)x <= (ST)y", "ge_s", "gt_s"),
    ("le_u", 7, "x <= y", "ge_u", "gt_u"),
    ("ge_s", 8, "(ST)x >= (ST)y", "le_s", "lt_s"),
    ("ge_u", 9, "x >= y", "le_u", "lt_u"),
]


# Forward branches, then backward ones in the same order: only those can repeat, and pay fuel.
WAYS = [("br", "BRANCH"), ("loop", "LOOP")]


def integers(t, w, first, firstcmp):
    def sub(e):
        e = e.replace("UT", f"u{w}").replace("ST", f"i{w}").replace("(y & B)", f"(y & {w - 1})")
        return e.replace("-y & B", f"-y & {w - 1}").replace("MIN", f"((u{w})1 << {w - 1})")

    for name, o, comm, e in INT:
        base = binary(f"{t}_{name}", t, t, COMM if comm else NONCOMM, sub(e))
        row(first + o, "COMMUTATIVE" if comm else "BINARY", t, t, base)
    for name, o, e, pre in DIV:
        row(first + o, "DIVISION", t, t, binary(f"{t}_{name}", t, t, DIVFORMS, sub(e), sub(pre)))
    where = {n: firstcmp + o for n, o, *_ in CMP}
    for name, o, e, swapped, inverse in CMP:
        base = binary(f"{t}_{name}", t, "i32", COMM, sub(e))
        br = None
        for way, jump in WAYS:
            for x, y in COMM:
                narrow = "(u32)(i32)(i16)pc->d" if t == "i32" else "(u64)(i64)(i16)pc->d"
                ry = slot(t, "pc->d") if y == "s" else narrow
                body = f"{CTYPE[t]} x = {left(t, x)}, y = {ry}; {jump}({sub(e)})"
                n = op(f"{way}_{t}_{name}_{x}{y}", body, form_flags(t, x) | BRANCHES)
                br = n if br is None else br
            for x in "sa":
                y = "(u32)pc[1].w" if t == "i32" else "pc[1].w"
                body = f"{CTYPE[t]} x = {left(t, x)}, y = {y}; {jump}2({sub(e)})"
                op(f"{way}_{t}_{name}_{x}k", body, form_flags(t, x) | BRANCHES | WIDE)
        row(firstcmp + o, "COMPARE", t, "i32", base, br, where[swapped], where[inverse])


integers("i32", 32, 0x6A, 0x46)
integers("i64", 64, 0x7C, 0x51)

# --- floating point -------------------------------------------------------------------------

FLOAT = [
    ("add", 0, 1, "x + y"),
    ("sub", 1, 0, "x - y"),
    ("mul", 2, 1, "x * y"),
    ("div", 3, 0, "x / y"),
    ("min", 4, 1, "T_min(x, y)"),
    ("max", 5, 1, "T_max(x, y)"),
    ("copysign", 6, 0, "T_copysign(x, y)"),
]
FCMP = [
    ("eq", 0, "x == y", "eq"),
    ("ne", 1, "x != y", "ne"),
    ("lt", 2, "x < y", "gt"),
    ("gt", 3, "x > y", "lt"),
    ("le", 4, "x <= y", "ge"),
    ("ge", 5, "x >= y", "le"),
]
for t, first, firstcmp in (("f32", 0x92, 0x5B), ("f64", 0xA0, 0x61)):
    for name, o, comm, e in FLOAT:
        e = e.replace("T_", t + "_")
        base = binary(f"{t}_{name}", t, t, FCOMM if comm else FNONCOMM, e)
        row(first + o, "FLOAT_COMMUTATIVE" if comm else "FLOAT_BINARY", t, t, base)
    where = {n: firstcmp + o for n, o, *_ in FCMP}
    for name, o, e, swapped in FCMP:
        base = binary(f"{t}_{name}", t, "i32", FCOMM, e)
        br = None
        # A NaN makes every comparison but `ne` false, so the inverse branch is an op of its own.
        for way, jump in WAYS:
            for sense in ("", "n"):
                for x, y in FCOMM:
                    c = f"!({e})" if sense else e
                    wide = "2" if y == "k" else ""
                    body = f"{CTYPE[t]} x = {left(t, x)}, y = {right(t, y, 'pc->d')}; {jump}{wide}({c})"
                    n = op(f"{way}{sense}_{t}_{name}_{x}{y}", body, form_flags(t, x + y) | BRANCHES)
                    br = n if br is None else br
        row(firstcmp + o, "FLOAT_COMPARE", t, "i32", base, br, where[swapped])

# --- unary ----------------------------------------------------------------------------------

UNARY = [
    (0x45, "i32_eqz", "i32", "i32", "x == 0"),
    (0x50, "i64_eqz", "i64", "i32", "x == 0"),
    (0x67, "i32_clz", "i32", "i32", "x ? (u32)__builtin_clz(x) : 32"),
    (0x68, "i32_ctz", "i32", "i32", "x ? (u32)__builtin_ctz(x) : 32"),
    (0x69, "i32_popcnt", "i32", "i32", "(u32)__builtin_popcount(x)"),
    (0x79, "i64_clz", "i64", "i64", "x ? (u64)__builtin_clzll(x) : 64"),
    (0x7A, "i64_ctz", "i64", "i64", "x ? (u64)__builtin_ctzll(x) : 64"),
    (0x7B, "i64_popcnt", "i64", "i64", "(u64)__builtin_popcountll(x)"),
    (0xA7, "i32_wrap_i64", "i64", "i32", "(u32)x"),
    (0xAC, "i64_extend_i32_s", "i32", "i64", "(u64)(i64)(i32)x"),
    (0xAD, "i64_extend_i32_u", "i32", "i64", "(u64)x"),
    (0xC0, "i32_extend8_s", "i32", "i32", "(u32)(i32)(i8)x"),
    (0xC1, "i32_extend16_s", "i32", "i32", "(u32)(i32)(i16)x"),
    (0xC2, "i64_extend8_s", "i64", "i64", "(u64)(i64)(i8)x"),
    (0xC3, "i64_extend16_s", "i64", "i64", "(u64)(i64)(i16)x"),
    (0xC4, "i64_extend32_s", "i64", "i64", "(u64)(i64)(i32)x"),
    (0xB6, "f32_demote_f64", "f64", "f32", "(float)x"),
    (0xBB, "f64_promote_f32", "f32", "f64", "(double)x"),
    (0xBC, "i32_reinterpret_f32", "f32", "i32", "(u32)f32_bits(x)"),
    (0xBD, "i64_reinterpret_f64", "f64", "i64", "f64_bits(x)"),
    (0xBE, "f32_reinterpret_i32", "i32", "f32", "f32_of(x)"),
    (0xBF, "f64_reinterpret_i64", "i64", "f64", "f64_of(x)"),
]
for t, first in (("f32", 0x8B), ("f64", 0x99)):
    for k, name in enumerate(["abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"]):
        UNARY.append((first + k, f"{t}_{name}", t, t, f"{t}_{name}(x)"))
for to, first in (("f32", 0xB2), ("f64", 0xB7)):
    for k, (t, c) in enumerate([("i32", "(i32)x"), ("i32", "x"), ("i64", "(i64)x"), ("i64", "x")]):
        UNARY.append((first + k, f"{to}_convert_{t}_{'su'[k % 2]}", t, to, f"({CTYPE[to]}){c}"))
TRUNC = [
    ("i32", "f32", "s"), ("i32", "f32", "u"), ("i32", "f64", "s"), ("i32", "f64", "u"),
    ("i64", "f32", "s"), ("i64", "f32", "u"), ("i64", "f64", "s"), ("i64", "f64", "u"),
]
# The open interval of values that truncate into the integer type, as C constants per float type.
BOUNDS = {
    ("i32", "f32", "s"): ("x >= -2147483648.0f", "x < 2147483648.0f"),
    ("i32", "f64", "s"): ("x > -2147483649.0", "x < 2147483648.0"),
    ("i32", "f32", "u"): ("x > -1.0f", "x < 4294967296.0f"),
    ("i32", "f64", "u"): ("x > -1.0", "x < 4294967296.0"),
    ("i64", "f32", "s"): ("x >= -9223372036854775808.0f", "x < 9223372036854775808.0f"),
    ("i64", "f64", "s"): ("x >= -9223372036854775808.0", "x < 9223372036854775808.0"),
    ("i64", "f32", "u"): ("x > -1.0f", "x < 18446744073709551616.0f"),
    ("i64", "f64", "u"): ("x > -1.0", "x < 18446744073709551616.0"),
}
for k, (t, src, sign) in enumerate(TRUNC):
    lo, hi = BOUNDS[t, src, sign]
    w = t[1:]
    cast = f"(u{w})(i{w})x" if sign == "s" else f"(u{w})x"
    least, most = (
        (f"(u{w})1 << {int(w) - 1}", f"~((u{w})1 << {int(w) - 1})") if sign == "s" else ("0", f"(u{w})-1")
    )
    pre = f"if (UNLIKELY(!({lo} && {hi}))) {{ if (x != x) TRAP(invalid_conversion) TRAP(integer_overflow) }} "
    code = 0xA8 + k if t == "i32" else 0xAE + k - 4
    UNARY.append((code, f"{t}_trunc_{src}_{sign}", src, t, (pre, cast)))
    sat = f"x != x ? 0 : !({lo}) ? {least} : !({hi}) ? {most} : {cast}"
    UNARY.append((0x100 + k, f"{t}_trunc_sat_{src}_{sign}", src, t, sat))

for code, name, tin, tout, e in UNARY:
    pre, e = e if isinstance(e, tuple) else ("", e)
    base = None
    for form in "sa":
        for dest in "sa":
            body = f"{CTYPE[tin]} x = {left(tin, form)}; {pre}{put(tout, dest, e)} NEXT"
            n = op(f"{name}_{dest}{form}", body, form_flags(tin, form, tout, dest))
            base = n if base is None else base
    row(code, "UNARY", tin, tout, base)

# --- memory ---------------------------------------------------------------------------------

LOADS = [
    (0x28, "i32_load", "i32", "u32"), (0x29, "i64_load", "i64", "u64"),
    (0x2A, "f32_load", "f32", "float"), (0x2B, "f64_load", "f64", "double"),
    (0x2C, "i32_load8_s", "i32", "i8"), (0x2D, "i32_load8_u", "i32", "u8"),
    (0x2E, "i32_load16_s", "i32", "i16"), (0x2F, "i32_load16_u", "i32", "u16"),
    (0x30, "i64_load8_s", "i64", "i8"), (0x31, "i64_load8_u", "i64", "u8"),
    (0x32, "i64_load16_s", "i64", "i16"), (0x33, "i64_load16_u", "i64", "u16"),
    (0x34, "i64_load32_s", "i64", "i32"), (0x35, "i64_load32_u", "i64", "u32"),
]
STORES = [
    (0x36, "i32_store", "i32", "u32"), (0x37, "i64_store", "i64", "u64"),
    (0x38, "f32_store", "f32", "float"), (0x39, "f64_store", "f64", "double"),
    (0x3A, "i32_store8", "i32", "u8"), (0x3B, "i32_store16", "i32", "u16"),
    (0x3C, "i64_store8", "i64", "u8"), (0x3D, "i64_store16", "i64", "u16"),
    (0x3E, "i64_store32", "i64", "u32"),
]
SIZE = {"u8": 0, "i8": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 2, "float": 2, "u64": 3, "double": 3}


def address(form, wide):
    """Statements that compute and check `ea`; a 64-bit address can carry out of the sum."""
    if form == "k":
        return "u64 ea = (u32)pc->imm;"
    # Sums merged with the access: slot + immediate, and slot + slot + short offset. The sums wrap
    # as the additions did that they replace.
    if form == "w":
        if wide:
            return "u64 ea = fp[pc->a] + (u64)(i64)pc->imm; CARRY(ea, 0)"
        return "u64 ea = (u32)fp[pc->a] + (u32)pc->imm;"
    if form == "x":
        if wide:
            return "u64 ea = fp[pc->a] + fp[pc->b] + pc->c; CARRY(ea, pc->c)"
        return "u64 ea = (u64)((u32)fp[pc->a] + (u32)fp[pc->b]) + pc->c;"
    x = {"s": "fp[pc->a]", "a": "r"}[form]
    if wide:
        return f"u64 ea = {x} + (u32)pc->imm; CARRY(ea, (u32)pc->imm)"
    return f"u64 ea = (u64)(u32){x} + (u32)pc->imm;"


def aflags(form):
    return READS["r"] if form == "a" else 0


for wide in (0, 1):
    tag = "m64_" if wide else ""
    for code, name, t, c in LOADS:
        base = None
        for form in "sakwx":
            for dest in "sa":
                if t[0] == "f":
                    # Through an integer: moving a float may not change the bits of a NaN.
                    val = "x"
                    if dest == "s":
                        ic = "u32" if c == "float" else "u64"
                        body = f"{address(form, wide)} CHECK(ea, sizeof({ic})) {ic} x; LOAD(x) fp[pc->d] = x; NEXT"
                    else:
                        body = f"{address(form, wide)} CHECK(ea, sizeof({c})) {c} x; LOAD(x) {put(t, dest, val)} NEXT"
                else:
                    ext = f"(u{t[1:]})(i{t[1:]})x" if c[0] == "i" else "x"
                    body = f"{address(form, wide)} CHECK(ea, sizeof({c})) {c} x; LOAD(x) {put(t, dest, ext)} NEXT"
                n = op(f"{tag}{name}_{dest}{form}", body, aflags(form) | (WRITES[ACC[t]] if dest == "a" else 0))
                base = n if base is None else base
        if wide:
            old = ROWS[code]
            ROWS[code] = old[:5] + (base,) + old[6:]
        else:
            row(code, "LOAD", "i32", t, base, aux=SIZE[c])
    for code, name, t, c in STORES:
        base = None
        # Address s, a, k, w, x; value s, a and, for integers, i.
        forms = [x + y for x in "sakwx" for y in "sai"]
        for x, y in forms:
            ic = {"float": "u32", "double": "u64"}.get(c, c)
            if y == "s":
                val = f"({ic})fp[pc->d]"
            elif y == "i":
                val = f"({ic})(i64)(i16)pc->d"
            elif t[0] == "f":
                val = f"({ic}){'f32_bits(g)' if t == 'f32' else 'f64_bits(f)'}"
            else:
                val = f"({ic})r"
            fl = aflags(x) | (READS[ACC[t]] if y == "a" else 0)
            body = f"{address(x, wide)} CHECK(ea, sizeof({ic})) {ic} x = {val}; STORE(x) NEXT"
            # Floats have no short constants. An address stays in the accumulator, or is merged as a
            # sum, only when nothing is computed between it and the store.
            if (y == "i" and t[0] == "f") or (y == "a" and x in "awx"):
                n = hole(f"{tag}{name}_{x}{y}")
            else:
                n = op(f"{tag}{name}_{x}{y}", body, fl)
            base = n if base is None else base
        if wide:
            old = ROWS[code]
            ROWS[code] = old[:5] + (base,) + old[6:]
        else:
            row(code, "STORE", "i32", t, base, aux=SIZE[c])

# --- the rest, named by the translator ------------------------------------------------------


def named(name, body, flags=0):
    op(name, body, flags, named=True)


R, F, G = "r", "f", "g"
named("data", "NEXT")  # executed when a service that it belongs to is done
hole("enter", named=True)
named("copy", "fp[pc->d] = fp[pc->a]; NEXT")
named("copy_r", "fp[pc->d] = r; NEXT", READS[R])
named("copy_f", "fp[pc->d] = f64_bits(f); NEXT", READS[F])
named("copy_g", "fp[pc->d] = f32_bits(g); NEXT", READS[G])
named("copy2", "u64 x = fp[pc->a]; fp[pc->d] = x; fp[pc->c] = fp[pc->b]; NEXT")
named("const_u32", "fp[pc->d] = (u32)pc->imm; NEXT")
named("const_s32", "fp[pc->d] = (u64)(i64)pc->imm; NEXT")
named("const_64", "fp[pc->d] = pc[1].w; NEXT2", WIDE)
for way, jump in WAYS:
    named(way, "JUMP" if way == "br" else "REPEAT", BRANCHES | ENDS)
    named(f"{way}_if_s", f"{jump}((u32)fp[pc->a])", BRANCHES)
    named(f"{way}_if_a", f"{jump}((u32)r)", BRANCHES | READS[R])
    named(f"{way}_ifz_s", f"{jump}(!(u32)fp[pc->a])", BRANCHES)
    named(f"{way}_ifz_a", f"{jump}(!(u32)r)", BRANCHES | READS[R])
    named(f"{way}_and_nz_s", f"{jump}((u32)fp[pc->a] & pc->d)", BRANCHES)
    named(f"{way}_and_nz_a", f"{jump}((u32)r & pc->d)", BRANCHES | READS[R])
# An `if` skips when its condition does not hold, always forward.
named("br_and_z_s", "BRANCH(!((u32)fp[pc->a] & pc->d))", BRANCHES)
named("br_and_z_a", "BRANCH(!((u32)r & pc->d))", BRANCHES | READS[R])
named("br_table_s", "u32 i = (u32)fp[pc->a], n = (u32)pc->imm; pc += 1 + (i < n ? i : n); GO", ENDS)
named("br_table_a", "u32 i = (u32)r, n = (u32)pc->imm; pc += 1 + (i < n ? i : n); GO", ENDS | READS[R])
named("select_s", "fp[pc->d] = (u32)fp[pc->c] ? fp[pc->a] : fp[pc->b]; NEXT")
named("select_a", "fp[pc->d] = (u32)r ? fp[pc->a] : fp[pc->b]; NEXT", READS[R])
named("unreachable", "TRAP(unreachable)", ENDS)
named("halt", "EXIT(done)", ENDS)

# Calls. The low 16 bits of a call's operands are the distance between the frames: returning
# handlers rely on it.
named("start", "const wc_function *F = (const wc_function *)(uptr)r; CALL_FUNCTION(F)")
named("call", "CALL_CODE(ctx->code + (u32)pc->imm, TAIL(exit_call_direct))")
named("call_import", "const wc_function *F = ctx->instance->imports[(u32)pc->imm]; CALL_FUNCTION(F)")
for wide in (0, 1):
    for form in "sa":
        x = ("fp[pc->a]" if form == "s" else "r") if wide else ("(u32)fp[pc->a]" if form == "s" else "(u32)r")
        fl = READS[R] if form == "a" else 0
        named(f"call_indirect{'64' if wide else ''}_{form}", f"u64 i = {x}; const wc_table *T = ctx->tables[0]; CALL_INDIRECT(T, i)", fl)
named("call_table", "u64 i = fp[pc->a]; const wc_table *T = ctx->tables[(u32)pc[1].imm]; CALL_INDIRECT(T, i)", WIDE)
named("cross_return", "CROSS_RETURN")
named("ret", "RETURN()", ENDS)
named("ret_s", "u64 x = fp[pc->a]; RETURN(fp[0] = x;)", ENDS)
named("ret_r", "RETURN(fp[0] = r;)", ENDS | READS[R])
named("ret_f", "RETURN(fp[0] = f64_bits(f);)", ENDS | READS[F])
named("ret_g", "RETURN(fp[0] = f32_bits(g);)", ENDS | READS[G])
named("ret_u32", "u64 x = (u32)pc->imm; RETURN(fp[0] = x;)", ENDS)
named("ret_n", "u64 *from = fp + pc->a; u32 n = (u32)pc->imm; RETURN(for (u32 k = 0; k < n; k++) fp[k] = from[k];)", ENDS)

named("global_get", "fp[pc->d] = ctx->globals[(u32)pc->imm]; NEXT")
named("global_get_r", "r = ctx->globals[(u32)pc->imm]; NEXT", WRITES[R])
named("global_get_f", "f = f64_of(ctx->globals[(u32)pc->imm]); NEXT", WRITES[F])
named("global_get_g", "g = f32_of(ctx->globals[(u32)pc->imm]); NEXT", WRITES[G])
named("global_set", "ctx->globals[(u32)pc->imm] = fp[pc->a]; NEXT")
named("global_set_r", "ctx->globals[(u32)pc->imm] = r; NEXT", READS[R])
named("imported_global_get", "fp[pc->d] = *ctx->instance->imported_globals[(u32)pc->imm]; NEXT")
named("imported_global_set", "*ctx->instance->imported_globals[(u32)pc->imm] = fp[pc->a]; NEXT")

named("memory_size", "fp[pc->d] = lim >> 16; NEXT")
for wide in (0, 1):
    tag = "64" if wide else ""
    c = "" if wide else "(u32)"
    named(f"memory_copy{tag}", f"u64 to = {c}fp[pc->d], from = {c}fp[pc->a], n = {c}fp[pc->b]; RANGE(to, n) RANGE(from, n) BULK(n) __builtin_memmove(mem + to, mem + from, (size_t)n); NEXT")
    named(f"memory_fill{tag}", f"u64 to = {c}fp[pc->d], n = {c}fp[pc->b]; RANGE(to, n) BULK(n) __builtin_memset(mem + to, (int)(u8)fp[pc->a], (size_t)n); NEXT")
# A 64-bit address plus an offset that does not fit the instruction; the sum may not carry.
named("address_add", "u64 x = fp[pc->a] + pc[1].w; CARRY(x, pc[1].w) fp[pc->d] = x; NEXT2", WIDE)

for wide in (0, 1):
    tag = "64" if wide else ""
    c = "" if wide else "(u32)"
    named(f"table_get{tag}", f"const wc_table *T = ctx->tables[pc->b]; u64 i = {c}fp[pc->a]; if (UNLIKELY(i >= T->count)) TRAP(table_bounds) fp[pc->d] = T->elements[i]; NEXT")
    named(f"table_set{tag}", f"const wc_table *T = ctx->tables[pc->b]; u64 i = {c}fp[pc->d]; if (UNLIKELY(i >= T->count)) TRAP(table_bounds) T->elements[i] = fp[pc->a]; NEXT")
named("table_size", "fp[pc->d] = ctx->tables[pc->b]->count; NEXT")

# What needs the host language: the interpreter leaves with the number, and is resumed after.
SERVICES = [
    "memory_grow", "memory_init", "data_drop", "table_init", "elem_drop", "table_copy",
    "table_grow", "table_fill", "ref_func", "probe_enter", "probe_leave",
]
for s in SERVICES:
    named(s, f"SERVICE({s})")

# --- superinstructions ----------------------------------------------------------------------

# A loop counter: slot += small immediate, compare, branch. c = distance in instructions.
for name, o, e, *_ in CMP:
    e = e.replace("UT", "u32").replace("ST", "i32")
    for form in "sik":
        y = {"s": "(u32)fp[pc->b]", "i": "(u32)(i32)(i16)pc->b", "k": "(u32)pc[1].w"}[form]
        body = (
            f"u32 x = (u32)fp[pc->d] + (u32)(i32)(i16)pc->a; fp[pc->d] = x; u32 y = {y}; "
            f"LOOP_NEAR{2 if form == 'k' else ''}({e})"
        )
        n = op(f"addbr_i32_{name}_{form}", body, BRANCHES | (WIDE if form == "k" else 0))
        if name == "eq" and form == "s":
            NAMED.append(f"addbr_i32_{name}_{form}")

# --- output ---------------------------------------------------------------------------------


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(p[:1].upper() + p[1:] for p in rest)


HEAD = "Generated by Scripts/generators/opcodes.py; edit the table there and run `make generate`."


def handlers():
    out = [f"// {HEAD}", "#ifndef HOLE", "#define HOLE(k, name)", "#endif"]
    for k, (name, body, _) in enumerate(OPS):
        out.append(f"HOLE({k}, {name})" if body is None else f"OP({k}, {name}, {body})")
    return "\n".join(out + ["#undef HOLE"]) + "\n"


def optable():
    out = [f"// {HEAD}", "#ifdef ROW"]
    for code in sorted(ROWS):
        cls, tin, tout, aux, base, extra, sw, inv = ROWS[code]
        out.append(f"ROW({code}, WC_{cls}, {tin}, {tout}, {aux}, {base}, {extra}, {sw}, {inv})")
    out += ["#endif", "#ifdef FLAGS"]
    line = []
    for k, (_, _, fl) in enumerate(OPS):
        line.append(f"FLAGS({fl})")
        if len(line) == 8:
            out.append(" ".join(line))
            line = []
    if line:
        out.append(" ".join(line))
    out += ["#endif", ""]
    return "\n".join(out)


def swift():
    out = [f"// {HEAD}", "", "/// Opcodes of the register code that the translator names itself.", "enum Opcode {"]
    for name in NAMED:
        out.append(f"    static var {camel(name)}: UInt32 {{ {INDEX[name]} }}")
    out += [f"    static var count: UInt32 {{ {len(OPS)} }}", "}", ""]
    return "\n".join(out)


FILES = {
    "Sources/CWasmCore/handlers.inc": handlers,
    "Sources/CWasmCore/optable.inc": optable,
    "Sources/WebAssembly/Translate/Opcodes.generated.swift": swift,
}

if __name__ == "__main__":
    stale = []
    for path, make in FILES.items():
        text = make()
        if "--check" in sys.argv:
            try:
                with open(path) as f:
                    same = f.read() == text
            except FileNotFoundError:
                same = False
            if not same:
                stale.append(path)
        else:
            with open(path, "w") as f:
                f.write(text)
    if stale:
        sys.exit("not current, run `make generate`: " + ", ".join(stale))
