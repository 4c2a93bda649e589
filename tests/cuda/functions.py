#!/usr/bin/env python3
"""functions.py HEDDLE: device functions of CUDA sources against Python's, and what is refused, and where."""
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

heddle = sys.argv[1]

# expression in x (double) or f (float) -> what it must give, and how close
DOUBLES = {
    "sin(x)": math.sin, "cos(x)": math.cos, "tan(x)": math.tan, "exp(x)": math.exp, "log(x)": math.log, "log2(x)": math.log2,
    "log10(x)": math.log10, "log1p(x)": math.log1p, "expm1(x)": math.expm1, "sqrt(x)": math.sqrt, "std::sqrt(x)": math.sqrt,
    "rsqrt(x)": lambda x: 1 / math.sqrt(x), "cbrt(x)": lambda x: x ** (1 / 3), "rcbrt(x)": lambda x: x ** (-1 / 3),
    "pow(x, 1.7)": lambda x: x ** 1.7, "std::pow(x, 3)": lambda x: x ** 3, "atan2(x, 2.0)": lambda x: math.atan2(x, 2),
    "hypot(x, 3.0)": lambda x: math.hypot(x, 3), "fmod(x, 0.3)": lambda x: math.fmod(x, 0.3), "floor(x)": math.floor, "ceil(x)": math.ceil,
    "trunc(x)": math.trunc, "rint(x)": round, "round(x)": lambda x: math.floor(x + 0.5), "fabs(-x)": abs, "fdim(x, 1.0)": lambda x: max(x - 1, 0),
    "erf(x)": math.erf, "erfc(x)": math.erfc, "tgamma(x)": math.gamma, "lgamma(x)": math.lgamma, "sinh(x)": math.sinh, "cosh(x)": math.cosh,
    "tanh(x)": math.tanh, "asinh(x)": math.asinh, "atan(x)": math.atan, "exp2(x)": lambda x: 2 ** x, "exp10(x)": lambda x: 10 ** x,
    "sinpi(x)": lambda x: math.sin(math.pi * x), "cospi(x)": lambda x: math.cos(math.pi * x), "normcdf(x)": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
    "erfinv(erf(x / 2)) * 2": lambda x: x, "erfcinv(erfc(x))": lambda x: x, "normcdfinv(normcdf(x))": lambda x: x,
    "erfcx(x)": lambda x: math.exp(x * x) * math.erfc(x), "norm3d(x, 1.0, 2.0)": lambda x: math.sqrt(x * x + 5), "fma(x, x, 1.0)": lambda x: x * x + 1,
    "ldexp(x, 3)": lambda x: 8 * x, "(double)ilogb(x)": lambda x: math.floor(math.log2(x)), "logb(x)": lambda x: math.floor(math.log2(x)),
    "copysign(x, -1.0)": lambda x: -x, "max(x, 1.0f)": lambda x: max(x, 1), "min(1.0f, x)": lambda x: min(x, 1), "(double)__double2int_rn(x)": round,
    "(double)__double2ll_ru(x)": math.ceil, "(double)llround(x)": lambda x: math.floor(x + 0.5), "__longlong_as_double(__double_as_longlong(x))": float,
    "__hiloint2double(__double2hiint(x), __double2loint(x))": float, "remainder(x, 0.7)": lambda x: math.remainder(x, 0.7), "powi(x)": lambda x: x ** 5,
    "parts(x)": lambda x: math.frexp(x)[0] + 10 * math.frexp(x)[1] + math.modf(x)[0] * 100, "both(x)": lambda x: math.sin(x) + 2 * math.cos(x),
    "(double)isnan(x) + isinf(x) + 2 * isfinite(x) + 4 * signbit(-x)": lambda x: 6,
}
FLOATS = {
    "sinf(f)": math.sin, "cosf(f)": math.cos, "sin(f)": math.sin, "std::exp(f)": math.exp, "expf(f)": math.exp, "logf(f)": math.log, "powf(f, 1.5f)": lambda x: x ** 1.5,
    "sqrtf(f)": math.sqrt, "rsqrtf(f)": lambda x: 1 / math.sqrt(x), "std::abs(-f)": abs, "fmaxf(f, 1.0f)": lambda x: max(x, 1), "fminf(f, 1.0f)": lambda x: min(x, 1),
    "__sinf(f)": math.sin, "__cosf(f)": math.cos, "__expf(f)": math.exp, "__logf(f)": math.log, "__powf(f, 2.0f)": lambda x: x * x, "__fdividef(f, 3.0f)": lambda x: x / 3,
    "__frcp_rn(f)": lambda x: 1 / x, "__fsqrt_rn(f)": math.sqrt, "__fdiv_rn(f, 3.0f)": lambda x: x / 3, "__fadd_rz(f, 1.0f)": lambda x: x + 1, "__fmul_ru(f, 3.0f)": lambda x: 3 * x,
    "__fmaf_rd(f, f, 1.0f)": lambda x: x * x + 1, "__frsqrt_rn(f)": lambda x: 1 / math.sqrt(x), "__saturatef(f)": lambda x: min(x, 1), "roundf(f)": lambda x: math.floor(x + 0.5),
    "tanhf(f)": math.tanh, "erfcxf(f)": lambda x: math.exp(x * x) * math.erfc(x), "cbrtf(f)": lambda x: x ** (1 / 3), "(float)__float2int_rd(f)": math.floor,
    "(float)__float2uint_ru(f)": math.ceil, "(float)lrintf(f)": round, "__int_as_float(__float_as_int(f))": float, "__half2float(__float2half(f))": lambda x: struct.unpack("e", struct.pack("e", x))[0],
    "exp10f(f)": lambda x: 10 ** x, "acosf(f / 4)": lambda x: math.acos(x / 4), "asinf(f / 4)": lambda x: math.asin(x / 4), "atanf(f)": math.atan, "acoshf(f + 1)": lambda x: math.acosh(x + 1),
}
# of unsigned u
INTEGERS = {
    "__popc(u)": lambda u: bin(u).count("1"), "__clz(u)": lambda u: 32 - u.bit_length(), "__ffs(u)": lambda u: (u & -u).bit_length(),
    "__brev(u)": lambda u: int(f"{u:032b}"[::-1], 2), "__byte_perm(u, 0x11223344, 0x7531)": lambda u: 0x11330000 | (u >> 24) << 8 | (u >> 8 & 255),
    "__umulhi(u, 0x12345678)": lambda u: u * 0x12345678 >> 32, "__umul24(u, 5)": lambda u: (u & 0xffffff) * 5 & 0xffffffff, "__usad(u, 100, 7)": lambda u: abs(u - 100) + 7,
    "__funnelshift_l(u, 1, 5)": lambda u: (1 << 5 | u >> 27) & 0xffffffff, "__funnelshift_r(u, 1, 5)": lambda u: ((1 << 32 | u) >> 5) & 0xffffffff,
    "__uhadd(u, 3)": lambda u: (u + 3) >> 1, "__popcll((unsigned long long)u * u)": lambda u: bin(u * u).count("1"), "__clzll((long long)u)": lambda u: 64 - u.bit_length(),
    "(unsigned)__mulhi((int)u, 77)": lambda u: ((u - (u >> 31 << 32)) * 77 >> 32) & 0xffffffff, "max(u, 1000)": lambda u: max(u, 1000), "min(u, 1000u)": lambda u: min(u, 1000),
    "(unsigned)__umul64hi(u * 0x100000001ull, 0x8000000000000000ull)": lambda u: (u * 0x100000001 << 63 >> 64) & 0xffffffff, "__fns(u, 4, 2)": lambda u: nth(u, 4, 2),
    "__fns(u, 20, -2)": lambda u: nth(u, 20, -2), "__fns(u, 3, 0)": lambda u: 3 if u >> 3 & 1 else 0xffffffff, "(unsigned)__dp4a((int)u, 0x01010101, 0)": lambda u: sum_of_bytes(u),
}


