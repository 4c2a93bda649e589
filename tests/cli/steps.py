"""LU-16: operations of several steps from every front end: dot products of 2 to 4 parts, normalised vectors, matrix times vector. OpenCL C, CUDA and PTX give
the same bits, in the interpreter and on machines, within the bounds that lib/heddle_vector.h states. The checker proves the programs, and the machine leaves
out writes for last uses."""
import json
import math
import random
import struct

from harness import Cases, npy, values

THREADS, IN, OUT = 64, 20, 27  # words of a thread: five vectors; 3 dot products, 2 + 3 + 4 normalised, 2 + 3 + 4 of matrices, 6 for OpenCL's own

BODY = """
	float2 a2 = MAKE2(v[0], v[1]), b2 = MAKE2(v[4], v[5]), c2 = MAKE2(v[8], v[9]);
	float3 a3 = MAKE3(v[0], v[1], v[2]), b3 = MAKE3(v[4], v[5], v[6]), c3 = MAKE3(v[8], v[9], v[10]), d3 = MAKE3(v[12], v[13], v[14]);
	float4 a4 = MAKE4(v[0], v[1], v[2], v[3]), b4 = MAKE4(v[4], v[5], v[6], v[7]), c4 = MAKE4(v[8], v[9], v[10], v[11]),
	       d4 = MAKE4(v[12], v[13], v[14], v[15]), e4 = MAKE4(v[16], v[17], v[18], v[19]);
	o[0] = heddle_dot2(a2, b2);
	o[1] = heddle_dot3(a3, b3);
	o[2] = heddle_dot4(a4, b4);
	float2 n2 = heddle_normalize2(a2), t2 = heddle_transform2(a2, b2, c2);
	float3 n3 = heddle_normalize3(a3), t3 = heddle_transform3(a3, b3, c3, d3);
	float4 n4 = heddle_normalize4(a4), t4 = heddle_transform4(a4, b4, c4, d4, e4);
	o[3] = n2.x; o[4] = n2.y;
	o[5] = n3.x; o[6] = n3.y; o[7] = n3.z;
	o[8] = n4.x; o[9] = n4.y; o[10] = n4.z; o[11] = n4.w;
	o[12] = t2.x; o[13] = t2.y;
	o[14] = t3.x; o[15] = t3.y; o[16] = t3.z;
	o[17] = t4.x; o[18] = t4.y; o[19] = t4.z; o[20] = t4.w;
"""
OWN = """
	o[21] = dot(a2, b2); o[22] = dot(a3, b3); o[23] = dot(a4, b4);
	float3 own = normalize(a3);
	o[24] = own.x; o[25] = own.y; o[26] = own.z;
"""
OPENCL = f"""#include <heddle_vector.h>
#define MAKE2(...) (float2)(__VA_ARGS__)
#define MAKE3(...) (float3)(__VA_ARGS__)
#define MAKE4(...) (float4)(__VA_ARGS__)
kernel void k(global const float *in, global float *out)
{{
	global const float *v = in + get_global_id(0) * {IN};
	global float *o = out + get_global_id(0) * {OUT};
{BODY}{OWN}}}
"""
CUDA = f"""#include <heddle_vector.h>
#define MAKE2 make_float2
#define MAKE3 make_float3
#define MAKE4 make_float4
extern "C" __global__ void k(const float *in, float *out)
{{
	const float *v = in + threadIdx.x * {IN};
	float *o = out + threadIdx.x * {OUT};
{BODY}}}
"""


def vector(first, n):
    return "{" + ", ".join(f"%v{first + i}" for i in range(n)) + "}"


def results(first, n):
    return "{" + ", ".join(f"%o{first + i}" for i in range(n)) + "}"


PTX = f""".version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 4 in, .param .u64 .ptr .global .align 4 out)
{{
.reg .b64 %d<5>;
.reg .b32 %r<2>;
.reg .f32 %v<{IN}>, %o<{OUT}>;
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [out];
mov.u32 %r1, %tid.x;
mad.wide.u32 %d3, %r1, {4 * IN}, %d1;
mad.wide.u32 %d4, %r1, {4 * OUT}, %d2;
""" + "".join(f"ld.global.f32 %v{i}, [%d3+{4 * i}];\n" for i in range(IN)) + "".join(
    f"heddle.dot.f32 %o{n - 2}, {vector(0, n)}, {vector(4, n)};\n" for n in (2, 3, 4)) + "".join(
    f"heddle.normalize.f32 {results(at, n)}, {vector(0, n)};\n" for n, at in ((2, 3), (3, 5), (4, 8))) + "".join(
    f"heddle.transform.f32 {results(at, n)}, {', '.join(vector(4 * row, n) for row in range(n))}, {vector(4 * n, n)};\n" for n, at in ((2, 12), (3, 14), (4, 17))) + "".join(
    f"st.global.f32 [%d4+{4 * i}], %o{i};\n" for i in range(21)) + "ret;\n}\n"

