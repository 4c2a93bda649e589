#!/usr/bin/env python3
"""values.py HEDDLE [--arch 75,80,90] [SOURCE.cu ...]: machine code and PTX give the same values (SR-15).

Each kernel of the fixtures, or of the sources, which nvcc compiles to cubins and PTX, runs twice on the interpreters with the same arguments, made from
its parameters: both end alike, and every array is equal, byte for byte. KNOWN names kernels of tests/sass/kernels whose results may differ, and why."""
import argparse
import collections
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
N = 1024
KNOWN = {
    "divides by zero": ["i32_divide_signed", "i32_remainder", "i64_remainder_unsigned"],
    "approximate functions": ["fast_sine", "box_muller", "f64_reciprocal_root", "f64_gravity"],
    "a NaN's payload is the code's own": ["f64_square_root"],
    "reads a clock": ["i64_ticks"],
    "warps or lanes race": ["branch_nested", "device_variables", "generic_choice", "fences", "fence_count", "transpose_through_registers"],
    "the order of atomic operations": [
        "atomic_add", "atomic_subtract", "atomic_block_scope", "atomic_system_scope", "atomic_generic", "atomic_acquire_release", "atomic_shared_add",
        "atomic_shared_wide", "atomic_shared_compare"],
    "wants another block": ["shared_matrix_blocked", "layer_norm", "lattice_boltzmann", "sparse_vector"],
    "sm_90 has 1024 bytes of the system before shared memory": ["shared_dynamic", "shared_scan_tree", "shared_address"],
    "our own code runs the lanes at the least address first": ["waits"],
    "PTX of ours has no matrix products": ["product"],
    "calls a function of the system": ["print_nothing", "print_values", "allocate"],
}
REASON = {kernel: why for why, kernels in KNOWN.items() for kernel in kernels}


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")


def kernels_of(source):
    text = re.sub(r"^#define.*$", "", source.read_text(), flags=re.M)
    for found in re.finditer(r"(?:\bK\((\w+)\)|__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+))\s*\(([^)]*)\)", text):
        yield found[1] or found[2], [word.strip() for word in found[3].replace("\n", " ").split(",") if word.strip() not in ("", "void")]


def kind(parameter):
    rules = (("double", "d"), ("float", "f"), ("half|bfloat|short", "H"), ("char|bool", "B"), ("long|64|size_t", "q"), ("record|struct", "r"))
    return next((letter for pattern, letter in rules if re.search(pattern, parameter)), "I")


def array(letter, seed):
    draw, kinds = random.Random(seed), {"d": "<f8", "f": "<f4", "H": "<u2", "B": "|u1", "q": "<i8", "I": "<u4", "r": "<u4"}
    values = [draw.choice([draw.uniform(-2, 2), draw.uniform(0.5, 1.5), float(draw.randrange(-5, 9)), 1e-40]) for _ in range(N)]
    if letter == "H":
        values = [struct.unpack("H", struct.pack("e", draw.uniform(-2, 2)))[0] for _ in range(N)]
    elif letter not in "df":
        values = [draw.randrange(256 if letter == "B" else 64) for _ in range(N)]
    body = struct.pack(f"<{N}{letter.replace('r', 'I')}", *values)
    head = f"{{'descr': '{kinds[letter]}', 'fortran_order': False, 'shape': ({N},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


SCALARS = {"f": "f32:1.25", "d": "f64:1.25", "q": "i64:0x123456789a", "B": "u32:3", "H": "u32:3", "I": "u32:50", "r": "bytes:0500fbff" + "0700000011000000f3ffffff090000000b000000e7030000" + "00000000" + "000000000000f03f" + ""}


def launch(heddle, program, kernel, parameters, folder):
    command = [heddle, "run", program, "--functional", "--kernel", kernel, "--grid", "2", "--block", "64", "--shared", "4096", "--max-cycles", "1000000", "--any-type", "--quiet"]
    files = []
    for i, parameter in enumerate(parameters):
        if "*" in parameter:
            file = folder / f"{i}.npy"
            file.write_bytes(array(kind(parameter), i + 1))
            files.append(file)
            command += ["--arg", f"inout:{file}"]
        else:
            command += ["--arg", SCALARS[kind(parameter)]]
    done = run(command)
    return done.returncode, done.stderr, [file.read_bytes() for file in files]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("--arch", default="75,80,90")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    counts, refusals, faults = collections.Counter(), collections.Counter(), 0
    if options.sources and not shutil.which("nvcc"):
        print("no nvcc of CUDA 13: the sources cannot be compiled")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for source in options.sources or [HERE / "fixtures" / "values.cu"]:
            programs = {arch: (HERE / "fixtures" / f"values-sm{arch}.cubin", HERE / "fixtures" / "values.ptx") for arch in options.arch.split(",")}
            if options.sources:
                least = re.search(r"_sm(\d+)a?$", source.stem)
                programs = {arch: [folder / f"{source.stem}.{arch}.{form}" for form in ("cubin", "ptx")] for arch in programs if not least or int(arch) >= int(least[1])}
                flags = ["-std=c++17", "-fmad=false", "-lineinfo", "-diag-suppress", "177", "-o"]
                for arch, files in programs.items():
                    for file in files:
                        if run(["nvcc", f"-{file.suffix[1:]}", f"-arch=sm_{arch}", *flags, file, source]).returncode:
                            sys.exit(f"{source}: not compiled for sm_{arch}")
            for kernel, parameters in kernels_of(source):
                for arch, (program, reference) in programs.items():
                    expected = launch(options.heddle, reference, kernel, parameters, folder) if options.sources or arch == next(iter(programs)) else expected
                    status, messages, arrays = launch(options.heddle, program, kernel, parameters, folder)
                    counts["launches"] += 1
                    if status == 2 and "cannot run" in messages:
                        counts["refused"] += 1
                        refusals.update(re.findall(r"cannot run: (.*?): 0x", messages))
                        faults += not options.sources
                    elif expected[0] == 2:
                        counts["no PTX of ours"] += 1
                    elif status == expected[0] and (status or arrays == expected[2]):
                        counts["equal"] += 1
                    elif kernel in REASON:
                        counts[f"known: {REASON[kernel]}"] += 1
                    else:
                        faults += 1
                        print(f"{source.stem} {kernel} sm_{arch}: status {status}, PTX's {expected[0]}; {messages}{expected[1]}")
                        for i, (mine, other) in enumerate(zip(arrays, expected[2])):
                            places = [at for at in range(128, len(mine), 4) if mine[at:at + 4] != other[at:at + 4]]
                            if places:
                                print(f"  array {i}: {len(places)} words, first at {(places[0] - 128) // 4}: {mine[places[0]:places[0] + 4][::-1].hex()}, PTX's {other[places[0]:places[0] + 4][::-1].hex()}")
    print(", ".join(f"{name}: {n}" for name, n in sorted(counts.items())))
    for name, n in refusals.most_common():
        print(f"  {n} {name}")
    return 1 if faults or not counts["equal"] else 0


sys.exit(main())