def nth(u, base, n):
    bits = [b for b in (range(base, 32) if n > 0 else range(base, -1, -1)) if u >> b & 1]
    return bits[abs(n) - 1] if len(bits) >= abs(n) else 0xffffffff


def sum_of_bytes(u):
    return sum(struct.unpack("4b", struct.pack("I", u))) & 0xffffffff


XS = [0.1, 0.37, 0.8125, 1.25, 2.71875, 3.5]
US = [1, 0x80000001, 0x12345678, 0xf0f0f0f0, 0xffffffff, 99]
HELPERS = """
#include <cmath>
#include <cuda_fp16.h>
static __device__ double powi(double x) { return pow(x, 5); }
static __device__ double parts(double x) { int e; double w, m = frexp(x, &e), r = modf(x, &w); return m + 10 * e + r * 100; }
static __device__ double both(double x) { double s, c; sincos(x, &s, &c); return s + 2 * c; }
"""


def read(path, code):
    data = pathlib.Path(path).read_bytes()
    return [v[0] for v in struct.iter_unpack("<" + code, data[10 + struct.unpack("<H", data[8:10])[0]:])]


def table(folder, name, rows, values, code, letter, c_type, tolerance):
    body = "\n".join(f"    out[n * {i} + t] = {expression};" for i, expression in enumerate(rows))
    listed = ", ".join(repr(v) + ("u" if code == "I" else "") for v in values)
    source = folder / f"{name}.cu"
    source.write_text(HELPERS + f"__constant__ {c_type} values[] = {{{listed}}};\n"
                      f"__global__ void k({c_type} *out) {{\n    int t = threadIdx.x, n = blockDim.x;\n    {c_type} {letter} = values[t];\n{body}\n}}\n")
    numpy = {"d": "f64", "f": "f32", "I": "u32"}[code]
    out = folder / f"{name}.npy"
    command = [heddle, "run", source, "--functional", "--quiet", "--block", str(len(values)), "--arg", f"out:{out}:{numpy}:{len(rows) * len(values)}"]
    subprocess.run(command, check=True)
    got = read(out, code)
    wrong = 0
    for i, (expression, want) in enumerate(rows.items()):
        for t, value in enumerate(values):
            x = struct.unpack("<f", struct.pack("<f", value))[0] if code == "f" else value
            expected, found = want(x), got[i * len(values) + t]
            # The bound of an approximation is an absolute error.
            if abs(found - expected) > tolerance * max(1, abs(expected)):
                print(f"{expression} of {value}: {found}, expected {expected}")
                wrong += 1
    return wrong


