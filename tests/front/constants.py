"""Constants of every kind of aggregate have the bytes that gcc gives them: random structures, unions and arrays of scalars, vectors of every width, halves,
bit-fields, packed and aligned, with negative zeros and payloads of NaN, in OpenCL's constant memory and in CUDA's. The second argument is the clang."""
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cases, values  # noqa: E402

SCALARS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "half": 2, "float": 4, "double": 8}
COUNT, SEEDS = 40, 3
ATTRIBUTES = "#define PACKED __attribute__((packed))\n#define ALIGNED(n) __attribute__((aligned(n)))\n"
UNSIGNED = "".join(f"typedef unsigned {t} u{t};\n" for t in ("char", "short", "int", "long"))
HOST = "#include <stdio.h>\ntypedef _Float16 half;\n" + UNSIGNED + ATTRIBUTES


class Maker:
    """One program: the types' text and the constants', for the host (without vectors) and for the device."""

    def __init__(self, seed, cuda):
        self.random, self.cuda, self.types = random.Random(seed), cuda, []
        self.scalars = [t for t in SCALARS if t != "half" or not cuda]
        self.names = 0

    def scalar(self, name):
        r = self.random
        if name == "half":
            return f"(half){r.choice(['-0.0f', '1.5f', '0x1p-24f', '-65504.0f', '0.333251953125f'])}"
        if name in ("float", "double"):
            f = "f" if name == "float" else ""
            return r.choice([f"-0.0{f}", f"{r.uniform(-9, 9):.6e}{f}", f'__builtin_nan{f}("0x{r.randrange(1, 1 << 20):x}")', f"-__builtin_inf{f}()"])
        bits = 8 * SCALARS[name]
        return f"({name}){r.randrange(1 << (bits - 1))}u{'l' * (bits == 64)}"

    def vector(self):
        name, n = self.random.choice(self.scalars), self.random.choice([2, 3, 3, 3, 4, 8, 16])
        size = SCALARS[name] * (4 if n == 3 else n)
        kind = f"{name}_{n}"
        host = f"typedef struct {{ {name} v[{n}]; }} ALIGNED({size}) {kind};"
        device = f"typedef {name} {kind} __attribute__((ext_vector_type({n})));"
        if (host, device) not in self.types:
            self.types.append((host, device))
        parts = ", ".join(self.scalar(name) for _ in range(n))
        return kind, f"{{{{ {parts} }}}}", f"{{ {parts} }}" if self.cuda else f"({kind})({parts})"

    def any(self, depth):
        """A type's name, and an initialiser for each side."""
        r = self.random
        kind = r.choice(["scalar", "vector", "vector"] if depth == 0 else ["scalar", "vector", "vector", "struct", "struct", "array", "union"])
        if kind == "scalar":
            name = r.choice(self.scalars)
            value = self.scalar(name)
            return name, value, value
        if kind == "vector":
            return self.vector()
        if kind == "array":
            name, host, device = self.any(depth - 1)
            n = r.randrange(1, 4)
            self.names += 1
            text = f"typedef struct {{ {name} a[{n + 1}]; }} A{self.names};"
            self.types.append((text, text))
            return f"A{self.names}", f"{{ {{ {', '.join([host] * n)} }} }}", f"{{ {{ {', '.join([device] * n)} }} }}"
        members = [self.any(depth - 1) for _ in range(r.randrange(1, 5))]
        self.names += 1
        name = f"T{self.names}"
        fields = "".join(f" {m[0]} m{i};" for i, m in enumerate(members))
        host, device = [m[1] for m in members], [m[2] for m in members]
        if kind == "union":
            host, device = host[:1], device[:1]
        elif self.cuda and r.randrange(3) == 0:  # OpenCL has no bit-fields
            fields += " uint b0 : 5; uint b1 : 13; uint b2 : 17;"
            bits = [f"{r.randrange(1 << n)}u" for n in (5, 13, 17)]
            host, device = host + bits, device + bits
        how = r.choice(["", "", "PACKED", "ALIGNED(64)"]) if kind == "struct" else ""
        text = f"typedef {kind} {{{fields} }} {how} {name};"
        self.types.append((text, text))
        return name, f"{{ {', '.join(host)} }}", f"{{ {', '.join(device)} }}"

    def program(self):
        constants = [self.any(3) for _ in range(COUNT)]
        space = "__constant__ const" if self.cuda else "constant"
        host = HOST + "".join(t[0] + "\n" for t in self.types) + "".join(f"const {c[0]} k{i} = {c[1]};\n" for i, c in enumerate(constants))
        host += "int main(void)\n{\n" + "".join(f'\tprintf("%zu", sizeof k{i}); for (size_t j = 0; j < sizeof k{i}; j++) printf(" %d", '
                                               f'((const unsigned char *)&k{i})[j]); puts("");\n' for i in range(COUNT)) + "}\n"
        device = (UNSIGNED if self.cuda else "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n") + ATTRIBUTES
        device += "".join(t[1] + "\n" for t in self.types) + "".join(f"{space} {c[0]} k{i} = {c[2]};\n" for i, c in enumerate(constants))
        head = 'extern "C" __global__ void k(unsigned *out, int at)' if self.cuda else "kernel void k(global uint *out, int at)"
        byte = "const unsigned char *" if self.cuda else "constant uchar *"
        device += f"{head}\n{{\n" + "".join(f"\tout[0] = sizeof k{i}; for (uint j = 0; j < sizeof k{i}; j++) out[j + 1] = (({byte})&k{i})[at + j]; "
                                            f"out += sizeof k{i} + 1;\n" for i in range(COUNT)) + "}\n"
        return host, device


