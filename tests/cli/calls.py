"""Real subroutines (RC-8 to RC-15, docs/compiler.md): functions that are not inlined stay calls, from OpenCL C and CUDA: more arguments than registers take, small and wide types,
structures by value in both directions, vectors and 64-bit results, recursion with variables on the stack, pointers to functions as values and as arguments (CUDA; OpenCL C has none), in divergent code.
Each thread's result is what its own sequential execution gives, on every flow unit."""
from harness import Cases, values

M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
N = 40  # arguments: 32 go to registers
names = ", ".join(f"uint a{i}" for i in range(N))
COMMON = f"""
typedef struct {{ uint a; ulong b; uchar c; short d; uint more[5]; }} record;
FUNCTION uint many({names})
{{
	uint sum = 7;
	{" ".join(f"sum = sum * 3 + a{i};" for i in range(N))}
	return sum;
}}
FUNCTION int narrow(char a, uchar b, short c, ushort d, bool e) {{ return a * 3 + b * 5 + c * 7 + d * 11 + (e ? 13 : 0); }}
FUNCTION ulong wide(ulong a, uint b, ulong c) {{ return b & 1 ? a * c : a + (c << (b & 31)); }}
FUNCTION record change(record r, uint by)
{{
	record s = r;
	s.a += by;
	s.b = s.b * 5 + by;
	s.c += by;
	s.d -= by;
	for (uint i = 0; i < 5; i++)
		s.more[i] = r.more[4 - i] ^ by;
	return s;
}}
FUNCTION uint on_stack(uint n, PRIVATE uint *above)
{{
	uint own[3];
	own[0] = n * 3;
	own[1] = above[0] + 1;
	own[2] = above[1] ^ n;
	if (n == 0)
		return own[1] * 5 + own[2];
	uint below = n & 1 ? on_stack(n - 1, own) : on_stack(n / 2, own + 1);
	return below * 7 + own[0] + own[1] + own[2];
}}
KERNEL void use_many(GLOBAL uint *out)
{{
	uint i = THREAD;
	out[i] = i % 3 == 1 ? many({", ".join(f"i * {i + 3} + {i}" for i in range(N))}) : i;
}}
KERNEL void use_narrow(GLOBAL uint *out)
{{
	uint i = THREAD, x = i * 2654435761u;
	out[i] = (uint)narrow((char)x, (uchar)(x >> 8), (short)(x >> 4), (ushort)(x >> 12), (x >> 13) & 1);
}}
KERNEL void use_wide(GLOBAL uint *out)
{{
	uint i = THREAD;
	ulong a = wide((ulong)i * 0x123456789abcdefUL, i, ~(ulong)i);
	if (i & 2)
		a ^= wide(a, i + 1, a >> 7);
	out[i] = (uint)(a >> 32) ^ (uint)a;
}}
KERNEL void use_record(GLOBAL uint *out)
{{
	uint i = THREAD;
	record r;
	r.a = i; r.b = (ulong)i << 33; r.c = (uchar)(i + 250); r.d = (short)(i * 1000);
	for (uint k = 0; k < 5; k++)
		r.more[k] = i * k;
	for (uint k = 0; k < (i & 3); k++)
		r = change(r, i + k);
	out[i] = r.a + (uint)(r.b >> 32) * 3 + (uint)r.b * 5 + r.c * 7 + (uint)(int)r.d * 11 + r.more[0] * 13 + r.more[1] * 17 + r.more[4] * 19;
}}
KERNEL void use_stack(GLOBAL uint *out)
{{
	uint i = THREAD, top[2];
	top[0] = i; top[1] = i * 9;
	out[i] = on_stack(i % 13, top);
}}
"""
POINTERS = """typedef uint (*function)(uint, uint);
FUNCTION uint plus(uint a, uint b) { return a + b; }
FUNCTION uint minus(uint a, uint b) { uint r = a; for (uint i = 0; i < (b & 3); i++) r -= b + i; return r; }
FUNCTION uint apply(function f, uint a, uint b) { return f(a, b) * 2 + f(b, a); }
KERNEL void use_pointers(GLOBAL uint *out)
{
	uint i = THREAD;
	function f = i % 5 < 2 ? plus : minus;
	uint v = f(i * 3, i);
	if (i & 1)
		v ^= apply(f, v, i + 1);
	out[i] = v;
}
"""
OPENCL = """#define FUNCTION __attribute__((noinline))
#define KERNEL __kernel
#define GLOBAL __global
#define PRIVATE __private
#define THREAD get_local_id(0)
""" + COMMON + """
FUNCTION uint4 turn(uint4 a, float2 b, uint n) { return n & 1 ? a.wxyz + (uint)b.x : a.yzwx * (uint)b.y; }
FUNCTION double2 halves(double a, double2 b) { return (double2)(a * 0.5 + b.y, b.x - a); }
KERNEL void use_vectors(GLOBAL uint *out)
{
	uint i = THREAD;
	uint4 v = turn((uint4)(i, i + 1, i * 2, 7), (float2)(i * 2.0f, 3.0f), i);
	double2 d = halves(i, (double2)(100.0, i * 0.25));
	out[i] = v.x + v.y * 3 + v.z * 5 + v.w * 7 + (uint)(int)(d.x * 4) * 11 + (uint)(int)d.y * 13;
}
"""
CUDA = """#define FUNCTION __device__ __attribute__((noinline))
#define KERNEL extern "C" __global__
#define GLOBAL
#define PRIVATE
#define THREAD threadIdx.x
typedef unsigned int uint; typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned long ulong;
""" + COMMON + POINTERS


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def use_many(i):
    if i % 3 != 1:
        return i
    total = 7
    for k in range(N):
        total = (total * 3 + i * (k + 3) + k) & M32
    return total