REFUSED = {
    "textures": ("texture<float, 1> t;\n__global__ void k(float *p) { }", "refused.cu:2:", "texture references are not part of this machine"),
    "random numbers": ("#include <curand_kernel.h>\n__global__ void k() { }", "curand_kernel.h", "cuRAND is a library of NVIDIA"),
    "Bessel": ("__global__ void k(float *p) { p[0] = j0f(p[1]); }", "refused.cu", "__nv_j0f"),
}


def refused(folder):
    wrong = 0
    for name, (text, place, message) in REFUSED.items():
        source = folder / "refused.cu"
        source.write_text("// line 1\n" + text + "\n")
        done = subprocess.run([heddle, "compile", source, "-o", folder / "refused.hko"], capture_output=True, text=True)
        if done.returncode == 0 or place not in done.stderr or message not in done.stderr:
            print(f"{name}: status {done.returncode}, said:\n{done.stderr}")
            wrong += 1
    return wrong


PRINTS = """
#include <cassert>
#include <cstdio>
__device__ char *held[32];
__global__ void k(int *out, int most) {
    int i = threadIdx.x;
    held[i] = (char *)malloc(i * 100);
    for (int k = 0; k < i * 100; k++) held[i][k] = (char)(i + k);
    int apart = 1;
    for (int k = 0; k < 32; k++)
        if (k != i && held[k] && held[i] && held[k] < held[i] + i * 100 && held[i] < held[k] + k * 100) apart = 0;
    __syncthreads();
    for (int k = 0; k < i * 100; k++) apart &= held[i][k] == (char)(i + k);
    free(held[i]);
    char *again = (char *)malloc(i * 100 + 1);
    held[i] = (char *)malloc(9u << 20);
    int refused = held[i] == nullptr;
    out[i] = apart + 2 * (again != nullptr) + 4 * refused + 8 * (i || !held[0]);
    held[i] = again;
    if (i == 3) {
        int n = printf("%d|%5.1f|%s|%c|%lld|%-4u|%*d|%%|%x\\n", i, 2.25, "text", 'c', -5000000000LL, 7u, 6, -i, 255);
        printf("%d\\n", n);
    }
    assert(i < most);
}
"""


def prints(folder):
    source, out = folder / "prints.cu", folder / "prints.npy"
    source.write_text(PRINTS.replace("\\\\n", "\\n"))
    wrong = 0
    for functional in ([], ["--functional"]):
        for most, status in ((32, 0), (20, 1)):
            command = [heddle, "run", source, *functional, "--quiet", "--block", "32", "--arg", f"out:{out}:i32:32", "--arg", f"i32:{most}"]
            done = subprocess.run(command, capture_output=True, text=True)
            expected = "3|  2.2|text|c|-5000000000|7   |    -3|%|ff\n9\n"
            for i in range(most, 32):
                expected += f"{source}:24: void k(int *, int): block: [0,0,0], thread: [{i},0,0] Assertion `i < most` failed.\n"
            if done.returncode != status or done.stdout != expected or (status == 0 and read(out, "i") != [15] * 32):
                print(f"prints, at most {most}: status {done.returncode}\n{done.stdout}expected\n{expected}{done.stderr}{read(out, 'i') if out.exists() else ''}")
                wrong += 1
    return wrong


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    wrong = table(folder, "doubles", DOUBLES, XS, "d", "x", "double", 1e-12)
    wrong += table(folder, "floats", FLOATS, XS, "f", "f", "float", 2e-6)
    wrong += table(folder, "integers", INTEGERS, US, "I", "u", "unsigned", 0)
    wrong += refused(folder) + prints(folder)
print(f"{len(DOUBLES) + len(FLOATS) + len(INTEGERS)} functions, {len(REFUSED)} refusals, {wrong} wrong")
sys.exit(wrong != 0)
