"""Divergent programs through the whole chain: subroutines that stay subroutines, function pointers and recursion from CUDA and OpenCL C (RC-8 to RC-15), with resume
counters in both ways of membership and with the stack (RC-16)."""
import json
import re

from harness import SOURCE, Cases, values

CALLS = """typedef unsigned (*function)(unsigned);
__device__ __attribute__((noinline)) unsigned twice(unsigned x) { if (x & 1) return x * 2; for (unsigned i = 0; i < (x & 7); i++) x += i; return x; }
__device__ __attribute__((noinline)) unsigned thrice(unsigned x) { return x % 5 == 0 ? 7 : x * 3; }
__device__ __attribute__((noinline)) unsigned plain(unsigned x) { if (x > 20) return x - 20; return x; }
__device__ function table[3] = {twice, thrice, plain};
extern "C" __global__ void change(unsigned i) { table[i] = plain; }
extern "C" __global__ void calls(unsigned *out)
{
	unsigned i = threadIdx.x, v = table[i % 3](i);
	if (i & 4)
		v += twice(i + 100);
	out[i] = v;
}
"""
RECURSION = """__device__ __attribute__((noinline)) unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursion(unsigned *out) { out[threadIdx.x] = fib(threadIdx.x % 9); }
"""
MUTUAL = """__device__ __attribute__((noinline)) unsigned even(unsigned n);
__device__ __attribute__((noinline)) unsigned odd(unsigned n) { return n == 0 ? 0 : even(n - 1) * 2; }
__device__ __attribute__((noinline)) unsigned even(unsigned n) { return n == 0 ? 1 : odd(n - 1) + 1; }
extern "C" __global__ void mutual(unsigned *out) { out[threadIdx.x] = even(threadIdx.x % 9); }
"""
POINTERS = """typedef unsigned (*function)(unsigned);
extern __device__ function table[2];
__device__ __attribute__((noinline)) unsigned again(unsigned n) { return n < 2 ? n : table[n & 1](n - 1) + 1; }
__device__ function table[2] = {again, again};
extern "C" __global__ void pointers(unsigned *out) { out[threadIdx.x] = again(threadIdx.x % 9); }
"""
KERNELS = """__attribute__((noinline)) uint twice(uint x) { if (x & 1) return x * 2; for (uint i = 0; i < (x & 7); i++) x += i; return x; }
__kernel void calls(__global uint *out)
{
	uint i = get_local_id(0), v = i;
	if (i & 4)
		v = twice(i + 100);
	out[i] = v + twice(i);
}
"""
# Where the baseline's compiler puts `push` (RC-16). In front of each kernel: the pushes outside of loops, and inside.
PUSHES = """// 0 0: the guard, which only exits; its loop is the same for all who run it
__kernel void guarded_loop(__global uint *out, uint n, uint turns)
{
	uint i = get_global_id(0), x = i;
	if (i < n) {
#pragma unroll 1
		for (uint k = 0; k < turns; k++)
			x = x * 5 + k;
		out[i] = x;
	}
}
// 0 0: a bound from memory, the same for all
__kernel void loaded_bound(__global uint *out, __global const uint *bound)
{
	uint x = get_global_id(0);
#pragma unroll 1
	for (uint k = 0; k < bound[get_group_id(0)]; k++)
		x = x * 5 + k;
	out[get_global_id(0)] = x;
}
// 1 0: lanes leave one by one; once before the loop is enough
__kernel void own_turns(__global volatile uint *out)
{
	uint i = get_global_id(0);
#pragma unroll 1
	for (uint k = 0; k < (i & 7); k++)
		out[i] += k;
	out[i] += 1;
}
// 2 0: what was counted in that loop is each lane's own
__kernel void after_own_turns(__global volatile uint *out, __global const uint *in)
{
	uint i = get_global_id(0), k = 0;
#pragma unroll 1
	while (in[i + k])
		k++;
	if (k > 3)
		out[i] += 7;
	else
		out[i] = 1;
	out[i] += 3;
}
// 2 0: k is a parameter or one more, but which depends on the lane
__kernel void chosen(__global volatile uint *out, __global const uint *in, uint a)
{
	uint i = get_global_id(0), k = a;
	if (in[i]) {
		out[i] += 9;
		k = a + 1;
	}
	out[i]++;
	if (k == 5)
		out[i] += 7;
	else
		out[i] = 1;
	out[i] += 3;
}
// 1 1: an if in a loop
__kernel void inside(__global volatile uint *out, __global const uint *in)
{
	uint i = get_global_id(0);
#pragma unroll 1
	for (uint k = 0; k < in[i]; k++) {
		if (out[i + k] & 1)
			out[i] += 7;
		out[i] ^= 9;
	}
	out[i] += 3;
}
"""


