"""Messages speak of the source: names and types of parameters, of OpenCL C and CUDA, and arrays of the wrong type (issue 17, item 9)."""
import json
import os
import re

from harness import Cases, npy, values

SCALE = """typedef float real;
kernel void scale(uint n, real a, global const real *x, global float4 *y, global void *any, global uchar *bytes, global int *whole)
{
	uint i = get_global_id(0);
	if (i < n)
		y[i / 4][i % 4] = a * x[i] + whole[0];
}
"""
CUDA = """namespace render {
struct pair { int a, b; };
template <class T> __global__ void scale(unsigned n, T a, const T *__restrict__ x, T *y, pair p, unsigned char *c, int)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + p.b;
}
template __global__ void scale<float>(unsigned, float, const float *, float *, pair, unsigned char *, int);
}
template <int N> __global__ void fill(int *p) { p[threadIdx.x] = N; }
template __global__ void fill<3>(int *);
template __global__ void fill<-4>(int *);
"""

c = Cases()
c.file("scale.cl", SCALE)
c.file("scale.cu", CUDA)
c.file("half.npy", npy([1.0] * 16, "f8"))
c.file("single.npy", npy([1.0] * 16, "f4"))
good = {"n": "u32:16", "a": "f32:2", "x": "rand:f32:16:1", "y": "out:y.npy:f32:16", "any": "zero:f64:16", "bytes": "zero:f32:16", "whole": "zero:u32:16"}


def arguments(**changed):
    return [word for name, argument in good.items() for word in ("--arg", changed.get(name, argument))]


launch = ["--block", "16"]
result = c.run("run", "scale.cl", *launch, *arguments())
c.check(result.status == 0, "right types are taken: bytes and void take anything, the sign of integers does not matter", result)
for name, argument, expected in [
    ("x", "rand:f64:16:1", r"an array of f64, expected f32 for parameter 'x' \(const real \*\) of kernel 'scale'; --any-type"),
    ("x", "in:half.npy", r"^--arg in:half.npy: error: an array of f64, expected f32 for parameter 'x'"),
    ("x", "zero:i32:16", "an array of i32, expected f32"),
    ("x", "zero:u8:64", "an array of u8, expected f32"),
    ("y", "zero:f16:16", r"an array of f16, expected f32 for parameter 'y' \(float4 \*\)"),
    ("whole", "zero:f32:16", r"an array of f32, expected i32 for parameter 'whole' \(int \*\)"),
    ("whole", "zero:i64:16", "an array of i64, expected i32"),
    ("n", "f32:1", r"argument 1 of kernel 'scale' is a 32-bit float, expected an integer of 4 bytes for parameter 'n' \(uint\)"),
    ("a", "u32:1", r"expected a float of 4 bytes for parameter 'a' \(real\)"),
]:
    c.expect(2, expected, "run", "scale.cl", *launch, *arguments(**{name: argument}), absent=["other.npy"])
c.check(c.run("run", "scale.cl", *launch, *arguments(x="rand:f64:16:1"), "--any-type").status == 0, "--any-type takes any array")
c.expect(2, r"kernel 'scale' has 7 parameters \(uint n, real a, const real \*x, float4 \*y, void \*any, uchar \*bytes, int \*whole\), got 1 argument$", "run", "scale.cl", "--arg", "u32:1")

# Objects and assembly carry the names; plain PTX has no types, and nothing is refused there.
for command in (["compile", "scale.cl", "-o", "scale.hko"], ["disasm", "scale.hko", "-o", "scale.hasm"], ["asm", "scale.hasm", "-o", "again.hko"], ["compile", "scale.cl", "--emit", "ptx", "-o", "scale.ptx"]):
    c.check(c.run(*command).status == 0, " ".join(command))
c.check((c.root / "scale.hko").read_bytes() == (c.root / "again.hko").read_bytes(), "assembly keeps names and types")
text = (c.root / "scale.hasm").read_text()
c.check('.param "x", 8, 8, 8, pointer, global, "const real *", f32\n' in text and "scale_param_" not in text, f"names in assembly\n{text[:800]}")
c.expect(2, "expected f32 for parameter 'x'", "run", "again.hko", *launch, *arguments(x="rand:f64:16:1"))
c.check(c.run("run", "scale.ptx", *launch, *arguments(x="rand:f64:16:1")).status == 0, "PTX alone has no types")
c.expect(2, "for parameter 'scale_param_0'", "run", "scale.ptx", *launch, *arguments(n="f32:1"))
report = c.run("run", "scale.cl", *launch, *arguments(), "--report", "r.json")
report = json.loads((c.root / "r.json").read_text())
c.check(report["parameters"][2] == {"name": "x", "bytes": 8, "type": "const real *", "element": "f32"}, f"parameters in the report: {report['parameters']}")
c.check(report["parameters"][0] == {"name": "n", "bytes": 4, "type": "uint"}, "a number has no element")

