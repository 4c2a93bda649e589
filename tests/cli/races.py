"""heddle run --functional --races (MT-5, docs/sanitizer.md): the table of small kernels in tests/races, random programs with races put in, the report, what is refused."""
import json
import random
import re
import shlex

from harness import Cases, SOURCE

cases = Cases()
TABLES = SOURCE / "tests/races"
OBSERVED = ["--functional", "--races", "--quiet"]


def found(report):
    """The pairs of a report: memory, and lines, or words where there are no lines; and how many barriers opened without some of their threads."""
    pairs = {("barriers", report["races"]["barriers"])} if report["races"]["barriers"] else set()
    for race in report["races"]["list"]:
        first, second = (race[which].get("line") or race[which]["word"] for which in ("first", "second"))
        pairs.add((race["on"].split()[0], first, second))
    return pairs


def observe(source, kernel, *more):
    result = cases.run("run", source, "--kernel", kernel, *OBSERVED, *more, "--report", "r.json")
    path = cases.root / "r.json"
    report = json.loads(path.read_text()) if result.status in (0, 1) and path.exists() else None
    path.unlink(missing_ok=True)
    return result, report


# Kernels with the pairs that race.
for name in ("table.cl", "table.ptx", "table.hasm"):
    built = cases.run("compile", TABLES / name, "-o", name + ".hko", "--set", "compile.races=true", *(["--std", "CL3.0"] if name.endswith("cl") else []))
    cases.check(built.status == 0, f"{name} is compiled", built)
    text = (TABLES / name).read_text()
    marks = {m[1]: text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"// \[(\w)\]$", text, re.M)}
    rows = list(re.finditer(r"^(?://|;)! (\w+) ([^\n]*?)(?:: ((?:shared|global|barriers) [^\n]*))?$", text, re.M))
    cases.check(len(rows) >= 2, f"{name} has rows")
    for row in rows:
        kernel, arguments, races = row.groups()
        # Marks are letters of the kernel's own text.
        at = text.find(f" {kernel}(", row.end())
        own = dict(marks)
        for m in re.finditer(r"// \[(\w)\]$", text[at:text.find("\n}", at)], re.M):
            own[m[1]] = text.count("\n", 0, at + m.start()) + 1
        expected = {(p.split()[0], *(own.get(w) or int(w) for w in p.split()[1:])) for p in (races or "").split(", ") if p}
        result, report = observe(name + ".hko", kernel, *shlex.split(arguments))
        cases.check(report is not None and found(report) == expected, f"{name}: {kernel}: {sorted(expected)}, not {report and sorted(found(report))}", result)
        cases.check(result.status == (1 if expected else 0) and ("data race" in result.err) == any(len(p) == 3 for p in expected), f"{name}: {kernel}: the status", result)


