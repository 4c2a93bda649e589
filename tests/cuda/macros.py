#!/usr/bin/env python3
"""macros.py HEDDLE: a program's macros with short names do not reach into our headers. Every letter and usual word that neither CUDA nor C++ fixes is
defined before all headers, as something that no code can contain."""
import os
import pathlib
import string
import subprocess
import sys
import tempfile

HEDDLE = os.path.abspath(sys.argv[1])
LIB = pathlib.Path(__file__).resolve().parents[2] / "lib"
FIXED = "fwxyz"  # members of vectors and of cudaChannelFormatDesc
WORDS = """ab at ax ay bx by of old own pp was now low high bits rest some seen lane lanes mask pred warp warps word words tile item label packed group
groups blocks threads thread nodes node kernels upper lower drop sign exponent fraction child types kernel_address Size Group Op Parent Other Most Kernel Arguments""".split()
GIVEN = 30  # macros of a command
failures = 0


def check(good, what, done):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {what}\nstatus {done.returncode}\n{done.stdout}{done.stderr[:4000]}")


def works(path):
    """Not a header that only says what is absent, and not one that stands in for the compiler's."""
    return path.parent.name != "bits" and not path.read_text().startswith("#error")


headers = [path.relative_to(LIB / "cuda").as_posix() for path in sorted((LIB / "cuda").rglob("*.h")) if works(path)]
names = [name for name in string.ascii_letters if name not in FIXED] + WORDS
assert len(headers) > 40
define = "".join(f"#undef {name}\n#define {name} @\n" for name in names)
runtime = ["cuda.h", "cuda_runtime_api.h", "cuda_runtime.h", "cuComplex.h", "vector_functions.h"]
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)

    def include(files):
        return "".join(f"#include <{name}>\n" for name in files)

    (folder / "all.cu").write_text(define + include(headers) + "#ifdef __CUDA_ARCH__\n" + include(["heddle_device.h", "heddle_vector.h"]) + "#endif\n__global__ void run() {}\n")
    for first in range(0, len(names), GIVEN):
        words = [f"-D{name}=@" for name in names[first : first + GIVEN]]
        done = subprocess.run([HEDDLE, "cc", "-c", "all.cu", "-o", "all.o", *words], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, f"CUDA, {' '.join(words)}", done)
    # The headers of the host, by any compiler.
    for language in "c", "c++":
        (folder / "host").write_text(define + include(runtime))
        done = subprocess.run(["gcc", "-x", language, "-fsyntax-only", f"-I{LIB}/cuda", "host"], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, f"a host's source in {language}", done)
    (folder / "all.cl").write_text(define + include(["heddle_device.h", "heddle_vector.h"]) + "kernel void run(void) {}\n")
    for first in range(0, len(names), GIVEN):
        words = [f"-D{name}=@" for name in names[first : first + GIVEN]]
        done = subprocess.run([HEDDLE, "compile", "all.cl", *words], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, f"OpenCL C, {' '.join(words)}", done)
print(f"{len(headers)} headers, {len(names)} macros, {failures} failures")
sys.exit(failures != 0)