# CUDA: kernels are found by their names in the source.
launch = ["scale.cu", "--block", "16"]
scale = ["--arg", "u32:16", "--arg", "f32:2", "--arg", "in:single.npy", "--arg", "out:z.npy:f32:16", "--arg", "bytes:0000000003000000", "--arg", "zero:u8:1", "--arg", "i32:0"]
for name in ("scale", "render::scale<float>", "scale<float>", "render::scale", "scale<float>(unsigned int, float, float const*, float*, render::pair, unsigned char*, int)",
             "_ZN6render5scaleIfEEvjT_PKS1_PS1_NS_4pairEPhi"):
    result = c.run("run", *launch, "--kernel", name, *scale, "--report", "r.json")
    report = json.loads((c.root / "r.json").read_text())
    c.check(result.status == 0 and values(c.root / "z.npy") == [5.0] * 16, f"--kernel {name}", result)
    c.check(report["kernel"].startswith("_ZN") and report["kernel_source_name"] == "render::scale<float>", "both names in the report")
    c.check([p["name"] for p in report["parameters"]] == ["n", "a", "x", "y", "p", "c", "(unnamed)"], f"{report['parameters']}")
    c.check([p["type"] for p in report["parameters"]] == ["unsigned int", "float", "const float *", "float *", "render::pair", "unsigned char *", "int"], f"{report['parameters']}")
c.expect(2, r"an array of f64, expected f32 for parameter 'x' \(const float \*\) of kernel 'render::scale<float>'", "run", *launch, "--kernel", "scale", *[a.replace("single", "half") for a in scale])
c.expect(2, r"the program has 2 kernels 'fill', expected one of fill<3>, fill<-4>$", "run", *launch, "--kernel", "fill", "--arg", "zero:i32:16")
c.check(c.run("run", *launch, "--kernel", "fill<-4>", "--arg", "out:f.npy:i32:16").status == 0 and values(c.root / "f.npy") == [-4] * 16, "a template by its arguments")
c.expect(1, "error: kernel 'fill<3>': store of 4 bytes .*\n.* in 'fill<3>'", "run", *launch, "--kernel", "fill<3>", "--arg", "u64:64")
c.expect(2, r"the program has no kernel 'fill<5>', did you mean fill<3>\? expected one of ", "run", *launch, "--kernel", "fill<5>", "--arg", "zero:i32:16")
c.expect(2, r"the program has no kernel 'flil', did you mean fill\? expected one of ", "run", *launch, "--kernel", "flil", "--arg", "zero:i32:16")
# Overloads are told apart by their parameters, in --kernel, messages, reports and assembly.
c.file("overloads.cu", "__global__ void f(int *x) { x[threadIdx.x] = 1; }\n__global__ void f(float *x) { x[threadIdx.x] = 2; }\n")
c.expect(2, r"the program has 2 kernels 'f', expected one of f\(int \*\), f\(float \*\)$", "run", "overloads.cu", "--kernel", "f", "--arg", "zero:i32:16")
for kind, name, value in (("f32", "f(float*)", 2.0), ("i32", "f(int *)", 1)):
    result = c.run("run", "overloads.cu", "--block", "16", "--kernel", name, "--arg", f"out:o.npy:{kind}:16", "--report", "r.json")
    c.check(result.status == 0 and values(c.root / "o.npy") == [value] * 16, f"--kernel {name}", result)
    c.check(json.loads((c.root / "r.json").read_text())["kernel_source_name"] == name.replace("float*", "float *"), "the report names the parameters")
c.expect(1, r"error: kernel 'f\(int \*\)': store ", "run", "overloads.cu", "--block", "16", "--kernel", "f(int*)", "--arg", "zero:i32:8")
text = c.run("compile", "overloads.cu", "--emit", "asm").out
c.check('.source_name "f(int *)"' in text and '.function "f(float *)"' in text, f"overloads in assembly\n{text}")
c.expect(2, r"the program has no kernel 'scael', did you mean scale\? expected one of scale$", "run", "scale.cl", "--kernel", "scael")

