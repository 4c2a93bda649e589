"""The functions of CUDA give the bits of OpenCL's, which conformance measures: no option of the caller, nor CUDA's fused products by default, reaches into
them."""
import math
import random
import struct

from harness import Cases, npy, values

ONE = """acos acosh asin asinh atan atanh cbrt cos cosh cospi erf erfc exp exp10 exp2 expm1 lgamma log log10 log1p log2 logb round rsqrt sin sinh sinpi tan tanh
tgamma ceil fabs floor rint sqrt trunc""".split()
TWO = "atan2 fdim fmod hypot nextafter pow remainder copysign fmax fmin".split()
N = 512  # pairs

c = Cases()
source = random.Random(5)


def inputs(kind):
    """Usual values, large ones, where sin and fmod reduce in steps, and any bits."""
    least, most = (-149, 127) if kind == "f4" else (-1074, 1023)
    code = {"f4": "f", "f8": "d"}[kind]
    result = []
    for i in range(2 * N):
        scale = (8, 60, most)[i // 2 % 3]
        result.append(math.copysign(math.ldexp(source.uniform(1, 2), source.randrange(max(least, -scale), scale)), source.random() - 0.3))
    result[:6] = [-2884066.0, 3.1, 1e10, 3.1, 1e30, 3.1]
    return [struct.unpack(code, struct.pack(code, x))[0] for x in result]


def calls(letter):
    return "".join(f"\to[{i * N}] = {name}{letter}({'x, y' if name in TWO else 'x'});\n" for i, name in enumerate(ONE + TWO))


for kind, name, letter in (("f4", "float", "f"), ("f8", "double", "")):
    c.file("in.npy", npy(inputs(kind), kind))
    c.file("k.cl", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
           f"kernel void k(global const {name} *in, global {name} *out)\n{{\n\tsize_t i = get_global_id(0);\n"
           f"\t{name} x = in[2 * i], y = in[2 * i + 1];\n\tglobal {name} *o = out + i;\n{calls('')}}}\n")
    c.file("k.cu", f'extern "C" __global__ void k(const {name} *in, {name} *out)\n{{\n\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n'
           f"\t{name} x = in[2 * i], y = in[2 * i + 1], *o = out + i;\n{calls(letter)}}}\n")
    results = []
    for file in ("k.cl", "k.cu"):
        result = c.run("run", file, "--functional", "--grid", N // 128, "--block", 128, "--arg", "in:in.npy",
                       "--arg", f"out:out.npy:f{8 * int(kind[1])}:{N * len(ONE + TWO)}", "--quiet")
        c.check(result.status == 0, f"{file} of {name} runs", result)
        results.append(values(c.root / "out.npy") if result.status == 0 else [0.0] * (N * len(ONE + TWO)))
    for i, function in enumerate(ONE + TWO):
        pairs = list(zip(*(r[i * N : (i + 1) * N] for r in results)))
        wrong = [k for k, (a, b) in enumerate(pairs) if struct.pack("<d", a) != struct.pack("<d", b) and not (a != a and b != b)]
        c.check(not wrong, f"{function} of {name}: {len(wrong)} values of {N} differ, the first {wrong[:1] and (wrong[0], *pairs[wrong[0]])}")

# A conversion of any NaN to a half is one NaN, in every rounding.
MODES = ["", "_rte", "_rtz", "_rtp", "_rtn"]
c.file("nan.cl", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global half *o, uint u, ulong v)\n{\n"
       + "".join(f"\to[{2 * i}] = convert_half{mode}(as_{name}({bits})); vstore_half{mode}(as_{name}({bits}), {2 * i + 1}, o);\n"
                 for i, (mode, name, bits) in enumerate([(m, *t) for m in MODES for t in (("float", "u"), ("double", "v"))])) + "}\n")
CUDA_MODES = ["", "_rn", "_rz", "_rd", "_ru"]
c.file("nan.cu", '#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nextern "C" __global__ void k(unsigned short *o, unsigned u, unsigned long long v)\n{\n'
       "\tfloat x = __uint_as_float(u); double y = __longlong_as_double(v);\n"
       + "".join(f"\to[{2 * i}] = __half_as_ushort(__float2half{mode}(x)); o[{2 * i + 1}] = __bfloat16_as_ushort(__float2bfloat16{mode}(x));\n"
                 for i, mode in enumerate(CUDA_MODES)) + "\to[10] = __half_as_ushort(__double2half(y)); o[11] = __bfloat16_as_ushort(__double2bfloat16(y));\n}\n")
for name, count in (("nan.cl", 20), ("nan.cu", 12)):
    for u, v in (("0xffc12345", "0xfff8123456789abc"), ("0x7f800001", "0x7ff0000000000001")):
        result = c.run("run", name, "--functional", "--any-type", "--arg", f"out:out.npy:u32:{count // 2}", "--arg", f"u32:{u}", "--arg", f"u64:{v}", "--quiet")
        got = values(c.root / "out.npy") if result.status == 0 else []
        c.check(all(word == 0x7FFF7FFF for word in got) and got, f"{name} of {u}: {[hex(word) for word in got]}", result)
c.end()
