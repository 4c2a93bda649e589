#!/usr/bin/env python3
"""spirv.py TOOL EXAMPLES PLATFORMS HEDDLE TEST: programs in SPIR-V, made here by TOOL (tools/spirv.sh).

PLATFORMS runs every example from source and from SPIR-V, and every bit must be the same. HEDDLE compiles one, and refuses damaged ones. TEST is
test_spirv.c, and gets the folder of its programs."""
import array
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

tool, examples, platforms, heddle, test = sys.argv[1:]
bad = []


def translate(source, folder, std):
    result = folder / (source.stem + ".spv")
    subprocess.run([tool, source, result, f"-cl-std={std}"], check=True)


def run(what, *command, **environment):
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if result.returncode:
        bad.append(f"{what}: exit status {result.returncode}\n{result.stdout[-4000:]}{result.stderr[-4000:]}")
    return result.stdout


def check_damage(good, folder):
    """Truncations and changed words: a message and exit status 2, or an object; no other end. (Every byte is tried by the fuzz target.)"""
    place = folder / "damaged.spv"
    words = [good[i:i + 4] for i in range(0, len(good), 4)]
    cases = [good[:n] for n in (0, 3, 4, 19, 20, 24, len(good) // 2, len(good) - 4)]
    for at in range(3, len(words), max(1, len(words) // 24)):
        changed = list(words)
        changed[at] = bytes(b ^ 0x15 for b in words[at])
        cases.append(b"".join(changed))
    for number, bytes_ in enumerate(cases):
        place.write_bytes(bytes_)
        result = subprocess.run([heddle, "compile", place, "-o", folder / "damaged.hko"], capture_output=True, text=True)
        if result.returncode not in (0, 2) or (result.returncode == 2) != ("error: " in result.stderr):
            bad.append(f"damaged file {number}: exit status {result.returncode}: {result.stderr[:500]}")


def check_without_names(folder):
    """Names of functions are no part of a program: OpName (5), OpMemberName (6), and the export of a function (OpDecorate 71, LinkageAttributes 41)."""
    place = folder / "nameless.spv"
    for path in sorted(set(folder.glob("*.spv")) - {folder / "spirv_calls.spv"}):  # that one is half of a program
        words = array.array("I", path.read_bytes())
        kept, at = words[:5], 5
        while at < len(words):
            operation, length = words[at] & 0xffff, words[at] >> 16
            export = operation == 71 and words[at + 2] == 41 and words[at + length - 1] == 0
            if operation not in (5, 6) and not export:
                kept += words[at:at + length]
            at += length
        place.write_bytes(kept.tobytes())
        run(f"{path.name} without names", heddle, "compile", str(place), "-o", str(folder / "nameless.hko"))
    place.unlink()


def check_cache(folder):
    """A module is translated once."""
    wrapper, runs = folder / "translator", folder / "runs"
    wrapper.write_text(f'#!/bin/sh\necho run >>{runs}\nexec {shutil.which("llvm-spirv-14")} "$@"\n')
    wrapper.chmod(0o755)
    counts = []
    for _ in range(2):
        runs.write_text("")
        run("an example from the cache", platforms, "--spirv", str(folder), "--size", "0", "saxpy", HEDDLE_LLVM_SPIRV=str(wrapper), XDG_CACHE_HOME=str(folder))
        counts.append(len(runs.read_text().splitlines()))
    if counts[0] == 0 or counts[1] != 0:
        bad.append(f"translations of a module in the first and the second process: {counts}, expected none in the second")


with tempfile.TemporaryDirectory() as directory:
    folder = pathlib.Path(directory)
    sources = [path for path in sorted(pathlib.Path(examples).glob("*/*.cl")) if path.parent.name not in ("grids", "graphics")]
    for source in sources:
        translate(source, folder, "CL1.2")
    for source in sorted(pathlib.Path(__file__).parent.glob("spirv_*.cl")):
        translate(source, folder, {"spirv_cplusplus": "clc++", "spirv_queues": "CL2.0"}.get(source.stem, "CL3.0"))
    print(run("the examples", platforms, "--spirv", str(folder), "--size", "1"))
    print(run("test_spirv", test, str(folder)))
    run("heddle compile", heddle, "compile", str(folder / "saxpy.spv"), "-o", str(folder / "saxpy.hko"))
    check_without_names(folder)
    check_cache(folder)
    check_damage((folder / "spirv_features.spv").read_bytes(), folder)
print("\n".join(bad) if bad else f"{len(sources)} examples, no difference")
sys.exit(1 if bad else 0)
