#!/usr/bin/env python3
"""convergent.py HEDDLE CLANG: functions whose result depends on which lanes call them together, of both languages, in both arms of a condition, in a loop whose
lanes leave it one by one, and behind a return, against sets of lanes that Python counts. The functions are found in the headers: one without a row fails."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import SOURCE, Cases, values  # noqa: E402

CLANG = os.environ["HEDDLE_CLANG"] = sys.argv[2]
ALL = (1 << 32) - 1
LANES = range(32)
V = [(5 * t + 1) % 7 for t in LANES]
P = [t % 5 < 2 or t == 30 for t in LANES]
# Where the function is called, and the lanes that call it there.
SLOTS = {"first": [1] * 32, "then": [t % 3 == 0 for t in LANES], "else": [t % 3 != 0 for t in LANES], "merged then": [t % 5 > 1 for t in LANES],
         "merged else": [t % 5 < 2 for t in LANES], "turn 0": [1] * 32, "turn 1": [t % 4 > 0 for t in LANES], "turn 2": [t % 4 > 1 for t in LANES],
         "turn 3": [t % 4 > 2 for t in LANES], "behind a return": [t % 8 != 1 for t in LANES], "alone": [t % 8 != 1 and t % 3 == 1 for t in LANES]}
SETS = {name: frozenset(t for t in LANES if lanes[t]) for name, lanes in SLOTS.items()}
BODY = """
    out[t] = F(0);
    if (t % 3 == 0) out[32 + t] = F(1); else out[64 + t] = ~F(1);
    if (t % 5 > 1) { other[t] = v; w = F(2); } else { other[t + 32] = v; w = F(2); }
    out[(t % 5 > 1 ? 96 : 128) + t] = w;
    for (int i = 0; i <= t % 4; i++) out[160 + 32 * i + t] = F(3 + i);
    if (t % 8 == 1) return;
    out[288 + t] = F(7);
    if (t % 3 == 1) out[320 + t] = F(8);
