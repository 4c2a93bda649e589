#!/usr/bin/env python3
"""examples.py BUILD [--with COMPILER]... [--all] [--table] [--jobs N] [PROGRAM]...: the repository's examples as CUDA programs (examples/*/*.cu).

Each is built with `heddle cc` (COMPILER is `clang`, the default) or with nvcc and the shared runtime (COMPILER is its path). It runs in every size,
functional and on the machine, checks itself, and the bytes of its outputs must be those of the OpenCL form of the example on the OpenCL driver. No
kernel may have a data race. --all takes every preset, and proves the kernels. --table prints the cycles and the warp instructions of both forms in the largest size."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--with", dest="compilers", action="append", default=[])
parser.add_argument("--all", action="store_true")
parser.add_argument("--table", action="store_true")
parser.add_argument("--jobs", type=int, default=1)
parser.add_argument("programs", nargs="*")
options = parser.parse_intermixed_args()
build = options.build.resolve()
root = pathlib.Path(__file__).resolve().parents[2]
sys.argv[1] = str(build / "heddle")
os.environ["HEDDLE_SOURCE"] = str(root)
sys.path.insert(0, str(root / "tests/cli"))
from harness import npy

HEDDLE, OPENCL = sys.argv[1], build / "tests/kernels/heddle-examples"
# Programs of several examples; every other one has the name of its example.
EXAMPLES = {"matmul": ["matmul-naive", "matmul-tiled"], "unstructured": ["short-circuit", "state-machine", "early-exit", "interpreter"]}
# The OpenCL form of grids has no host program: `heddle run` launches these, and the program's outputs are sorted numbers and a sum.
GRIDS = "grids"
# Programs built by nvcc have their own exp, log and pow, whose results differ in the last bits. The program's check bounds the difference from the reference.
NEAR_WITH_NVCC = {"blackscholes", "lighting"}
PRESETS = ["heddle", *sorted(path.stem for path in (root / "src/config/presets").glob("*.yaml") if path.stem != "heddle")]
SKIPPED = 77
failures = []


def sources():
    """The programs by name. examples/last-use has kernels alone."""
    found = {path.stem: path for path in sorted(root.glob("examples/*/*.cu")) if "int main(" in path.read_text()}
    unknown = set(options.programs) - set(found)
    if unknown:
        sys.exit(f"no program {', '.join(sorted(unknown))}, expected {', '.join(found)}")
    return {name: path for name, path in found.items() if not options.programs or name in options.programs}


def run(*words, **variables):
    variables = {name: str(value) for name, value in variables.items()}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, env={**os.environ, **variables})


def check(good, what, done=None):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}" + (f"\nstatus {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}" if done else ""), flush=True)
    return good


def compiled(compiler, name, source, folder):
    program = folder / f"{name}-{'clang' if compiler == 'clang' else 'nvcc'}"
    words = [HEDDLE, "cc"] if compiler == "clang" else [compiler, "-std=c++17", "-cudart", "shared", "-arch=sm_75"]
    if compiler != "clang" and name == GRIDS:
        words += ["-rdc=true", "-lcudadevrt"]
    done = run(*words, source, "-o", program)
    return program if check(done.returncode == 0 and not done.stderr, f"{name}: built with {compiler}", done) else None


def size_words(size):
    return [] if size is None else ["--size", size]


def size_count(program):
    """From the program's usage."""
    done = run(program, "--size", "x")
    check(done.returncode == 2 and "sizes 0 to " in done.stderr, f"{program.name}: usage", done)
    return int(done.stderr.split()[-1]) + 1


def cuda(program, size, output, **variables):
    """The outputs of the program in one size, or, where `size` is None, in all sizes one after the other."""
    done = run(HEDDLE, "cudart", "--", program, *size_words(size), "--output", output, **variables)
    good = done.returncode == 0 and not done.stderr and all(line.endswith(": right") for line in done.stdout.splitlines())
    return output.read_bytes() if check(good, f"{program.name}: size {size} {variables}", done) else None


def opencl(name, size, folder, **variables):
    """The outputs of the OpenCL form; None where there is no OpenCL."""
    variables |= {"OCL_ICD_VENDORS": build / "opencl-vendors", "EX_OPENCL_PLATFORM": "Heddle"}
    outputs = b""
    for example in EXAMPLES.get(name, [name]):
        path = folder / f"{example}.opencl"
        done = run(OPENCL, "--opencl", *size_words(size), "--output", path, example, **variables)
        if done.returncode == SKIPPED:
            return None
        check(done.returncode == 0, f"{example}: size {size}, the OpenCL form", done)
        outputs += path.read_bytes()
    return outputs


def add_counts(totals, counts):
    for key in totals:
        totals[key] += counts[key]


def elements(path):
    """The bytes of a .npy file's elements."""
    data = path.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little") :]


def numbers_from(seed):
    """Random of example.cuh: splitmix64."""
    word = 2**64 - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & word
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & word
        z = (z ^ z >> 27) * 0x94D049BB133111EB & word
        yield z ^ z >> 31


