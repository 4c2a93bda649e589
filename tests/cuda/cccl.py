#!/usr/bin/env python3
"""cccl.py HEDDLE HEADERS: programs with Thrust, CUB and libcu++ of the CUDA toolkit that `heddle cc` builds and that check themselves."""
import os
import pathlib
import subprocess
import sys
import tempfile

heddle, headers = os.path.abspath(sys.argv[1]), sys.argv[2]
failures = 0
with tempfile.TemporaryDirectory() as build:
    for source in sorted((pathlib.Path(__file__).resolve().parent / "cccl").glob("*.cu")):
        program = pathlib.Path(build) / source.stem
        done = subprocess.run([heddle, "cc", "-I", headers, source, "-o", program], capture_output=True, text=True)
        if done.returncode == 0:
            done = subprocess.run([heddle, "cudart", "--", program], capture_output=True, text=True)
        if done.returncode or done.stdout != "right\n":
            failures += 1
            print(f"{source.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{failures} failures")
sys.exit(failures != 0)
