#!/usr/bin/env python3
"""atomics.py HEDDLE: each atomic function of both languages, of each type, scope, order and address space, against Python: the value that it finds and the one
that it leaves. Lane t begins with a[t] and comes with b[t]; of the generic pointers, every second one points to shared memory."""
import itertools
import os
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cases, values  # noqa: E402

LANES = 32
KINDS = {"int": "i", "unsigned": "I", "uint": "I", "long": "q", "ulong": "Q", "long long": "q", "unsigned long": "Q", "unsigned long long": "Q", "float": "f",
         "double": "d", "unsigned short": "H"}
EDGES = [0, 1, 5, -7, 1 << 31, (1 << 31) - 1, 1 << 63]
PAIRS = [(a, b) for a, b in itertools.permutations(EDGES, 2) if {a, b} != {5, 1}][:LANES - 4] + [(3, 3), (5, 0x80000001), (-1, 1 << 31), (7, 1 << 63)]
MODEL = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "inc": lambda a, b: 0 if a >= b else a + 1, "dec": lambda a, b: b if a == 0 or a > b else a - 1, "plus1": lambda a, b: a + 1, "minus1": lambda a, b: a - 1,
    "exch": lambda a, b: b, "store": lambda a, b: b, "load": lambda a, b: a, "flag": lambda a, b: 1, "clear": lambda a, b: 0,
}
BITWISE = ["add", "sub", "min", "max", "and", "or", "xor"]


# Rows: operation, type, a statement with the pointer p, the operand b, and c, which a swap compares with. It sets `old`, unless it returns nothing.
def cuda(space):
    four = ["int", "unsigned", "unsigned long long", "long long"]
    types = {"Add": four[:3] + ["float", "double"], "Sub": four[:2], "Exch": four[:3] + ["float"], "Min": four, "Max": four, "Inc": ["unsigned"], "Dec": ["unsigned"],
             "CAS": four[:3] + ["unsigned short"], "And": four[:3], "Or": four[:3], "Xor": four[:3]}
    for name, scope in itertools.product(types, ["", "_block", "_system"]):
        for T in types[name]:
            yield name.lower(), T, f"old = atomic{name}{scope}(p, {'c, ' if name == 'CAS' else ''}b);"
    # clang's own.
    letters = {"int": "i", "unsigned": "ui", "long": "l", "unsigned long": "ul", "long long": "ll", "unsigned long long": "ull", "float": "f", "double": "d"}
    for scope, T in itertools.product(["", "cta_", "sys_"], letters):
        names = ["add"] if KINDS[T] in "fd" else BITWISE[2:4] + ["inc", "dec"] * (T == "unsigned") if KINDS[T] in "IQ" else ["add"] + BITWISE[2:] + ["exch", "cas"]
        for name in names:
            yield name, T, f"old = __nvvm_atom_{scope}{'xchg' if name == 'exch' else name}_gen_{letters[T]}(p, {'c, ' if name == 'cas' else ''}b);"
    for T, order in itertools.product(["int", "unsigned", "long", "unsigned long", "long long", "unsigned long long"], [0, 2, 3, 4, 5]):
        for name in BITWISE:
            yield name, T, f"old = __atomic_fetch_{name}(p, b, {order});"
        yield "exch", T, f"old = __atomic_exchange_n(p, b, {order});"
        yield "cas", T, f"old = c; __atomic_compare_exchange_n(p, &old, b, false, {order}, {order if order in (0, 2, 5) else 0});"


def opencl(space):
    for T in ["int", "uint", "long", "ulong"]:
        for prefix in ["atom"] + ["atomic"] * (KINDS[T] in "iI"):
            for name in BITWISE + ["exch"]:
                yield name, T, f"old = {prefix}_{'xchg' if name == 'exch' else name}(p, b);"
            yield "cas", T, f"old = {prefix}_cmpxchg(p, c, b);"
            yield "plus1", T, f"old = {prefix}_inc(p);"
            yield "minus1", T, f"old = {prefix}_dec(p);"
    yield "exch", "float", "old = atomic_xchg(p, b);"


def opencl3(space):
    orders, scopes = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"], ["sub_group", "work_group", "device", "all_svm_devices"]
    forms = [("", "", "", None)]
    for order, scope in itertools.product(orders, [None] + scopes):
        last = f", memory_scope_{scope}" if scope else ""
        failure = order if order in ("relaxed", "acquire", "seq_cst") else "relaxed"
        forms.append(("_explicit", f", memory_order_{order}{last}", f", memory_order_{order}, memory_order_{failure}{last}", order))
    for T, (kind, end, both, order) in itertools.product(["int", "uint", "long", "ulong", "float", "double"], forms):
        atomic = f"(volatile {space} atomic_{T} *)p"
        for name in [] if KINDS[T] in "fd" else BITWISE:
            yield name, T, f"old = atomic_fetch_{name}{kind}({atomic}, b{end});"
        yield "exch", T, f"old = atomic_exchange{kind}({atomic}, b{end});"
        for strength in ["strong", "weak"]:
            yield "cas", T, f"old = c; atomic_compare_exchange_{strength}{kind}({atomic}, &old, b{both});"
        if order not in ("release", "acq_rel"):
            yield "load", T, f"old = atomic_load{kind}({atomic}{end});"
        if order not in ("acquire", "acq_rel"):
            yield "store", T, f"atomic_store{kind}({atomic}, b{end});"
        if T == "int":
            yield "flag", T, f"old = atomic_flag_test_and_set{kind}((volatile {space} atomic_flag *)p{end}) ? a : 0;"
            if order not in ("acquire", "acq_rel"):
                yield "clear", T, f"atomic_flag_clear{kind}((volatile {space} atomic_flag *)p{end});"


