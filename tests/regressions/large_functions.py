"""Functions of every shape that bench/shapes.c knows. Compilation once took a time that grew with the second to third power of the size: 16,000
instructions of half of the shapes took 5 to 40 seconds.

  - 20,000 instructions are compiled within CPU_SECONDS and MEGABYTES, which leaves room for a slow machine and a sanitizer.
  - 1,500 instructions are proven, and give the interpreter's bytes on the machine. This size has branches over many resume points, blocks that are
    scheduled in parts, and branches that wait for all that is open."""
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cases  # noqa: E402

import os  # noqa: E402

SANITIZED = "HEDDLE_SANITIZED" in os.environ
LARGE, SMALL = (4000 if SANITIZED else 20000), (400 if SANITIZED else 1500)
CPU_SECONDS, MEGABYTES = 20, 400
generator, cases = sys.argv.pop(), Cases()
shapes = subprocess.run([generator, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
cases.check(len(shapes) > 15, f"shapes: {shapes}")


def emit(shape, n):
    path = cases.root / f"{shape}-{n}.ptx"
    path.write_bytes(subprocess.run([generator, "--emit", shape, str(n)], capture_output=True, check=True).stdout)
    return path


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))


for shape, threads in map(str.split, shapes):
    large = cases.run("compile", emit(shape, LARGE), "-o", "large.hko", before=limits)
    cases.check(large.status == 0, f"{shape}: {LARGE} instructions within {CPU_SECONDS} s and {MEGABYTES} MB", large)
    small, outputs = emit(shape, SMALL), []
    result = cases.run("check", small, "--quiet")
    cases.check(result.status == 0, f"{shape}: proven", result)
    for way in ([], ["--functional"]):
        result = cases.run("run", small, "--block", threads, "--arg", f"rand:u32:{SMALL + 128}:7", "--arg", f"out:out.npy:u32:{SMALL + 128}", *way)
        cases.check(result.status == 0, f"{shape} {way}: runs", result)
        outputs.append((cases.root / "out.npy").read_bytes() if result.status == 0 else None)
    cases.check(outputs[0] == outputs[1], f"{shape}: the interpreter's bytes")
cases.end()