os.environ["HEDDLE_CLANG"] = sys.argv[2]
c = Cases()
compared = 0
for cuda in (False, True):
    for seed in range(SEEDS):
        host, device = Maker(seed, cuda).program()
        name = "k.cu" if cuda else "k.cl"
        c.file("host.c", host)
        c.file(name, device)
        subprocess.run([os.environ.get("CC", "gcc"), "-w", "-std=gnu17", "host.c", "-o", "host"], cwd=c.root, check=True)
        wanted = [[int(word) for word in line.split()] for line in subprocess.run(["./host"], cwd=c.root, check=True, capture_output=True, text=True).stdout.splitlines()]
        total = sum(map(len, wanted))
        result = c.run("run", name, "--functional", "--arg", f"out:out.npy:u32:{total}", "--arg", "i32:0", "--quiet")
        c.check(result.status == 0, f"{name}, seed {seed}: runs", result)
        got = values(c.root / "out.npy") if result.status == 0 else [0] * total
        for i, row in enumerate(wanted):
            part, got = got[: len(row)], got[len(row) :]
            compared += len(row) - 1
            text = next(line for line in device.splitlines() if f" k{i} = " in line)
            at = next((j for j, (a, b) in enumerate(zip(part, row)) if a != b), None) if result.status == 0 else None
            c.check(at is None, f"{name}, seed {seed}: {text}\n  word {at} (0: the size): {part[at or 0]}, not {row[at or 0]}")

# Addresses stay where they belong, behind vectors and before them.
POINTERS = {
    "k.cl": """constant int x[3] = {5, 6, 7};
typedef struct { char c; constant int *before; short3 v; constant int *behind; int3 w[2]; } S;
constant S s[2] = {{1, x + 1, (short3)(2, 3, 4), x + 2, {(int3)(8, 9, 10), (int3)(11, 12, 13)}}, {14, x, (short3)(15, 16, 17), x + 1, {(int3)(18, 19, 20), (int3)(21, 22, 23)}}};
kernel void k(global uint *out, int i)
{
	constant S *p = s + i;
	out[0] = p->c; out[1] = *p->before; out[2] = p->v.z; out[3] = *p->behind; out[4] = p->w[i].y; out[5] = p->w[1 - i].z;
}
""",
    "k.cu": """typedef int int_3 __attribute__((ext_vector_type(3)));
__device__ int x[3] = {5, 6, 7};
struct S { char c; int *before; int_3 v; int *behind; int_3 w[2]; };
__constant__ S s[2] = {{1, x + 1, {2, 3, 4}, x + 2, {{8, 9, 10}, {11, 12, 13}}}, {14, x, {15, 16, 17}, x + 1, {{18, 19, 20}, {21, 22, 23}}}};
extern "C" __global__ void k(unsigned *out, int i)
{
	const S *p = s + i;
	out[0] = p->c; out[1] = *p->before; out[2] = p->v.z; out[3] = *p->behind; out[4] = p->w[i].y; out[5] = p->w[1 - i].z;
}
"""}
for name, text in POINTERS.items():
    c.file(name, text)
    for i, wanted in enumerate(([1, 6, 4, 7, 9, 13], [14, 5, 17, 6, 22, 20])):
        result = c.run("run", name, "--functional", "--arg", "out:out.npy:u32:6", "--arg", f"i32:{i}", "--quiet")
        c.check(result.status == 0 and list(values(c.root / "out.npy")) == wanted, f"{name} with pointers, {i}: not {wanted}", result)
print(f"{compared} bytes of {2 * SEEDS * COUNT} constants")
c.end()
