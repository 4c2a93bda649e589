#!/usr/bin/env python3
"""nvcc.py HEDDLE NVCC: PTX of NVIDIA's compiler for the programs of tests/cuda/programs is read, built and proven, for three architectures."""
import os
import pathlib
import subprocess
import sys
import tempfile

heddle, nvcc = os.path.abspath(sys.argv[1]), sys.argv[2]
folder = pathlib.Path(__file__).resolve().parent / "programs"
# paths calls what CUDA 13 no longer has. warps needs sm_80.
PROGRAMS = [("75", ["matrices", "groups", "stencil"]), ("80", ["warps", "allocation", "halves"]), ("90", ["halves", "lambdas"])]
failures = 0
with tempfile.TemporaryDirectory() as build:
    for architecture, names in PROGRAMS:
        for name in names:
            ptx = pathlib.Path(build) / f"{name}.{architecture}.ptx"
            done = subprocess.run([nvcc, "-ptx", f"-arch=sm_{architecture}", "--extended-lambda", "-std=c++17", folder / f"{name}.cu", "-o", ptx], capture_output=True, text=True)
            if done.returncode == 0:
                done = subprocess.run([heddle, "check", ptx, "--quiet"], capture_output=True, text=True)
            if done.returncode:
                failures += 1
                print(f"{name}, sm_{architecture}: status {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{failures} failures")
sys.exit(failures != 0)