def pushes(assembly, kernel):
    """Pushes outside and inside of loops: between a label and a branch back to it."""
    lines = re.search(rf'\.function "{kernel}"\n(.*?)\.end', assembly, re.S)[1].splitlines()
    labels = {line[:-1]: i for i, line in enumerate(lines) if re.fullmatch(r"L\d+:", line)}
    loops = [(labels[m[1]], i) for i, line in enumerate(lines) if (m := re.search(r"bra (L\d+)", line)) and labels.get(m[1], i) < i]
    found = [i for i, line in enumerate(lines) if line.startswith("\tpush ")]
    inside = sum(any(a <= i <= b for a, b in loops) for i in found)
    return [len(found) - inside, inside]


def irreducible(assembly, kernel):
    """Has the kernel's control flow a cycle with several entries? T1 (drop loops of one node) and T2 (join a node with its only predecessor) reduce all others to one node."""
    lines = re.search(rf'\.function "{kernel}"\n(.*?)\.end', assembly, re.S)[1].splitlines()
    lines = [line.split("{")[0].strip() for line in lines if line.strip() and line[0] not in ".;"]
    labels = {line[:-1]: i for i, line in enumerate(lines) if re.fullmatch(r"L\d+:", line)}
    to = {i: set() for i in range(len(lines))}
    for i, line in enumerate(lines):
        branch = re.match(r"(@\S+ )?bra (L\d+)", line)
        if branch:
            to[i].add(labels[branch[2]])
        if i + 1 < len(lines) and not (branch and not branch[1]) and line != "exit":
            to[i].add(i + 1)
    live, todo = set(), [0]
    while todo:
        i = todo.pop()
        if i not in live:
            live.add(i)
            todo += to[i]
    to = {i: to[i] for i in live}
    while True:
        before = {i: {k for k in to if i in to[k]} for i in to}
        for i in to:
            to[i].discard(i)
        single = next((i for i in to if i and len(before[i] - {i}) == 1), None)
        if single is None:
            return len(to) > 1
        owner = next(iter(before[single] - {single}))
        to[owner] = (to[owner] | to.pop(single)) - {single}


def twice(x):
    if x & 1:
        return x * 2
    i = 0
    while i < x & 7:
        x, i = x + i, i + 1
    return x


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


DEEP = "__kernel void deep(__global volatile uint *out)\n{\n\tuint lane = get_local_id(0), h = 1;\n#pragma unroll 1\n\tfor (uint t = 0; t < 3; t++) {\n"
DEEP += "".join(f"if (lane + 31 * t != {k}) {{ h = h * 33 + {k}; out[lane] = h;\n" for k in range(64)) + "".join(f"h = h * 5 + {k}; out[lane] = h; }}\n" for k in reversed(range(64)))
DEEP += "\t}\n\tout[lane] = h;\n}\n"


def deep(lane):
    h = 1
    for t in range(3):
        stop = next((k for k in range(64) if lane + 31 * t == k), 64)
        for k in range(stop):
            h = (h * 33 + k) & 0xFFFFFFFF
        for k in reversed(range(stop)):
            h = (h * 5 + k) & 0xFFFFFFFF
    return h


def even(n):
    return 1 if n == 0 else odd(n - 1) + 1


def odd(n):
    return 0 if n == 0 else even(n - 1) * 2