def bits(value, kind):
    if kind not in "fd":
        value = struct.unpack("<" + kind, (value & (1 << 8 * struct.calcsize(kind)) - 1).to_bytes(struct.calcsize(kind), "little"))[0]
    return int.from_bytes(struct.pack("<" + kind, value), "little")


def operands(kind):
    """a and b of each lane, as numbers of the type."""
    if kind in "fd":
        return [(float(t) / 4 - 3, float(3 - t)) for t in range(LANES)]
    width = struct.calcsize(kind)
    return [tuple(struct.unpack("<" + kind, (x & (1 << 8 * width) - 1).to_bytes(width, "little"))[0] for x in pair) for pair in PAIRS]


def kernel(number, T, space, rows, is_cuda):
    kind = KINDS[T]
    lists = [", ".join(f"({T})" + (str(pair[i]) if kind in "fd" else hex(bits(pair[i], kind))) for pair in operands(kind)) for i in (0, 1)]
    named = "" if is_cuda else space
    place = {"global": "cells + t", "shared": "s + t", "local": "s + t", "generic": f"t % 2 ? ({named} {T} *)(s + t) : ({named} {T} *)(cells + t)"}[space]
    text = "\n".join(f"{'__constant__' if is_cuda else 'constant'} {T} {name}{number}[] = {{{list}}};" for name, list in zip("ab", lists))
    text += f"\n{'__global__' if is_cuda else 'kernel'} void k{number}({'' if is_cuda else 'global '}{T} *found, {'' if is_cuda else 'global '}{T} *cells)\n{{\n"
    text += f"\t{'__shared__' if is_cuda else 'local'} {T} s[{LANES}];\n\tint t = {'threadIdx.x' if is_cuda else 'get_local_id(0)'};\n"
    text += f"\t{T} a = a{number}[t], b = b{number}[t], c = t % 2 ? a : b, old;\n"
    for row in rows:
        text += f"\told = a; {{ volatile {named} {T} *v = {place}; {named} {T} *p = ({named} {T} *)v; *v = a; {row[2]} found[t] = old; found[{LANES} + t] = *v; }} found += {2 * LANES};\n"
    return text + "}\n"


def table(cases, source, spaces, make, options):
    """Compiles the kernels of one language, one of each type and space; runs and compares."""
    text, runs = "", []
    for space in spaces:
        by_type = {}
        for row in make(space):
            by_type.setdefault(row[1], []).append(row)
        for T, rows in by_type.items():
            # A few rows suffice for the sanitizers.
            rows = rows[::8] if os.environ.get("HEDDLE_SANITIZED") else rows
            text += kernel(len(runs), T, space, rows, source.endswith(".cu"))
            runs.append((space, T, rows))
    cases.file(source, text)
    built = cases.run("compile", source, "-o", "a.hko", *options)
    cases.check(built.status == 0, f"{source}: compiles", built)
    for number, (space, T, rows) in enumerate(runs if built.status == 0 else []):
        kind = KINDS[T]
        of = {"i": "i32", "I": "u32", "q": "i64", "Q": "u64", "f": "f32", "d": "f64", "H": "u16"}[kind]
        done = cases.run("run", "a.hko", "--kernel", f"k{number}", "--functional", "--quiet", "--block", LANES, "--arg", f"out:o.npy:{of}:{len(rows) * 2 * LANES}", "--arg", f"zero:{of}:{LANES}")
        cases.check(done.status == 0, f"{source} {space} {T}: runs", done)
        got = values(cases.root / "o.npy") if done.status == 0 else [0] * len(rows) * 2 * LANES
        for i, (name, _, statement) in enumerate(rows):
            for t, (a, b) in enumerate(operands(kind)):
                then = (b if t % 2 or a == b else a) if name == "cas" else MODEL[name](a, b)
                want = [bits(a, kind), bits(then, kind)]
                have = [bits(got[i * 2 * LANES + part * LANES + t], kind) for part in (0, 1)]
                if want != have:
                    cases.check(False, f"{source} {space} {T}: {statement} of {a:#x}, {b:#x}: {have}, expected {want}")
                    break
            else:
                cases.check(True, "")


cases = Cases()
table(cases, "a.cu", ["global", "shared", "generic"], cuda, [])
table(cases, "a.cl", ["global", "local"], opencl, [])
table(cases, "a3.cl", ["global", "local", "generic"], opencl3, ["--std", "CL3.0"])
cases.end()
