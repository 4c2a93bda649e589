#!/usr/bin/env python3
"""corners.py HEDDLE [NVCC]: every case of the programs in tests/cuda/corners, each in a process of its own that `heddle cudart` starts. `heddle cc`
builds the programs, and where NVCC is given, nvcc with the shared runtime builds it, too, and a few of tests/cuda/programs, which check themselves."""
import os
import pathlib
import subprocess
import sys
import tempfile

heddle, nvcc = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
folder = pathlib.Path(__file__).resolve().parent
# Programs of tests/cuda/programs that nvcc takes with its own headers, and that this architecture has. run_packings has stencil.
PROGRAMS = ["lambdas", "large_params", "large_tiles", "matrices"]
# Programs of units that are linked: the device's code of one has what another one calls, and the vendor's device runtime.
LINKED = {"children": ["programs/children.cu"], "units": ["units/first.cu", "units/second.cu"]}
# The output of cases.
SAYS = {"says_something": "x is 0 and zero\nx is 5 and not zero\n", "strings_of_printf": "bcdef global|s  |fixed cd 7 \n"}
TIMED = {"cooperative"}  # programs that run on the machine, too
WITH_CLANG = [heddle, "cc"]
WITH_NVCC = [nvcc, "-std=c++17", "--extended-lambda", "-cudart", "shared", "-arch=sm_75"]
wrong = 0


def build(compiler, sources, program):
    done = subprocess.run([*compiler, *sources, "-o", program], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{compiler[0]} {sources}: status {done.returncode}\n{done.stdout}{done.stderr}")


def run(*words, functional="1"):
    return subprocess.run([heddle, "cudart", "--", *words], capture_output=True, text=True, timeout=120, env={**os.environ, "HEDDLE_FUNCTIONAL": functional})


def tell(good, name, done):
    global wrong
    if not good:
        wrong += 1
        print(f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}")


def run_cases(compiler, program):
    total = 0
    for source in sorted(folder.glob("corners/*.cu")):
        build(compiler, [source], program)
        cases = run(program).stdout.split()
        for case, functional in [(case, "1") for case in cases] + [(case, "0") for case in cases if source.stem in TIMED]:
            done = run(program, case, functional=functional)
            tell(done.returncode == 0 and done.stdout == SAYS.get(case, ""), f"{compiler[0]}: {source.name}: {case}", done)
        total += len(cases)
    print(f"{compiler[0]}: {total} cases")
    tell(total >= 80, "the cases", run(program))


def run_packings(program):
    """Fat binaries of every packing that nvcc has, and two programs that cannot run and are told so in one line."""
    source = folder / "programs/stencil.cu"
    if "--compress-mode" in subprocess.run([nvcc, "--help"], capture_output=True, text=True).stdout:
        for mode in ["none", "speed", "size"]:
            build([*WITH_NVCC, f"--compress-mode={mode}"], [source], program)
            done = run(program)
            tell(done.returncode == 0, f"packed for {mode}", done)
    for words, says in [(["-arch=sm_75"], "-cudart shared"), (["-cudart", "shared", "-gencode", "arch=compute_75,code=sm_75"], "no PTX")]:
        build([nvcc, "-std=c++17", *words], [source], program)
        done = run(program)
        told = [line for line in done.stderr.splitlines() if line.startswith("heddle: error:")]
        tell(done.returncode != 0 and len(told) == 1 and says in told[0], " ".join(words), done)


with tempfile.TemporaryDirectory() as name:
    program = os.path.join(name, "corners")
    run_cases(WITH_CLANG, program)
    build(WITH_CLANG, [folder / source for source in LINKED["units"]], program)
    done = run(program)
    tell(done.returncode == 0, "units of clang", done)
    if nvcc:
        run_cases(WITH_NVCC, program)
        for each in PROGRAMS:
            build(WITH_NVCC, [folder / f"programs/{each}.cu"], program)
            done = run(program)
            tell(done.returncode == 0, each, done)
        build(WITH_NVCC, [folder / "programs/barrier.cu"], program)
        for functional in "01":
            done = run(program, functional=functional)
            tell(done.returncode == 0, f"barrier, functional {functional}", done)
        for each, sources in LINKED.items():
            build([*WITH_NVCC, "-rdc=true"], [folder / source for source in sources], program)
            done = run(program)
            tell(done.returncode == 0, each, done)
        run_packings(program)
print(f"{wrong} wrong")
sys.exit(1 if wrong else 0)
