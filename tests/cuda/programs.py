#!/usr/bin/env python3
"""programs.py HEDDLE LIBRARY: every whole program of tests/cuda/programs compiles, and its kernels are proven. Where the runtime library is there,
`heddle cc` builds the program, which runs and checks its own results."""
import os
import pathlib
import subprocess
import sys
import tempfile

heddle, library = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
folder = pathlib.Path(__file__).resolve().parent / "programs"
# Kernels that must be found, instances of templates that only the host names among them.
KERNELS = {
    "allocation": ["build", "use"], "barrier": ["all_sums"], "bodies": ["forces"], "breadth": ["level"], "children": ["halve<int>"], "groups": ["groups"], "halves": ["work"], "histogram": ["histogram"],
    "lambdas": ["each"], "large_params": ["constant<8191>"], "large_tiles": ["of_block", "of_tiles"], "locks": ["flagged", "in_turn", "chained"], "matrices": ["product<float, 8>", "product<double, 4>", "product<int, 8>"], "overloads": ["on_device"], "paths": ["row"], "recycled": ["turns"], "reduction": ["sum"],
    "sparse": ["multiply<double>"], "stencil": ["step"], "vectors": ["add"], "warps": ["warps"],
}


def is_built(name, build):
    """The object, its kernels, and the proof. `heddle run` with a kernel that is not there lists those that are."""
    object_file = pathlib.Path(build) / f"{name}.hko"
    done = subprocess.run([heddle, "compile", folder / f"{name}.cu", "-o", object_file], capture_output=True, text=True)
    if done.returncode or done.stderr:
        return f"compile: status {done.returncode}\n{done.stderr}"
    done = subprocess.run([heddle, "run", object_file, "--kernel", "no_such_kernel"], capture_output=True, text=True)
    missing = [kernel for kernel in KERNELS[name] if kernel not in done.stderr]
    if missing:
        return f"no kernel {missing} in:\n{done.stderr}"
    done = subprocess.run([heddle, "check", object_file, "--quiet"], capture_output=True, text=True)
    return f"check: status {done.returncode}\n{done.stdout}{done.stderr}" if done.returncode else None


def is_right(name, build):
    program = pathlib.Path(build) / name
    done = subprocess.run([heddle, "cc", folder / f"{name}.cu", "-o", program], capture_output=True, text=True)
    if done.returncode:
        return f"heddle cc: status {done.returncode}\n{done.stdout}{done.stderr}"
    environment = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(library)}
    done = subprocess.run([program], capture_output=True, text=True, env=environment, timeout=120)
    if done.returncode or not done.stdout.endswith("right\n"):
        return f"status {done.returncode}\n{done.stdout}{done.stderr}"
    if name in ("large_params", "large_tiles", "recycled"):
        done = subprocess.run([program], capture_output=True, text=True, env={**environment, "HEDDLE_FUNCTIONAL": "1", "HEDDLE_RACES": "1"}, timeout=120)
        return f"races:\n{done.stderr}" if done.stderr else None
    if name == "allocation" and "thread 5 of 64: done 25.50\n" not in done.stdout:
        return f"printed\n{done.stdout}"
    return None


failures = 0
with tempfile.TemporaryDirectory() as build:
    for name in sorted(KERNELS):
        checks = [("build", is_built(name, build))]
        if library and os.path.exists(library):
            checks.append(("run", is_right(name, build)))
        for what, message in checks:
            if message:
                failures += 1
                print(f"{name}: {what}: {message}")
unknown = {path.stem for path in folder.glob("*.cu")} ^ set(KERNELS)
print(f"{len(KERNELS)} programs, {failures} failures" + (f", no row for {unknown}" if unknown else ""))
sys.exit(failures != 0 or bool(unknown))