"""
TABLES = [["first"], ["then", "else"], ["merged then", "merged else"], ["turn 0"], ["turn 1"], ["turn 2"], ["turn 3"], ["behind a return"], ["alone"]]


def mask(lanes):
    return sum(1 << t for t in lanes)


def last(A, t):
    """The lane before t in A, or t."""
    return max([x for x in A if x < t], default=t)


def next_of(A, t):
    return min([x for x in A if x > t], default=t)


def source(A, t):
    """Some lane of A."""
    return sorted(A)[(t * 7 + 3) % len(A)]


def scan(A, t, operation, first, inclusive):
    sum = first
    for x in sorted(A):
        if x < t or (inclusive and x == t):
            sum = operation(sum, V[x])
    return sum


def ballot(A, of=P):
    return mask(t for t in A if of[t])


def packed(A, bits):
    return sum((bits >> t & 1) << i for i, t in enumerate(sorted(A)))


def match(A, t):
    return mask(x for x in A if V[x] == V[t])


def cluster(A, t, size):
    return [x for x in A if x // size == t // size]


ASSEMBLY = '({ unsigned m; __asm__ __volatile__("activemask.b32 %0;" : "=r"(m)); m; })'
TYPES = ["int", "unsigned", "long", "unsigned long", "long long", "unsigned long long", "float", "double"]
OPERATIONS = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
FIRST = {"add": 0, "mul": 1, "min": (1 << 31) - 1, "max": -1 << 31, "and": -1, "or": 0, "xor": 0}
LOGIC = {"and": lambda a, b: int(bool(a) and bool(b)), "or": lambda a, b: int(bool(a) or bool(b)), "xor": lambda a, b: int(bool(a) != bool(b))}


def fold(lanes, operation, first, of=V):
    sum = first
    for t in sorted(lanes):
        sum = operation(sum, of[t])
    return sum


# Name of a function -> expressions with v, p, the mask M of the lanes that are there, one of them S, the one before L and behind N; and the value of lane t of A.
def cuda_rows():
    rows = {
        "__activemask": [("__activemask()", lambda A, t: mask(A))], "__uni_sync": [("__uni_sync(M, p)", lambda A, t: len({P[x] for x in A}) == 1)],
        "coalesced_threads": [("coalesced_threads().size()", lambda A, t: len(A)), ("coalesced_threads().thread_rank()", lambda A, t: sum(x < t for x in A))],
        "match_any": [("coalesced_threads().match_any(v)", lambda A, t: packed(A, match(A, t)))],
        "match_all": [("(coalesced_threads().match_all(v * 0, all) + all * 7)", lambda A, t: (1 << len(A)) + 6)],
        "ballot": [("coalesced_threads().ballot(p)", lambda A, t: packed(A, ballot(A)))], "any": [("coalesced_threads().any(v == 6)", lambda A, t: any(V[x] == 6 for x in A))],
        "all": [("coalesced_threads().all(v < 6)", lambda A, t: all(V[x] < 6 for x in A))],
        "shfl": [("coalesced_threads().shfl(v, 0)", lambda A, t: V[min(A)]), ("coalesced_threads().shfl((double)v, 0)", lambda A, t: V[min(A)])],
        "shfl_up": [("coalesced_threads().shfl_up(v, 1)", lambda A, t: V[last(A, t)])], "shfl_down": [("coalesced_threads().shfl_down(v, 1)", lambda A, t: V[next_of(A, t)])],
        "labeled_partition": [("labeled_partition(coalesced_threads(), v).ballot(p)", lambda A, t: packed([x for x in A if V[x] == V[t]], ballot(A)))],
        "binary_partition": [("binary_partition(coalesced_threads(), p).size()", lambda A, t: sum(P[x] == P[t] for x in A))],
        "reduce": [("reduce(coalesced_threads(), v, plus<int>())", lambda A, t: sum(V[x] for x in A))],
        "inclusive_scan": [("inclusive_scan(coalesced_threads(), v)", lambda A, t: scan(A, t, OPERATIONS["add"], 0, True))],
        "exclusive_scan": [("exclusive_scan(coalesced_threads(), v)", lambda A, t: scan(A, t, OPERATIONS["add"], 0, False))],
        "invoke_one_broadcast": [("invoke_one_broadcast(coalesced_threads(), [=] { return t; })", lambda A, t: min(A))],
    }
    for name, model in {"ballot": lambda A, t: ballot(A), "any": lambda A, t: ballot(A) != 0, "all": lambda A, t: all(P[x] for x in A)}.items():
        rows[f"__{name}"], rows[f"__{name}_sync"] = [(f"__{name}(p)", model)], [(f"__{name}_sync(M, p)", model)]
    for T in TYPES:
        rows.setdefault("__match_any_sync", []).append((f"__match_any_sync(M, ({T})v)", lambda A, t: match(A, t)))
        rows.setdefault("__match_all_sync", []).extend([(f"(__match_all_sync(M, ({T})v, &all) + all)", lambda A, t: 0),
                                                        (f"(__match_all_sync(M, ({T})(v * 0), &all) + all)", lambda A, t: mask(A) + 1)])
        for name, model in {"shfl": ("S", source), "shfl_up": ("t - L", last), "shfl_down": ("N - t", next_of), "shfl_xor": ("t ^ S", source)}.items():
            for sync, first in (("", ""), ("_sync", "M, ")):
                rows.setdefault(f"__{name}{sync}", []).append((f"__{name}{sync}({first}({T})v, {model[0]})", lambda A, t, lane=model[1]: V[lane(A, t)]))
    # Of the program's own making.
    rows["assembly"] = [(ASSEMBLY, lambda A, t: mask(A)), ("__nvvm_vote_ballot(p)", lambda A, t: ballot(A)), ("__nvvm_vote_any_sync(M, p)", lambda A, t: ballot(A) != 0)]
    for name in ["add", "min", "max", "and", "or", "xor"]:
        rows[f"__reduce_{name}_sync"] = [(f"__reduce_{name}_sync(M, ({T})v)", lambda A, t, name=name: fold(A, OPERATIONS[name], FIRST[name]))
                                         for T in (["int", "unsigned"] if name in ("add", "min", "max") else ["unsigned"])]
    return rows


def opencl_rows():
    rows = {
        "assembly": [(ASSEMBLY, lambda A, t: mask(A))],
        "elect": [("sub_group_elect()", lambda A, t: t == min(A))], "ballot": [("sub_group_ballot(p).x", lambda A, t: ballot(A))],
        "non_uniform_all": [("sub_group_non_uniform_all(p)", lambda A, t: all(P[x] for x in A))],
        "non_uniform_any": [("sub_group_non_uniform_any(v == 6)", lambda A, t: any(V[x] == 6 for x in A))],
        "non_uniform_all_equal": [("sub_group_non_uniform_all_equal(v)", lambda A, t: 0), ("sub_group_non_uniform_all_equal((long)v * 0)", lambda A, t: 1)],
        "broadcast_first": [("sub_group_broadcast_first(v)", lambda A, t: V[min(A)]), ("(int)sub_group_broadcast_first((double)v)", lambda A, t: V[min(A)])],
        "non_uniform_broadcast": [("sub_group_non_uniform_broadcast(v, 30u)", lambda A, t: V[30] if 30 in A else None)],
        "shuffle": [("sub_group_shuffle(v, S)", lambda A, t: V[source(A, t)])], "shuffle_xor": [("sub_group_shuffle_xor(v, S ^ t)", lambda A, t: V[source(A, t)])],
        "shuffle_up": [("sub_group_shuffle_up(v, t - L)", lambda A, t: V[last(A, t)])], "shuffle_down": [("sub_group_shuffle_down(v, N - t)", lambda A, t: V[next_of(A, t)])],
    }
    for T, (name, operation) in [(T, row) for T in ["int", "long"] for row in OPERATIONS.items()] + [("int", ("logical_" + name, f)) for name, f in LOGIC.items()]:
        logical = name.startswith("logical")
        first = int(name == "logical_and") if logical else {"min": (1 << 63) - 1, "max": 0}.get(name, FIRST[name]) if T == "long" else FIRST[name]
        for kind in ["non_uniform_reduce", "non_uniform_scan_inclusive", "non_uniform_scan_exclusive", "clustered_reduce"]:
            def model(A, t, kind=kind, operation=operation, first=first, logical=logical):
                lanes = {"non_uniform_reduce": A, "clustered_reduce": cluster(A, t, 8)}.get(kind, [x for x in A if x < t or (kind.endswith("inclusive") and x == t)])
                return fold(lanes, operation, first, [x % 2 for x in V] if logical else V)
            argument = "v % 2" if logical else f"({T})v"
            rows.setdefault(f"{kind}_{name}", []).append((f"sub_group_{kind}_{name}({argument}{', 8u' if kind.startswith('clustered') else ''})", model))
    return {"sub_group_" + name: row for name, row in rows.items()}


# Functions that all lanes of a warp or of a block call together: no arm of a condition may have one.
TOGETHER = re.compile("sub_group_(all|any|broadcast|(reduce|scan_inclusive|scan_exclusive)_(add|min|max)|.*reserve)|work_group_|__syncthreads_(count|and|or)|block_tile|shfl_xor$")
# Functions that programs do not call: our own, NVIDIA's internal names.
OURS = re.compile("heddle|coalesced_group$|packed|by_words|__match(32|64)_|^__scan$|one_before|before_in_warps")


def functions(arguments, text):
    """The functions that a text defines with what it includes, each with its bodies."""
    done = subprocess.run([CLANG, "-E", "-P", *arguments, "-"], input=text, capture_output=True, text=True, check=True)
    found, at = {}, 0
    for head in re.finditer(r"(?!__attribute__|__visibility__|(?:if|while|for|switch|new|sizeof)\b)\b(\w+)\s*\([^;{}]*?\)\s*(?:const\s*)?(?:__attribute__\(\(\w*\)\)\s*)?(?::[^;{}]*)?\{", done.stdout):
        depth, at = 1, head.end()
        for brace in re.finditer(r"[{}]", done.stdout[at:at + 20000]):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                found[head[1]] = found.get(head[1], "") + done.stdout[at:at + brace.start()]
                break
    return found


def dependent(bodies):
    """Those that depend on the lanes that are there: by an instruction, by a function of clang, by another one of them."""
    names = {name for name, body in bodies.items() if re.search(r'"[^"]*\b(activemask|vote|match\.|shfl\.|redux|elect|bar\.red|barrier\.red)|__nvvm_(vote|match|shfl|bar0_)', body)}
    before = set()
    while names != before:
        before = set(names)
        calls = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\s*[(<]")
        names |= {name for name, body in bodies.items() if calls.search(body)}
    return names


def wanted(model, slot):
    """Words of a slot; None: any."""
    A = SETS[slot]
    words = [model(A, t) if t in A else 0 for t in LANES]
    return [None if w is None else (~int(w) if slot == "else" and t in A else int(w)) & ALL for t, w in enumerate(words)]


def table(cases, name, head, rows, kernel, options):
    """Compiles one kernel for each expression, runs and compares."""
    constant = "__constant__ const" if name.endswith(".cu") else "constant"
    text = head + f"{constant} int of_v[] = {{{', '.join(map(str, V))}}}, of_p[] = {{{', '.join(str(int(p)) for p in P)}}};\n"
    for letter, of in {"M": lambda A, t: mask(A), "S": source, "L": last, "N": next_of}.items():
        words = [str(next((of(SETS[s], t) for s in slots if t in SETS[s]), 0)) + "u" for slots in TABLES for t in LANES]
        text += f"{constant} unsigned of_{letter}[] = {{{', '.join(words)}}};\n"
    expressions = [row for list in rows.values() for row in list][:: 6 if os.environ.get("HEDDLE_SANITIZED") else 1]
    for number, (expression, _) in enumerate(expressions):
        text += "#undef F\n#define F(at) ((unsigned)(" + re.sub(r"\b([MSLN])\b", r"of_\1[32 * (at) + t]", expression) + "))\n"
        text += f"{kernel % number}\tint v = of_v[t], all = 0; bool p = of_p[t]; unsigned w;{BODY}}}\n"
    cases.file(name, text)
    built = cases.run("compile", name, "--emit", "ptx", "-o", "a.ptx", *options)
    cases.check(built.status == 0, f"{name}: compiles", built)
    for machine, ways in (("heddle", [["--functional"], []]), ("baseline", [[]])):
        built = cases.run("compile", "a.ptx", "-o", "a.hko", "--config", machine)
        cases.check(built.status == 0, f"{name}: compiles for {machine}", built)
        for number, (expression, model) in enumerate(expressions if built.status == 0 else []):
            for way in ways:
                size = 32 * len(SLOTS)
                done = cases.run("run", "a.hko", "--config", machine, "--kernel", f"k{number}", *way, "--quiet", "--block", 32, "--arg", f"out:o.npy:u32:{size}", "--arg", "zero:u32:64")
                cases.check(done.status == 0, f"{expression}: runs", done)
                got = values(cases.root / "o.npy") if done.status == 0 else [0] * size
                for i, slot in enumerate(SLOTS):
                    wrong = [f"lane {t}: {h:x}, expected {w:x}" for t, (w, h) in enumerate(zip(wanted(model, slot), got[32 * i:])) if w is not None and w != h]
                    cases.check(not wrong, f"{name} {machine} {way}: {expression}, {slot}: {len(wrong)} wrong, {wrong[:3]}")
    print(f"{name}: {len(expressions)} expressions")


def listed(cases, rows, public, arguments, text):
    """Every function that depends on the lanes that are there has a row, unless all lanes call it together."""
    for function in sorted(dependent(functions(arguments, text))):
        cases.check(function in rows or not re.search(public, function) or TOGETHER.search(function) or OURS.search(function), f"{function} has no row")


cases = Cases()
CUDA = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n"
lib = SOURCE / "lib"
listed(cases, cuda_rows(), "", ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "-include", lib / "heddle_cuda.h",
       "-isystem", lib, "-isystem", lib / "cuda"], CUDA)
listed(cases, opencl_rows(), "_group_", ["-x", "cl", "-cl-std=CL3.0", "-I", lib, "-include", lib / "heddle_opencl.h"], (lib / "heddle_opencl3.cl").read_text())
table(cases, "a.cu", CUDA + "using namespace cooperative_groups;\n", cuda_rows(), 'extern "C" __global__ void k%d(unsigned *out, unsigned *other)\n{\n\tint t = threadIdx.x;\n', [])
table(cases, "a.cl", "", opencl_rows(), "kernel void k%d(global unsigned *out, global unsigned *other)\n{\n\tint t = get_local_id(0);\n", ["--std", "CL3.0"])
cases.end()