WALK = """
__attribute__((noinline)) uint power(uint x)
{
	uint y = 1;
	for (uint k = x & 3; k > 0; k--) {
		y *= x;
		if (y == 12345)
			break;
	}
	return y;
}
__kernel void walk(__global volatile uint *out)
{
	uint i = get_local_id(0);
	if (i < 6) {
		if (i > 2) {
			out[i] = power(i);
		} else {
			out[i] = 5;
			out[i + 8] = 6;
		}
	}
	out[i + 16] = i;
}
"""
# RC-10: what the compiler says where subroutines are told by address, with the place of the call.
refused = {
    "r.cu": r"r.cu:1:\d+: error: recursion: 'fib' calls 'fib'; .*RC-10.*expected flag",
    "m.cu": r"m.cu:[23]:\d+: error: recursion: 'even' calls 'odd', which calls 'even'; ",
    "p.cu": r"p.cu:3:\d+: error: recursion: 'again' calls through a pointer what may be 'again'; ",
}
# clang runs once for each source: every machine runs its PTX.
table = [twice, lambda x: 7 if x % 5 == 0 else x * 3, lambda x: x - 20 if x > 20 else x]
expected = {
    ("c.cu", "calls"): [table[i % 3](i) + (twice(i + 100) if i & 4 else 0) for i in range(32)],
    ("r.cu", "recursion"): [fib(i % 9) for i in range(32)],
    ("m.cu", "mutual"): [even(i % 9) for i in range(32)],
    ("p.cu", "pointers"): [max(i % 9, 0) for i in range(32)],
    ("c.cl", "calls"): [(twice(i + 100) if i & 4 else i) + twice(i) for i in range(32)],
}
machines = {"flags": [], "steps": ["--set", "divergence.minrc=false"], "range": ["--set", "divergence.membership=range"], "entry": ["--set", "divergence.membership=entry"], "stack": ["--set", "divergence.mode=stack"], "barriers": ["--set", "divergence.mode=barriers"]}
c = Cases()
c.file("c.cu", CALLS)
c.file("c.cl", KERNELS)
c.file("deep.cl", DEEP)
c.file("w.cl", WALK)
for name, text in (("r.cu", RECURSION), ("m.cu", MUTUAL), ("p.cu", POINTERS)):
    c.file(name, text)
for name in ("c.cu", "c.cl", "r.cu", "m.cu", "p.cu", "deep.cl", "w.cl"):
    result = c.run("compile", name, "--emit", "ptx", "-o", name + ".ptx")
    c.check(result.status == 0, f"{name}: PTX", result)
for name in ("r.cu", "m.cu", "p.cu"):
    result = c.run("compile", name, "-o", name.replace(".cu", ".hko"))
    c.check(result.status == 0, f"{name}: compiles where threads have a flag", result)
for name, wanted in (("c.cu", ("call ", "callx ")), ("c.cl", ("call ",))):
    text = c.run("compile", name, "--emit", "asm", "-o", "out.hasm")
    assembly = (c.root / "out.hasm").read_text() if text.status == 0 else ""
    c.check(all(f"\t{word}" in assembly or f" {word}" in assembly for word in wanted), f"{name}: calls stay calls (RC-15)", text)
    instructions = assembly.replace("bar.sync", "").replace("divergence.pop=sync", "")  # the machine's record names the key
    c.check("push" not in instructions and "sync" not in instructions, f"{name}: no convergence instructions (RC-15)")
c.file("u.cl", PUSHES)
result = c.run("compile", "u.cl", "--emit", "asm", "-o", "u.hasm", "--set", "divergence.mode=stack")
c.check(result.status == 0, "u.cl compiles", result)
for outside, inside, kernel in re.findall(r"^// (\d) (\d).*\n__kernel void (\w+)", PUSHES, re.M):
    found = pushes((c.root / "u.hasm").read_text(), kernel)
    c.check(found == [int(outside), int(inside)], f"u.cl {kernel}: {found} pushes outside and inside of loops, expected {outside} and {inside} (RC-16)")
# RC-15: gotos into loops come through clang and through our passes as what they are; the kernels' tests run them.
for source, kernel, expect in (("goto", "run_goto", True), ("unstructured", "run_state_machine", True), ("unstructured", "run_short_circuit", False)):
    result = c.run("compile", SOURCE / f"examples/unstructured/{source}.cl", "--emit", "asm", "-o", "i.hasm")
    c.check(result.status == 0 and irreducible((c.root / "i.hasm").read_text(), kernel) == expect, f"{kernel}: irreducible: {expect}", result)