# Operations of the lanes that a mask names, as a constant and in a register: what opens a kernel, how many lanes come, their mask, and what is said of it.
OPERATIONS = [f"vote.sync.{mode}.pred %p2, %p1, %m;" for mode in ("all", "any", "uni")] + ["vote.sync.ballot.b32 %r2, %p1, %m;"]
OPERATIONS += [f"match.any.sync.b{bits} %r2, {a}, %m;" for bits, a in ((32, "%r1"), (64, "%d1"))] + [f"match.all.sync.b{bits} %r2|%p2, {a}, %m;" for bits, a in ((32, "%r1"), (64, "%d1"))]
OPERATIONS += [f"shfl.sync.{mode}.b32 %r2|%p2, %r1, 0, 31, %m;" for mode in ("up", "down", "bfly", "idx")]
OPERATIONS += [f"redux.sync.{how}.{kind} %r2, %r1, %m;" for how, kind in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"))]
OPERATIONS += ["elect.sync %r2|%p2, %m;", "bar.warp.sync %m;"]
BRANCH, RETURN, BOTH = "@!%p1 bra done;", "@!%p1 ret;", "@!%p1 bra other;"
MASKS = {
    "all": (BRANCH, 32, 0xFFFFFFFF, None),
    "some": (BRANCH, 8, 0xFF, None),
    "ended": (RETURN, 8, 0xFFFFFFFF, None),
    "absent": (BRANCH, 8, 0x1FF, "0x00000100 are named and elsewhere"),
    "unnamed": (BRANCH, 8, 0xFE, "0x00000001 are there and do not name themselves"),
    "whole": (BRANCH, 8, 0xFFFFFFFF, "0xffffff00 are named and elsewhere"),
    "gathers": (BOTH, 8, 0xFFFFFFFF, None),
    "gathers_unnamed": (BOTH, 8, 0xFFFFFFFE, "0x00000001 are there and do not name themselves"),
}
text, said = [".version 8.0", ".target sm_90", ".address_size 64"], {}
for number, operation in enumerate(OPERATIONS):
    for (name, (opens, come, mask, fault)), register in ((row, register) for row in MASKS.items() for register in (False, True)):
        text += [f".visible .entry k{number}_{name}{register:d}(.param .u64 out, .param .u32 mask) {{ .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<4>;"]
        text += ["mov.u32 %r1, %tid.x; ld.param.u32 %r3, [mask]; ld.param.u64 %d1, [out];", f"setp.lt.u32 %p1, %r1, {come}; {opens}"]
        said[number, name, register] = fault and f":{len(text) + 1}:", fault
        text += [operation.replace("%m", "%r3" if register else hex(mask))]
        text += ["bra done; other:", operation.replace("%m", "%r3" if register else hex(mask))] if opens == BOTH else []
        text += ["done: st.global.u32 [%d1], 1; ret; }"]
cases.file("masks.ptx", "\n".join(text) + "\n")
built = cases.run("compile", "masks.ptx", "-o", "masks.hko", "--set", "compile.races=true")
cases.check(built.status == 0, "masks.ptx is compiled", built)
for number, operation in enumerate(OPERATIONS):
    kernels = [(f"k{number}_{name}{register:d}", mask, said[number, name, register]) for name, (_, _, mask, _) in MASKS.items() for register in (False, True)]
    cases.file("list.txt", "".join(f"--kernel {kernel} --grid 1 --block 32 --arg zero:u32:1 --arg u32:{mask}\n" for kernel, mask, _ in kernels))
    result = cases.run("run", "masks.hko", "--launches", "list.txt", *OBSERVED)
    for kernel, _, (line, fault) in kernels:
        message = re.search(rf"^(.*): error: '{kernel}': the mask .*\n.*lanes (.*)$", result.err, re.M)
        cases.check(bool(message) == bool(fault) and (not fault or (line in message[1] + ":" and message[2] == fault)), f"{operation} {kernel}: {fault}", result)
# A mask in a program that --races compiles is reported, too, at the program's line.
cases.file("mask.cu", """extern "C" __global__ void lies(unsigned *out)
{
	if (threadIdx.x < 8)
		out[threadIdx.x] = __ballot_sync(~0u, threadIdx.x & 1);
	out[threadIdx.x + 32] = 1;
}
""")
result = cases.run("run", "mask.cu", "--block", 32, "--arg", "zero:u32:64", *OBSERVED)
cases.check(result.status == 1 and "mask.cu:4:" in result.err and "lanes 0xffffff00 are named and elsewhere" in result.err, "a mask in CUDA", result)

# Values of lanes that are not there: the lanes that use them. Reductions throw them away.
SUM = "for (int n = {0}; n; n /= 2) v += __shfl_down_sync(m, v, n);"
SHUFFLES = {
    "first": ("if (t < 16) { " + SUM.format(8) + " } if (t == 0) out[t] = v;", 32, None),
    "every": ("if (t < 16) { " + SUM.format(8) + " } out[t] = v;", 32, "warp 0: lanes 0x0000fffe"),
    "greatest": ("if (t < 16) for (int n = 8; n; n /= 2) v = max(v, __shfl_down_sync(m, v, n)); if (t == 0) out[t] = v;", 32, None),
    "part": (SUM.format(16) + " if (t % 32 == 0) out[t] = v;", 48, "warp 1: lanes 0x00000001"),
    "chosen": ("if (t < 16) { unsigned x = __shfl_down_sync(m, v, 1); out[t] = t < 15 ? x : v; }", 32, None),
    "guarded": ("if (t < 16) for (int n = 1; n < 16; n *= 2) { unsigned x = __shfl_down_sync(m, v, n); if (t + n < 16) v += x; } out[t] = v;", 32, None),
    "outside": ("if (t < 8) v = __shfl_sync(m, v, t + 4); out[t] = v;", 32, "warp 0: lanes 0x000000f0"),
    "address": ("if (t < 8) { v = __shfl_sync(m, v, t + 4); out[v] = t; }", 32, "warp 0: lanes 0x000000f0"),
    "condition": ("if (t < 8) { v = __shfl_sync(m, v, t + 4); if (v == 7) out[t] = t; }", 32, "warp 0: lanes 0x000000f0"),
    "across": ("if (t < 16) for (int n = 8; n; n /= 2) v += __shfl_xor_sync(m, v, n); out[t] = v;", 32, None),
    "behind": ("unsigned x = __shfl_down_sync(m, v, 1); __syncthreads(); out[t] = t < 15 ? x : v;", 16, None),
    "halves": ("m = t < 16 ? 0xffff : 0xffff0000; out[t] = __shfl_xor_sync(m, v, 8);", 32, None),
    "half_sums": ("m = t < 16 ? 0xffff : 0xffff0000; " + SUM.format(8) + " if (t % 16 == 0) out[t] = v;", 32, None),
    "other_half": ("m = t < 16 ? 0xffff : 0xffff0000; out[t] = __shfl_sync(m, v, 16);", 32, "warp 0: lanes 0x0000ffff"),
    "ended": ("if (t >= 8) return; out[t] = __shfl_sync(m, v, t + 1);", 32, "warp 0: lanes 0x00000080"),
}
cases.file("shuffles.cu", "".join(f"""extern "C" __global__ void {name}(unsigned *out)
{{
	unsigned t = threadIdx.x, v = t * t, m = __ballot_sync(~0u, t < {8 if "t < 8" in body else 16});
	{"m = ~0u;" if name in ("part", "behind", "ended") else ""} {body}
	out[64] = 1;
}}
""" for name, (body, _, _) in SHUFFLES.items()))
built = cases.run("compile", "shuffles.cu", "-o", "shuffles.hko", "--set", "compile.races=true")
cases.check(built.status == 0, "shuffles.cu is compiled", built)
for name, (_, block, fault) in SHUFFLES.items():
    result = cases.run("run", "shuffles.hko", "--kernel", name, "--block", block, "--arg", "zero:u32:4096", *OBSERVED)
    cases.check(result.status == bool(fault) and (not fault or ("this shuffle takes values" in result.err and fault + " use them" in result.err)), f"shuffle {name}: {fault}", result)


# Random programs of phases: each thread stores a word and loads one. Which statements race is counted from the addresses.
THREADS, WORDS = 64, 128
HEAD = """.version 7.0
.target sm_70
.address_size 64
"""
PROLOGUE = """.shared .align 4 .b8 s_{kernel}[512];
.reg .b32 %r<9>;
.reg .b64 %d<9>;
mov.u32 %r1, %tid.x;
mov.u32 %r6, 0;
mov.u32 %r7, s_{kernel};
ld.param.u64 %d1, [g];
ld.param.u64 %d2, [out];"""


def statement(space, stores, a, b):
    """Four lines, of which the last one accesses memory."""
    lines = [f"mad.lo.u32 %r2, %r1, {a}, {b};", f"and.b32 %r2, %r2, {WORDS - 1};"]
    lines.append("mad.lo.u32 %r3, %r2, 4, %r7;" if space == "shared" else "mad.wide.u32 %d3, %r2, 4, %d1;")
    at = "[%r3]" if space == "shared" else "[%d3]"
    return lines + ([f"st.{space}.u32 {at}, %r1;"] if stores else [f"ld.{space}.u32 %r4, {at}; add.u32 %r6, %r6, %r4;"])


def program(rng, kernel, first, ordered):
    """Lines of a kernel that begins in line `first`, and the pairs (memory, line, line) that race."""
    lines = [f".visible .entry {kernel}(.param .u64 out, .param .u64 g)", "{"] + PROLOGUE.format(kernel=kernel).split("\n")
    phase, touched = 0, []
    for step in range(rng.randrange(3, 9)):
        space, stores = rng.choice(("shared", "global")), rng.random() < 0.5
        a, b = rng.choice((2, 6, 10, 14, 1, 64)), rng.randrange(WORDS)
        stores = stores and a != 64  # of a store each thread has a word of its own
        own = [(a * i + b) % WORDS for i in range(THREADS)]
        conflict = any(s == space and p == phase and (st or stores) and any(x == y for i, x in enumerate(m) for k, y in enumerate(own) if i != k)
                       for s, st, p, m, _ in touched)
        # An ordered program has a barrier in front of what would race with something before it; another one has it now and then.
        if conflict and (ordered or rng.random() < 0.5):
            lines.append("bar.sync 0;")
            phase += 1
        lines += statement(space, stores, a, b)
        touched.append((space, stores, phase, own, first + len(lines) - 1))
    pairs = {
        (s1, line1, line2)
        for s1, st1, p1, m1, line1 in touched
        for s2, st2, p2, m2, line2 in touched
        if s1 == s2 and p1 == p2 and (st1 or st2) and any(x == y for i, x in enumerate(m1) for k, y in enumerate(m2) if i != k)
    }
    return lines + ["mad.wide.u32 %d4, %r1, 4, %d2;", "st.global.u32 [%d4], %r6;", "ret;", "}"], pairs


rng = random.Random(20261123)
text, wanted = HEAD.splitlines(), {}
for number in range(48):
    kernel = f"k{number}"
    lines, wanted[kernel] = program(rng, kernel, len(text) + 1, number % 2 == 0)
    text += lines
cases.file("random.ptx", "\n".join(text) + "\n")
built = cases.run("compile", "random.ptx", "-o", "random.hko")
cases.check(built.status == 0, "random.ptx is compiled", built)
racy = 0
for kernel, pairs in wanted.items():
    result, report = observe("random.hko", kernel, "--grid", 1, "--block", THREADS, "--arg", f"zero:u32:{THREADS}", "--arg", f"zero:u32:{WORDS}")
    got = found(report) if report else None
    racy += bool(pairs)
    cases.check(got is not None and got <= pairs, f"random {kernel}: {got and sorted(got - pairs)} are no races", result)
    cases.check(got is not None and bool(got) == bool(pairs), f"random {kernel}: one of {sorted(pairs)}", result)
cases.check(12 <= racy <= 36, f"{racy} of 48 programs have races")

# The message. clang names a source below the folder that it shares with the working folder, so a checkout in /tmp has more of the path.
result, report = observe("table.cl.hko", "neighbour", "--grid", 1, "--block", 64, "--arg", "zero:u32:64")
lines = result.err.splitlines()
cases.check(len(lines) == 4 and re.match(r"(\S+/)?table\.cl:\d+:\d+: error: 'neighbour': data race on shared memory at 0x", lines[0]), "four lines", result)
cases.check(re.search(r"write by `sts\.32 .*` at word \d+ \((\S+/)?table\.cl:\d+\): kernel 'neighbour', CTA \(0,0,0\), thread \(\d+,0,0\), warp 0, lane \d+", lines[1]), "the first", result)
cases.check(re.search(r"read by `lds\.32 .*` at word", lines[2]) and "64 times" in lines[3], "the second, and how often", result)
race = report["races"]["list"][0]
cases.check(race["count"] == report["races"]["races"] == 64 and report["races"]["unwatched"] == 0, "the count", result)
cases.check(race["first"]["access"] == "write" and race["second"]["access"] == "read" and race["first"]["cta"] == [0, 0, 0], "the accesses", result)
result, report = observe("table.cl.hko", "same_word", "--grid", "2,1,2", "--block", 32, "--arg", "zero:u32:64")
cases.check("global memory at 0x1000000000 ('out' + 0)" in report["races"]["list"][0]["on"], "the buffer", result)
result = cases.run("run", "table.cl.hko", "--kernel", "neighbour", "--grid", 1, "--block", 64, "--arg", "zero:u32:64", *OBSERVED, "--report", "-")
cases.check("races     64 found" in result.out, "the text report", result)

# Grids of a list: the second one waits for the first, or does not. The work list of the examples: each entry starts a CTA behind its push.
for after, status in (("--after first", 0), ("", 1)):
    cases.file("list.txt", f"--name first --kernel bytes --grid 1 --block 64 --arg zero:u8:64\n{after} --kernel bytes_again --grid 1 --block 64 --arg as:first:1\n")
    result = cases.run("run", "table.cl.hko", "--launches", "list.txt", *OBSERVED)
    cases.check(result.status == status and ("kernel 'bytes_again'" in result.err) == bool(status), f"a list, {after}", result)
grids = SOURCE / "examples/grids"
for program in ("urgent.txt", "worklist.txt"):
    result = cases.run("run", grids / "grids.cl", "--launches", grids / program, *OBSERVED)
    cases.check(result.status == 0 and "data race" not in result.err, f"{program} has no race", result)

# Everything else is as without the detector.
NEIGHBOUR = ["table.cl.hko", "--kernel", "neighbour", "--grid", 1, "--block", 64, "--arg", "zero:u32:64", "--functional"]
bare = cases.run("run", *NEIGHBOUR, "--report", "off.json")
watched = cases.run("run", *NEIGHBOUR, "--races", "--report", "on.json")
off, on = (json.loads((cases.root / name).read_text()) for name in ("off.json", "on.json"))
cases.check(bare.status == 0 and watched.status == 1 and "races" not in off, "the exit status", watched)
on.pop("races"), off.pop("host"), on.pop("host")
cases.check(off == on, "nothing else changes", watched)

# Memory for the detector: what it is not enough for is counted, and no race is made up.
WIDE = ["table.cl.hko", "--kernel", "neighbour_ordered", "--grid", 4096, "--block", 64, "--arg", "zero:u32:262144"]
result = cases.run("run", *WIDE, *OBSERVED, "--races-memory", 2, "--report", "r.json")
races = json.loads((cases.root / "r.json").read_text())["races"]
cases.check(result.status == 0 and races["races"] == 0 and 200000 < races["unwatched"] < 262144, f"a small memory: {races}", result)
cases.check(f"warning: {races['unwatched']} accesses were not looked at" in result.err, "the warning", result)
result = cases.run("run", *WIDE, *OBSERVED, "--report", "r.json")
cases.check(json.loads((cases.root / "r.json").read_text())["races"]["unwatched"] == 0, "enough memory", result)

# Refused options.
for options, message in (
    (["--races"], "--races looks at the order of accesses in the interpreter"),
    (["--functional", "--races-memory", 3], "--races-memory without --races"),
    (["--functional", "--races", "--races-memory", "much"], "--races-memory cannot be 'much'"),
    (["--functional", "--races", "--races-memory", 0], "--races-memory cannot be '0'"),
):
    result = cases.run("run", "table.cl.hko", "--kernel", "same_value", *options)
    cases.check(result.status == 2 and message in result.err, f"{options}", result)

cases.end()
