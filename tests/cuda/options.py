#!/usr/bin/env python3
"""options.py HEDDLE [NVCC]: what `heddle cc` makes of nvcc's options for arithmetic: the instructions of each operation, which are those of NVCC where it is
given; results against exact ones; and functions of the library, which keep their bits."""
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

heddle, nvcc = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
SETS = [[], ["-O3"], ["-O0", "--fmad=false"], ["-ftz=true"], ["-prec-div", "false"], ["-prec-sqrt=false"], ["-use_fast_math"], ["-fmad=false", "--use_fast_math", "-ftz=false"],
        ["-use_fast_math", "-prec-div=true", "-prec-sqrt=true"], ["--", "-ffp-contract=off"], ["--", "-ffp-contract=fast"], ["--", "-ffast-math"], ["--", "-ffp-model=fast"]]
LOOSE = ("-ffast-math", "-ffp-model=fast")  # of clang: only the functions are compared, where results are finite
LEAST = Fraction(1, 2**126)
failures = 0


def check(ok, what):
    global failures
    if not ok:
        print("FAILED:", what)
        failures += 1


def mode(words):
    """fused, flushed, exact quotients, exact roots, fast functions"""
    text = " ".join(words).replace("-prec-div ", "-prec-div=").replace("--", "-")
    fast = "-use_fast_math" in text
    said = lambda name, default: f"-{name}=true" in text or (f"-{name}=false" not in text and default)
    return {"fused": said("fmad", True) and "contract=off" not in text, "flushed": said("ftz", fast), "quotient": said("prec-div", not fast),
            "root": said("prec-sqrt", not fast), "fast": fast}


# -- operations: expression in a, b, c; instructions by the mode --------------------------------------------------------------------------------------
# {} is .ftz where denormals are flushed. None: not compared.
OPERATIONS = {
    "a * b + c": lambda m: ["fma.rn{}"] if m["fused"] else ["add.rn{}", "mul.rn{}"],
    "a / b": lambda m: ["div.rn{}"] if m["quotient"] else ["div.approx{}"] if m["fast"] else ["div.full{}"],
    "1.0f / a": lambda m: ["rcp.rn{}"] if m["quotient"] else ["rcp.approx{}"],
    "sqrtf(c)": lambda m: ["sqrt.rn{}"] if m["root"] else ["sqrt.approx{}"],
    "a + b": lambda m: ["add.rn{}"],
    "fmaf(a, b, c)": lambda m: ["fma.rn{}"],
    "__fmul_rn(a, b)": lambda m: ["mul.rn{}"],
    "__fdiv_rn(a, b)": lambda m: ["div.rn{}"],
    "__frcp_rn(a)": lambda m: ["rcp.rn{}"],
    "__fsqrt_rn(c)": lambda m: ["sqrt.rn{}"],
    "__fadd_ru(a, b)": lambda m: ["add.rp{}"],
    "__double2float_rz((double)a * b)": lambda m: None,
    "__sinf(a)": lambda m: ["sin.approx{}"],
    "sinf(a)": lambda m: ["sin.approx{}"] if m["fast"] else None,
    "cosf(a)": lambda m: ["cos.approx{}"] if m["fast"] else None,
    "tanf(a)": lambda m: ["cos.approx{}", "div.approx{}", "sin.approx{}"] if m["fast"] else None,
    "expf(a)": lambda m: ["ex2.approx{}", "mul.rn{}"] if m["fast"] else None,
    "exp10f(a)": lambda m: ["ex2.approx{}", "mul.rn{}"] if m["fast"] else None,
    "logf(c)": lambda m: ["lg2.approx{}", "mul.rn{}"] if m["fast"] else None,
    "log2f(c)": lambda m: ["lg2.approx{}"] if m["fast"] else None,
    "log10f(c)": lambda m: ["lg2.approx{}", "mul.rn{}"] if m["fast"] else None,
    "powf(c, b)": lambda m: ["ex2.approx{}", "lg2.approx{}", "mul.rn{}"] if m["fast"] else None,
    "tanhf(a)": lambda m: ["tanh.approx"] if m["fast"] else None,
}
# Functions that no option replaces; their results are the same whatever the options, but for denormal numbers.
FUNCTIONS = ["fmodf(a, b)", "remainderf(a, b)", "hypotf(a, b)", "atan2f(a, b)", "cbrtf(a)", "erff(a)", "acosf(a)", "sinhf(a)", "log1pf(c)", "lgammaf(a)", "rsqrtf(c)", "fminf(a, b)"]
KEPT = ["sinf(a)", "cosf(a)", "tanf(a)", "expf(a)", "logf(c)", "powf(c, b)"]  # as these where functions are not fast
ALL = [*OPERATIONS, *FUNCTIONS]
KERNELS = "".join(f'extern "C" __global__ void k{i}(float *p, float a, float b, float c) {{ p[0] = {e}; }}\n' for i, e in enumerate(OPERATIONS))
N = 256
PROGRAM = KERNELS + f"""
#include <cstdio>
__global__ void all(const float *in, float *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out += i * {len(ALL)};
    {" ".join(f"out[{i}] = {e};" for i, e in enumerate(ALL))}
}}
int main()
{{
    float *d, *p;
    static float in[{3 * N}], out[{N * len(ALL)}];
    if (fread(in, sizeof in, 1, stdin) != 1 || cudaMalloc(&d, sizeof in) || cudaMalloc(&p, sizeof out) || cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice)) return 1;
    all<<<{N // 64}, 64>>>(d, p);
    return cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost) || fwrite(out, sizeof out, 1, stdout) != 1;
}}
"""