def use_narrow(i):
    x = i * 2654435761 & M32
    return (signed(x, 8) * 3 + (x >> 8 & 255) * 5 + signed(x >> 4, 16) * 7 + (x >> 12 & 65535) * 11 + (13 if x >> 13 & 1 else 0)) & M32


def wide(a, b, c):
    return (a * c if b & 1 else a + (c << (b & 31))) & M64


def use_wide(i):
    a = wide(i * 0x123456789ABCDEF & M64, i, M64 - i)
    if i & 2:
        a ^= wide(a, i + 1, a >> 7)
    return (a >> 32) ^ (a & M32)


def use_record(i):
    a, b, c, d, more = i, i << 33, (i + 250) & 255, signed(i * 1000, 16), [i * k for k in range(5)]
    for k in range(i & 3):
        by = i + k
        a, b, c, d, more = (a + by) & M32, (b * 5 + by) & M64, (c + by) & 255, signed(d - by, 16), [more[4 - j] ^ by for j in range(5)]
    return (a + (b >> 32) * 3 + (b & M32) * 5 + c * 7 + d * 11 + more[0] * 13 + more[1] * 17 + more[4] * 19) & M32


def on_stack(n, above):
    own = [n * 3, above[0] + 1, above[1] ^ n]
    if n == 0:
        return (own[1] * 5 + own[2]) & M32
    below = on_stack(n - 1, own) if n & 1 else on_stack(n // 2, own[1:])
    return (below * 7 + sum(own)) & M32


def minus(a, b):
    return (a - sum(b + i for i in range(b & 3))) & M32


def use_pointers(i):
    f = (lambda a, b: (a + b) & M32) if i % 5 < 2 else minus
    v = f(i * 3, i)
    return v ^ (f(v, i + 1) * 2 + f(i + 1, v)) & M32 if i & 1 else v


def use_vectors(i):
    a = [i, i + 1, i * 2, 7]
    v = [x + i * 2 for x in (a[3], a[0], a[1], a[2])] if i & 1 else [x * 3 for x in (a[1], a[2], a[3], a[0])]
    d = (i * 0.5 + i * 0.25, 100.0 - i)
    return (v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7 + int(d[0] * 4) * 11 + int(d[1]) * 13) & M32


kernels = {"use_many": use_many, "use_narrow": use_narrow, "use_wide": use_wide, "use_record": use_record, "use_stack": lambda i: on_stack(i % 13, [i, i * 9])}
c = Cases()
c.file("c.cl", OPENCL)
c.file("c.cu", CUDA)
for source, more in (("c.cl", {"use_vectors": use_vectors}), ("c.cu", {"use_pointers": use_pointers})):
    result = c.run("compile", source, "--emit", "asm", "-o", "c.hasm")
    assembly = (c.root / "c.hasm").read_text() if result.status == 0 else ""
    c.check(result.status == 0 and assembly.count("call ") >= 8 and (source == "c.cl" or assembly.count("callx ") >= 3), f"{source}: calls stay calls", result)
    for settings in ([], ["--set", "divergence.mode=stack"]):
        result = c.run("compile", source, "-o", "c.hko", *settings)
        c.check(result.status == 0 and c.run("check", "c.hko", *settings).status == 0, f"{source} {settings}: compiles, and is proven", result)
        for kernel, expected in {**kernels, **more}.items():
            for mode in ([], ["--functional"]):
                result = c.run("run", "c.hko", "--kernel", kernel, "--block", 64, "--arg", "out:o.npy:u32:64", *settings, *mode)
                got = values(c.root / "o.npy") if result.status == 0 else []
                wrong = [i for i in range(64) if not got or got[i] != expected(i)]
                c.check(not wrong, f"{source} {kernel} {settings} {mode}: threads {wrong[:4]} are wrong", result)
c.end()