def grids_opencl(size, folder, totals, machine="heddle", functional=True):
    """The outputs of quicksort and sum of grids.cl, which `heddle run` launches: they have no host program."""
    count, numbers = [1, 100, 5000][size], numbers_from(17)
    data, sums, report = folder / "data.npy", folder / "sums.npy", folder / "grids.json"
    below = [next(numbers) & 0xFFFFFFFF for _ in range(count)]
    terms = npy([next(numbers) & 0xFFFFFFFF for _ in range(count)], "u4")
    data.write_bytes(npy([n - (n >> 31 << 32) for n in below], "i4"))
    (folder / "terms.npy").write_bytes(terms)
    outputs = b""
    for kernel, block, size_of, result, arguments in [
        ("quicksort", 64, 4 * count, data, [f"inout:{data}", f"zero:i32:{count}", "u32:0", f"u32:{count}"]),
        ("sum", 1, 8, sums, [f"in:{folder}/terms.npy", f"out:{sums}:u64:1023", "u32:0", "u32:0", f"u32:{count}"]),
    ]:
        words = [word for argument in arguments for word in ("--arg", argument)]
        words += ["--functional"] if functional else ["--report", report]
        done = run(HEDDLE, "run", root / "examples/grids/grids.cl", "--config", machine, "--kernel", kernel, "--block", block, *words, "--quiet")
        check(done.returncode == 0, f"grids.cl: {kernel}", done)
        outputs += elements(result)[:size_of]
        if not functional:
            add_counts(totals, json.loads(report.read_text()))
    return outputs


def opencl_outputs(name, size, folder):
    return grids_opencl(size, folder, {}) if name == GRIDS else opencl(name, size, folder, HEDDLE_FUNCTIONAL=1)


def compare(compiler, name, program, size, machine, folder, expected):
    """In the interpreter, with a line on standard error for each race, if `machine` is None, or on the machine."""
    where = {"HEDDLE_FUNCTIONAL": 0, "HEDDLE_MACHINE": machine} if machine else {"HEDDLE_FUNCTIONAL": 1, "HEDDLE_RACES": 1}
    got = cuda(program, size, folder / f"{program.name}.cuda", **where)
    if got is None or expected is None or (compiler != "clang" and name in NEAR_WITH_NVCC):
        return
    check(got == expected, f"{name}: size {size}, {compiler}, {machine or 'interpreter'}: the outputs are not those of the OpenCL form")


def test(name, source):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        programs = {compiler: compiled(compiler, name, source, folder) for compiler in compilers}
        if None in programs.values():
            return
        # The outputs of several examples take turns, size by size.
        one_by_one = name in EXAMPLES or name == GRIDS
        sizes = range(size_count(next(iter(programs.values())))) if one_by_one else [None]
        for size in sizes:
            expected = opencl_outputs(name, size, folder)
            without.update([name] if expected is None else [])
            for compiler, program in programs.items():
                for machine in [None, *(PRESETS if options.all else PRESETS[:1])]:
                    compare(compiler, name, program, size, machine, folder, expected)
        if options.all:
            for preset in PRESETS:
                kernels = folder / f"{name}.hko"
                done = run(HEDDLE, "compile", source, "--config", preset, "-o", kernels)
                done = run(HEDDLE, "check", kernels, "--config", preset, "--quiet") if done.returncode == 0 else done
                check(done.returncode == 0, f"{name}: proven for {preset}", done)
    print(f"{name}: {', '.join(programs)}", flush=True)


def measured(name, program, size, folder, machine):
    """Cycles and warp instructions of all launches of the program, or of the OpenCL form where `program` is None."""
    totals, summary = {"cycles": 0, "warp_instructions": 0}, folder / "summary.json"
    variables = {"HEDDLE_FUNCTIONAL": 0, "HEDDLE_MACHINE": machine, "HEDDLE_SUMMARY": summary}
    if program:
        cuda(program, size, folder / "output", **variables)
    elif name == GRIDS:
        grids_opencl(size, folder, totals, machine, functional=False)
        return totals
    for example in [None] if program else EXAMPLES.get(name, [name]):
        if example and opencl(example, size, folder, **variables) is None:
            sys.exit("OpenCL, whose cycles the table has beside CUDA's, is not installed")
        add_counts(totals, json.loads(summary.read_text())["total"])
        summary.unlink()
    return totals


def table(machine="heddle"):
    columns = ["OpenCL", *("heddle cc" if compiler == "clang" else "nvcc" for compiler in compilers)]
    print("| example | " + " | ".join([*(f"cycles: {each}" for each in columns), *(f"instructions: {each}" for each in columns)]) + " |")
    print("|---|" + "--:|" * 2 * len(columns))
    for name, source in sources().items():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            programs = [compiled(compiler, name, source, folder) for compiler in compilers]
            if failures:
                sys.exit(1)
            size = size_count(programs[0]) - 1
            forms = [measured(name, program, size, folder, machine) for program in [None, *programs]]
        cells = []
        for key in ("cycles", "warp_instructions"):
            base = forms[0][key]
            cells += [str(base), *(f"{form[key]} ({form[key] / base:.2f})" for form in forms[1:])]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def usage(folder):
    """The helpers of the programs refuse options that they do not understand, and say when a file cannot be written."""
    program = compiled(compilers[0], "saxpy", root / "examples/saxpy/saxpy.cu", folder)
    for words in [["--size"], ["--size", "4"], ["--size", "-1"], ["--size", "1x"], ["--sizes", "1"], ["1"], ["--output", folder / "none/saxpy"]]:
        done = run(program, *words)
        check(done.returncode == 2 and done.stderr and not done.stdout, f"saxpy {words}", done)
    done = run(HEDDLE, "cudart", "--", program, HEDDLE_FUNCTIONAL=1)
    check(done.stdout == "".join(f"size {size}: right\n" for size in range(4)), "every size", done)


compilers, without = options.compilers or ["clang"], set()
with tempfile.TemporaryDirectory() as cache:
    os.environ.setdefault("XDG_CACHE_HOME", cache)
    if options.table:
        table()
    else:
        usage_folder = pathlib.Path(cache)
        usage(usage_folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda item: test(*item), sources().items()))
if without:
    print(f"not compared with OpenCL, which is not installed: {', '.join(sorted(without))}")
print(f"{len(failures)} failures") if not options.table else None
sys.exit(1 if failures else 0)