for machine, settings in machines.items():
    for (source, kernel), want in expected.items():
        command = ["run", source + ".ptx", "--kernel", kernel, "--block", 32, "--arg", "out:o.npy:u32:32", *settings]
        if machine in ("range", "entry") and source in refused:
            c.expect(2, refused[source].replace("RC-10", "RC-20" if machine == "entry" else "RC-10"), *command)
            command[1] = source.replace(".cu", ".hko")
            c.expect(1, r"kernel '\w+': the machine's flow unit(.|\n)*the kernel recurses: it needs divergence.membership = flag", *command)
            continue
        for more in {"flags": ([], ["--functional"], ["--serial"]), "stack": ([], ["--functional"])}.get(machine, ([],)):
            result = c.run(*command, *more, "--report", "r.json")
            idle = json.loads((c.root / "r.json").read_text())["divergence"]["idle"] if (c.root / "r.json").exists() else -1
            c.check(idle == 0 or machine == "steps", f"{source} {kernel}, {machine} {more}: {idle} instructions for nobody (RC-5)", result)
            c.check(result.status == 0 and values(c.root / "o.npy") == want, f"{source} {kernel}, {machine} {more}", result)
    # RC-13: with convergence barriers, of which there are 16, the lanes of the inner levels wait at the innermost of those.
    # RC-18: without MINRC the threads wait behind two branches that all of them take, too.
    # RC-13: every one of 64 levels really splits, and joins. The 32 lanes of a warp can wait at 31 levels at a time: those of the next 31 come in the next turn.
    result = c.run("run", "deep.cl.ptx", "--kernel", "deep", "--block", 32, "--arg", "out:o.npy:u32:32", "--report", "r.json", *settings)
    report = json.loads((c.root / "r.json").read_text())["divergence"] if result.status == 0 else {}
    c.check(result.status == 0 and values(c.root / "o.npy") == [deep(i) for i in range(32)], f"64 levels, {machine}", result)
    c.check(report.get("divergent") == 64 and report.get("resumes") == {"barriers": 48, "steps": 66}.get(machine, 64), f"64 levels, {machine}: {report.get('divergent')} splits, {report.get('resumes')} joins")
    for source in ("c.cu", "c.cl") if machine in ("range", "entry") else ("c.cu", "c.cl", "r.cu", "m.cu", "p.cu"):
        result = c.run("check", source + ".ptx", *settings)
        c.check(result.status == 0, f"{source}, {machine}: proven", result)
# RC-19: MINRC that counts all threads leaves a subroutine behind its caller, and jumps that ignore MINRC pass threads for good.
for layout, left in (("flag", False), ("entry", True)):
    result = c.run("compile", "w.cl.ptx", "-o", "w.hko", "--set", f"divergence.membership={layout}")
    c.check(result.status == 0, f"w.cl compiles for {layout}", result)
    command = ["run", "w.hko", "--kernel", "walk", "--block", 32, "--arg", "out:o.npy:u32:64"]
    want = [pow(i, i & 3, 1 << 32) if 2 < i < 6 else 5 if i < 3 else 0 for i in range(6)]
    result = c.run(*command, "--set", f"divergence.membership={layout}")
    c.check(result.status == 0 and values(c.root / "o.npy")[:6] == want, f"walk, {layout}", result)
    if left:
        c.expect(1, r"the PC left the subroutine: lanes 0x00000007, which did not call it, continue at word 0x\w+ in 'walk'(.|\n)*Lanes 0x000000\w\w wait in the subroutine", *command, "--set", "divergence.membership=none")
    else:
        result = c.run(*command, "--set", "divergence.membership=none")
        c.check(result.status == 0 and values(c.root / "o.npy")[:6] == want, "a subroutine before its caller is not left", result)
    c.expect(1, r"thread never resumed: lanes 0x00000007 wait at word 0x\w+ in 'walk'", *command, "--set", "divergence.minrc=ignore", "--set", f"divergence.membership={layout}")
c.expect(1, r"nested too deeply", "run", "r.cu", "--kernel", "recursion", "--block", 32, "--arg", "out:o.npy:u32:32", "--set", "divergence.call_depth=4")  # RC-13

c.end()