# Destinations that are sources, elements that are not wanted, and what the reader refuses.
SWAP = PTX[: PTX.index("heddle.dot")] + """heddle.normalize.f32 {%v1, _}, {%v0, %v1};
heddle.transform.f32 {%v2, %v3}, {%v2, %v3}, {%v3, %v2}, {%v2, %v3};
st.global.f32 [%d4], %v1;
st.global.f32 [%d4+4], %v2;
st.global.f32 [%d4+8], %v3;
ret;
}
"""
WRONG = [("heddle.dot.f32 %o0, {%v0, %v1}, {%v0, %v1, %v2};", "expected a vector of 2 elements"), ("heddle.dot.f32 %o0, %v0, %v1;", "expected a vector of 2 to 4 elements"),
         ("heddle.normalize.f32 {%o0, %o1, %o2}, {%v0, %v1};", "expected a vector of 2 elements"), ("heddle.normalize.f32 {%o0, %o1};", "expected heddle.normalize.f32 with"),
         ("heddle.transform.f32 {%o0, %o1}, {%v0, %v1}, {%v0, %v1};", "expected a vector of 1|expected heddle.transform.f32 with"),
         ("heddle.dot.f64 %o0, {%v0, %v1}, {%v0, %v1};", "f64|type")]

c = Cases()
source = random.Random(16)
inputs = [struct.unpack("<f", struct.pack("<f", source.uniform(-4, 4) * 2.0 ** source.randrange(-20, 20)))[0] for _ in range(THREADS * IN)]
inputs[:IN] = [0.0] * IN
c.file("in.npy", npy(inputs))


def is_right(thread, got, own):
    """Within the bounds of lib/heddle_vector.h, and of OpenCL for its own functions."""
    v = inputs[thread * IN : (thread + 1) * IN]

    def is_sum(x, a, b, n):
        products = [v[a + i] * v[b + i] for i in range(n)]
        return abs(x - math.fsum(products)) <= n * 2.0**-24 * sum(map(abs, products)) + 1e-44

    def are_normal(xs, n, bound):
        length = math.sqrt(sum(v[i] ** 2 for i in range(n)))
        return all(abs(xs[i] - (v[i] / length if length else 0)) <= bound * 2.0**-23 * abs(v[i] / length if length else 0) + 1e-40 for i in range(n))

    return (all(is_sum(got[n - 2], 0, 4, n) for n in (2, 3, 4)) and all(are_normal(got[at : at + n], n, 4) for n, at in ((2, 3), (3, 5), (4, 8)))
            and all(is_sum(got[at + row], 4 * row, 4 * n, n) for n, at in ((2, 12), (3, 14), (4, 17)) for row in range(n))
            and (not own or (got[21:24] == got[:3] and are_normal(got[24:27], 3, 4))))


first = None
for name, text in (("k.ptx", PTX), ("k.cl", OPENCL), ("k.cu", CUDA)):
    c.file(name, text)
    for settings in ([], ["--set", "last_use.compensation_of=warp", "--set", "last_use.compensation=6"], ["--set", "last_use.flags=false"]):
        result = c.run("compile", name, "-o", "k.hko", *settings)
        c.check(result.status == 0 and c.run("check", "k.hko", *settings).status == 0, f"{name} {settings}: compiles, and is proven", result)
        for mode in (["--functional"], ["--report", "report.json"]):
            result = c.run("run", "k.hko", "--block", THREADS, "--arg", "in:in.npy", "--arg", f"out:out.npy:f32:{THREADS * OUT}", "--quiet", *settings, *mode)
            got = values(c.root / "out.npy") if result.status == 0 else [math.nan] * (THREADS * OUT)
            rows = [got[i * OUT : (i + 1) * OUT] for i in range(THREADS)]
            wrong = [i for i in range(THREADS) if not is_right(i, rows[i], name == "k.cl")]
            c.check(not wrong, f"{name} {settings} {mode}: threads {wrong[:4]} are wrong, {rows[wrong[0]] if wrong else ''}", result)
            bits = [struct.pack("<21f", *row[:21]) for row in rows]
            first = first or bits
            c.check(bits == first, f"{name} {settings} {mode}: the bits are those of every front end")
    result = c.run("run", name, "--block", THREADS, "--arg", "in:in.npy", "--arg", f"out:out.npy:f32:{THREADS * OUT}", "--quiet", "--report", "report.json")
    skipped = json.loads((c.root / "report.json").read_text())["register_file"]["writes_skipped"]
    c.check(skipped >= 16, f"{name}: {skipped} writes are left out", result)

c.file("swap.ptx", SWAP)
for mode in ([], ["--functional"]):
    result = c.run("run", "swap.ptx", "--block", THREADS, "--arg", "in:in.npy", "--arg", f"out:out.npy:f32:{THREADS * OUT}", "--quiet", *mode)
    got = values(c.root / "out.npy") if result.status == 0 else []
    good = result.status == 0
    for t in range(1, THREADS if good else 1):
        x, y, z, w = inputs[t * IN : t * IN + 4]
        wanted = [x / math.hypot(x, y), z * z + w * w, 2 * z * w]
        good &= all(abs(g - want) <= 1e-6 * abs(want) + 1e-44 for g, want in zip(got[t * OUT :], wanted))
    c.check(good, "destinations that are sources", result)
for line, message in WRONG:
    c.file("wrong.ptx", PTX[: PTX.index("heddle.dot")] + line + "\nret;\n}\n")
    c.expect(2, message, "compile", "wrong.ptx", "-o", "wrong.hko", absent=["wrong.hko"])
c.end()
