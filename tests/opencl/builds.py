#!/usr/bin/env python3
"""How often the driver starts clang, and what clang reads: once for a program, twice where a library turns out to be needed after all, once for any
number of units to link."""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
CLANG = os.environ.get("HEDDLE_CLANG", "clang-19")
# Files by which clang's time differs: libclc, its functions of scalars, our functions, those of OpenCL C 3.0.
WORDS = ["nvptx64--nvidiacl", "heddle_scalars", "heddle_builtins", "heddle_opencl3"]
# Of a case: runs of clang, and how many of them have each word. Without heddle_scalars.bc, libclc takes its place.
EXPECTED = {
    "small": (1, 0, 0, 0, 0),
    "small3": (1, 0, 0, 0, 0),
    "mathematics": (1, 0, 1, 1, 0),
    "pasted": (2, 1, 0, 1, 0),
    "hundred": (1, 0, 0, 0, 0),
    "linked": (8 + 1, 1, 0, 1, 1),
}

failed = 0
with tempfile.TemporaryDirectory() as directory:
    root = pathlib.Path(directory)
    wrapper, runs = root / "clang", root / "runs"
    wrapper.write_text(f'#!/bin/sh\necho "$*" >>{runs}\nexec {CLANG} "$@"\n')
    wrapper.chmod(0o755)
    for case, expected in EXPECTED.items():
        runs.write_text("")
        r = subprocess.run([PROGRAM, "Heddle", "1", case], env={**os.environ, "HEDDLE_CLANG": str(wrapper), "HEDDLE_CACHE": "0"}, capture_output=True, text=True, timeout=300)
        lines = runs.read_text().splitlines()
        seen = len(lines), *(sum(word in line for line in lines) for word in WORDS)
        if r.returncode != 0 or seen != expected:
            failed += 1
            print(f"FAILED: {case}: (runs of clang, with each of {WORDS}) are {seen}, expected {expected}\n{r.stdout}{r.stderr}")
sys.exit(failed != 0)
