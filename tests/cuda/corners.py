#!/usr/bin/env python3
"""corners.py HEDDLE NVCC: every case of tests/cuda/corners/corners.cu, which nvcc builds with the shared runtime, each in a process of its own that
`heddle cudart` starts; and the whole programs of tests/cuda/programs, which check themselves."""
import os
import pathlib
import subprocess
import sys
import tempfile

heddle, nvcc = os.path.abspath(sys.argv[1]), sys.argv[2]
folder = pathlib.Path(__file__).resolve().parent
# What of tests/cuda/programs nvcc takes with its own headers, and this architecture has.
PROGRAMS = ["lambdas", "stencil", "matrices"]
OPTIONS = ["-std=c++17", "--extended-lambda", "-cudart", "shared", "-arch=sm_75"]


def build(source, program):
    done = subprocess.run([nvcc, *OPTIONS, source, "-o", program], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"nvcc {source}: status {done.returncode}\n{done.stdout}{done.stderr}")


def run(*words):
    return subprocess.run([heddle, "cudart", "--", *words], capture_output=True, text=True, timeout=120, env={**os.environ, "HEDDLE_FUNCTIONAL": "1"})


wrong = 0
with tempfile.TemporaryDirectory() as name:
    program = os.path.join(name, "corners")
    build(folder / "corners/corners.cu", program)
    cases = run(program).stdout.split()
    for case in cases:
        done = run(program, case)
        good = done.returncode == 0
        if case == "says_something":
            good = good and done.stdout == "x is 0 and zero\nx is 5 and not zero\n"
        if not good:
            wrong += 1
            print(f"{case}: status {done.returncode}\n{done.stdout}{done.stderr}")
    for each in PROGRAMS:
        build(folder / f"programs/{each}.cu", program)
        done = run(program)
        if done.returncode or "right" not in done.stdout and "three types" not in done.stdout:
            wrong += 1
            print(f"{each}: status {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{len(cases)} cases and {len(PROGRAMS)} programs, {wrong} wrong")
sys.exit(1 if wrong or len(cases) < 30 else 0)