# Line 0 of PTX is no line: the message does not name the line before it.
PTX = """.version 6.0
.target sm_60
.address_size 64
.file 1 "k.cl"
.visible .entry k(.param .u64 y)
{
.reg .b64 %%d<3>;
ld.param.u64 %%d1, [y];
.loc 1 5 3
add.u64 %%d2, %%d1, 4096;
.loc 1 %d 0
st.global.u64 [%%d2], %%d1;
.loc 1 9 0
exit;
}
"""
for line, place in ((0, r"^error: kernel 'k': store"), (7, r"^k\.cl:7: error: kernel 'k': store")):
    c.file("line.ptx", PTX % line)
    c.expect(1, place, "run", "line.ptx", "--arg", "zero:u64:8")
    c.expect(1, place, "run", "line.ptx", "--arg", "zero:u64:8", "--functional")
# The interpreter has no cycles.
c.expect(1, "lane 0, after [0-9]+ warp instructions$", "run", "line.ptx", "--arg", "zero:u64:8", "--functional")
c.expect(1, "lane 0, core 0, cycle [0-9]+$", "run", "line.ptx", "--arg", "zero:u64:8")
# A load just below a buffer: its neighbour is named, not the one far below.
c.file("below.cl", "kernel void below(global int *a, global int *b, global int *out) { out[0] = b[-2]; }\n")
c.expect(1, r"the nearest above is 'argument 2, b \(zero:i32:4\)' of 16 bytes at 0x\w+, 8 bytes before it$", "run", "below.cl", "--arg", "zero:i32:4", "--arg", "zero:i32:4", "--arg", "zero:i32:4")

# HEDDLE_BOUNDS=warn: the run goes on, each place is reported once, zeros are read, nothing is written; the same in both modes.
c.file("edge.cl", """kernel void edge(global const int *a, global int *b)
{
	int i = get_global_id(0);
	b[i] = a[i - 2] + 1;
	if (i >= 32)
		b[i + 100] = 7;
	b[64 + i] = 1 + atomic_add(&b[300 + i], 1);
}
""")
edge = ["run", "edge.cl", "--grid", "2", "--block", "32", "--arg", "in:ones.npy", "--arg", "out:edge.npy:i32:128"]
c.file("ones.npy", npy([1] * 64, "i4"))
said = set()
modes = ["", "--functional", "--set memory.return_groups=true", "--set predecode.replay_misses=true --set predecode.default_hint=may_replay", "--set memory.values=at_once", "--hazards",
         "--functional --races", "--functional --threads 2", "--set machine.cores=2 --threads 2"]
for mode in modes:
    os.environ["HEDDLE_BOUNDS"] = "warn"
    result = c.run(*edge, *mode.split())
    lines = re.findall(r"^edge\.cl:(\d+):\d+: warning: kernel 'edge': (?:load|store) of 4 bytes .*; (zeros are read|nothing is written)$", result.err, re.M)
    c.check(result.status == 0 and lines == [("4", "zeros are read"), ("6", "nothing is written"), ("7", "nothing is written")] and "error" not in result.err, f"warnings {mode}: {lines}", result)
    said.add(re.sub(r"lane \d+, .*", "", result.err).partition("edge on ")[0])
    c.check(values(c.root / "edge.npy") == [1] * 2 + [2] * 62 + [1] * 64, f"values {mode}")
    os.environ["HEDDLE_BOUNDS"] = "trap"
    c.expect(1, r"^edge\.cl:4:\d+: error: kernel 'edge': load", *edge, *mode.split())
    if "races" not in mode:
        c.expect(1, r"^edge\.cl:4:\d+: error: kernel 'edge': (load|page fault)", *edge, *mode.split(), "--set", "pages.kib=4")
c.check(len(said) == 1 and "CTA (0,0,0), thread (0,0,0)" in list(said)[0] and "CTA (1,0,0), thread (0,0,0)" in list(said)[0], f"one text in all modes: {said}")
os.environ["HEDDLE_BOUNDS"] = "wran"
c.expect(2, "HEDDLE_BOUNDS cannot be 'wran', expected trap or warn", *edge)
del os.environ["HEDDLE_BOUNDS"]