def instructions(ptx):
    """Of each kernel the instructions on floats but moves, sorted."""
    result = {}
    for number, body in re.findall(r"\.entry k(\d+)\((.*?)\n}", ptx, re.S):
        found = re.findall(r"^\s*([a-z][\w.]*)\.f32\s", body, re.M)
        # nvcc writes mul where it may not be fused for lack of a sum.
        result[list(OPERATIONS)[int(number)]] = sorted(re.sub(r"^(add|mul)(\.ftz)?$", r"\1.rn\2", f) for f in found if not re.match(r"(ld|st|mov)\b", f))
    return result


# -- exact results ----------------------------------------------------------------------------------------------------------------------------------
def rounded(x, nearest=round):
    """The Fraction to the nearest float, ties to even; with int to zero."""
    if x == 0:
        return x
    exponent = max(math.frexp(abs(x.numerator))[1] - math.frexp(x.denominator)[1] - 1, -127)
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while exponent > -126 and abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, -126) - 23)
    return nearest(x / unit) * unit


def root(x):
    """The square root, to far more bits than a float has."""
    return Fraction(math.isqrt((x.numerator << 300) // x.denominator), 1 << 150)


def small(x):
    return x != 0 and abs(x) < LEAST


def expected(e, m, a, b, c):
    """The result, and its bound in ulp."""
    exact = {"a + b": lambda: a + b, "fmaf(a, b, c)": lambda: a * b + c, "__fmul_rn(a, b)": lambda: a * b, "__fdiv_rn(a, b)": lambda: a / b, "__frcp_rn(a)": lambda: 1 / a,
             "__fsqrt_rn(c)": lambda: root(c), "__double2float_rz((double)a * b)": lambda: rounded(a * b, int)}
    if e in exact:
        return exact[e](), 0
    if e == "a * b + c":
        return (a * b + c, 0) if m["fused"] else (rounded(a * b) + c, 0)
    if e == "a / b":
        return a / b, 0 if m["quotient"] else 2
    if e == "1.0f / a":
        return 1 / a, 0 if m["quotient"] else 1
    if e == "sqrtf(c)":
        return root(c), 0 if m["root"] else 2
    x = float(a)
    if e == "expf(a)" and abs(x) < 80:
        return Fraction(math.exp(x)), 2 + abs(1.173 * x) if m["fast"] else 3
    if e in ("sinf(a)", "__sinf(a)", "cosf(a)") and 2**-60 < abs(x) <= math.pi:
        value = math.cos(x) if e == "cosf(a)" else math.sin(x)
        return Fraction(value), 2**-21 / ulp(value) if m["fast"] or e[0] == "_" else 4
    if e == "logf(c)" and c >= LEAST:
        value = math.log(c)
        return Fraction(value), max(3, 2**-21 / ulp(value)) if m["fast"] else 3
    return None, 0


def ulp(x):
    return 2.0 ** (max(math.frexp(float(x))[1] - 1, -126) - 23)


def compare(words, m, values, results):
    for i, (a, b, c) in enumerate(values):
        if m["flushed"]:
            a, b, c = (x if abs(x) >= LEAST else x * 0 for x in (a, b, c))
        for k, e in enumerate(OPERATIONS):
            got = results[i * len(ALL) + k]
            if 0 in (a, b) or ("b" in e and not m["quotient"] and abs(b) > LEAST**-1):
                continue
            want, bound = expected(e, m, *map(Fraction, (a, b, c)))
            if want is None or abs(want) >= 2**127 or (m["flushed"] and LEAST / 2 < abs(want) < 2 * LEAST and bound):
                continue
            if m["flushed"] and small(rounded(want)):
                check(got == 0, f"{words}: {e} of {a}, {b}, {c} is {got}, expected a zero")
                continue
            error = 0 if bound == 0 and got == rounded(want) else abs(Fraction(got) - want) / Fraction(ulp(want)) if math.isfinite(got) else math.inf
            check(error <= bound, f"{words}: {e} of {a.hex()}, {b.hex()}, {c.hex()} is {got.hex()}, {float(error):.3g} ulp from {float(want).hex()}, bound {bound}")


def inputs():
    source = random.Random(7)
    single = lambda x: struct.unpack("f", struct.pack("f", x))[0]
    values = []
    for i in range(N):
        scale = (2, 40, 124)[i % 3]
        draw = lambda: single(math.copysign(math.ldexp(source.uniform(1, 2), source.randrange(-scale, scale)), source.random() - 0.4))
        a, b, c = draw(), draw(), abs(draw())
        if i % 8 == 1:  # a denormal operand, or a denormal quotient
            a = single(a / abs(a) * math.ldexp(source.uniform(1, 2), -130))
        elif i % 8 == 2:
            b = single(math.ldexp(source.uniform(1, 2), -135))
        elif i % 8 == 3:
            a, b = single(math.ldexp(a / 2**math.frexp(a)[1], -100)), single(math.ldexp(b / 2**math.frexp(b)[1], 30))
        elif i % 8 == 4:
            c = -single(a * b) if 2**-100 < abs(a * b) < 2**100 and a * b < 0 else c  # the case that fusing changes
        values.append((a, b, c))
    return values


def same_functions(words, m, loose, values, base, results):
    for k, e in enumerate(ALL):
        if e not in FUNCTIONS and (e not in KEPT or m["fast"]):
            continue
        different = 0
        for i, v in enumerate(values):
            x, y = base[i * len(ALL) + k], results[i * len(ALL) + k]
            skipped = not math.isfinite(x) if loose else m["flushed"] and (small(x) or any(map(small, v)))
            different += not skipped and struct.pack("f", x) != struct.pack("f", y) and not (x != x and y != y)
        check(not different, f"{words}: {different} results of {e} differ from those without options")


with tempfile.TemporaryDirectory() as name:
    at = pathlib.Path(name)
    (at / "all.cu").write_text(PROGRAM)
    (at / "k.cu").write_text(KERNELS)
    values, base = inputs(), None
    bytes_in = struct.pack(f"{3 * N}f", *(x for v in values for x in v))
    for words in SETS:
        m, loose = mode(words), bool(set(words) & set(LOOSE))
        done = subprocess.run([heddle, "cc", "all.cu", "-o", "all", *words], cwd=at, capture_output=True, text=True)
        check(done.returncode == 0, f"{words}: {done.stderr}")
        if done.returncode:
            continue
        got = instructions((at / "all").read_bytes().decode("latin-1"))
        theirs = None
        if nvcc and "--" not in words:
            subprocess.run([nvcc, "-ptx", "-arch=sm_75", "k.cu", "-o", "k.ptx", *words], cwd=at, check=True, capture_output=True)
            theirs = instructions((at / "k.ptx").read_text())
        for e, rule in OPERATIONS.items():
            want = rule(m) and not loose and sorted(w.replace("{}", ".ftz" * m["flushed"]) for w in rule(m))
            check(not want or got.get(e) == want, f"{words}: {e} is {got.get(e)}, expected {want}")
            check(not want or not theirs or theirs[e] == want, f"{words}: {e} is {theirs and theirs[e]} of nvcc, expected {want}")
        ran = subprocess.run([at / "all"], input=bytes_in, capture_output=True, env={**os.environ, "HEDDLE_FUNCTIONAL": "1"})
        check(ran.returncode == 0, f"{words}: {ran.stderr}")
        if ran.returncode:
            continue
        results = struct.unpack(f"{N * len(ALL)}f", ran.stdout)
        base = base or results
        if not loose:
            compare(words, m, values, results)
        same_functions(words, m, loose, values, base, results)
print(f"{failures} failures")
sys.exit(failures != 0)