# Lists of launches: FILE:LINE:COLUMN.
for line, expected in [
    ("--kernel scale --arg f33:1", r"^list:3:22: error: --arg f33:1: f33: is no form of an argument"),
    ("--kernel scale --gird 4", r"^list:3:16: error: unknown option --gird, did you mean --grid\?"),
    ("--kernel scale --grid 0", r"^list:3:23: error: --grid cannot be '0'"),
    ("--kernel scale --grid", r"^list:3:16: error: option --grid wants a value"),
    ("--kernel scale --arg out:a.npy:f32:1 --arg out:a.npy:f32:1", r"^list:3:44: error: two arguments write to a.npy"),
    ("--kernel scale --priority 9", r"^list:3:27: error: --priority cannot be '9'"),
    ("--kernel scale --arg u32:1", r"^list:3:1: error: kernel 'scale' has 7 parameters"),
    ("--kernel scael", r"^list:3:1: error: the program has no kernel 'scael'"),
    ("--name a", r"^list:3:8: error: an earlier line has this name, expected another one, not 'a'"),
    ("--kernel scale " + " ".join(arguments(x="zero:f64:16", y="zero:f32:16")), r"^list:3:47: error: --arg zero:f64:16: an array of f64, expected f32"),
    ("--kernel scale " + " ".join(arguments(x="as:a:5", y="zero:f32:16")), r"^list:3:47: error: --arg as:a:5: an array of f64, expected f32"),
    ("--kernel scale " + " ".join(arguments()), r"^list:3:67: error: an earlier line writes to this file, too: 'out:y.npy:f32:16'"),
]:
    c.file("list", "# a comment\n--name a --kernel scale " + " ".join(arguments()) + "\n" + line + "\n")
    c.expect(2, expected, "run", "scale.cl", "--launches", "list")
c.file("list", "--name 1\n--kernel scale\n")
c.expect(2, r"^list:1:8: error: a later line without a name has this number, expected another name, not '1'", "run", "scale.cl", "--launches", "list")
c.file("pairs", "scale.cl --arg u32:1\n")
c.expect(2, r"^pairs:1:1: error: kernel 'scale' has 7 parameters", "compare", "--launches", "pairs", "--machine", "heddle", "--machine", "baseline")
c.file("pairs", "\nscale.cl --arg u33:1\n")
c.expect(2, r"^pairs:2:16: error: --arg u33:1: u33: is no form", "compare", "--launches", "pairs", "--machine", "heddle", "--machine", "baseline")

# A stack that is full: how deep it is, which calls, and the key that gives it more. Kernels and functions have the names of the source.
c.file("deep.cu", """namespace tree {
__device__ __attribute__((noinline)) int visit(int n) { volatile int a[600]; for (int i = 0; i < 600; i++) a[i] = n; return n == 0 ? a[3] : visit(n - 1) + a[n & 511]; }
}
__device__ __attribute__((noinline)) int start(int n) { return tree::visit(n) + 1; }
__global__ void walk(int *y, int n) { y[threadIdx.x] = start(n); }
""")
deep = ["deep.cu", "--block", "32", "--arg", "zero:i32:32", "--arg", "i32:12"]
result = c.expect(1, r"deep.cu:2(:\d+)?: error: kernel 'walk': store of 4 bytes .* outside of the thread's local memory of \d+ bytes: its stack, which the calls made \d+ bytes deep, is full\n"
                  r"  at word 0x\w+ in 'tree::visit'.*\n.*\n  calls: walk -> start -> tree::visit -> \.\.\. \(recursion\)\n"
                  r"  memory.stack_bytes is what recursion may take; compile with --set memory.stack_bytes=65536 or more\n", "run", *deep)
sizes = [int(n) for n in re.findall(r"(\d+) bytes(?: deep|: its stack)", result.err)]
c.check(len(sizes) == 2 and sizes[1] > sizes[0] > 16384, f"deeper than it may be: {sizes}", result)
c.check(c.run("run", *deep, "--set", "memory.stack_bytes=65536").status == 0, "the key gives recursion more")
c.file("big.cl", "kernel void big(global int *y) { volatile int a[200000]; for (int i = 0; i < 200000; i++) a[i] = i; y[0] = a[y[1] & 1023]; }")
c.expect(2, "kernel 'big': its stack, the arrays and frames of its functions, takes 800000 bytes of local memory a thread, expected at most 524288", "run", "big.cl", "--arg", "zero:i32:2")

# Hexadecimal wherever a whole number stands.
c.file("hex.cl", "kernel void put(global ulong *y, int a, uint b, long d, ulong e) { y[get_global_id(0)] = (ulong)a + b + d + e; }")
result = c.run("run", "hex.cl", "--grid", "0x2", "--block", "0x8,0x1", "--arg", "out:h.npy:u64:0x10", "--arg", "i32:-0x10", "--arg", "u32:0xFF", "--arg", "i64:-0x1", "--arg", "u64:0x100000000", "--max-cycles", "0x100000")
c.check(result.status == 0 and values(c.root / "h.npy") == [(1 << 32) - 16 + 255 - 1] * 16, "hexadecimal numbers", result)
c.end()
