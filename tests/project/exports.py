#!/usr/bin/env python3
"""The shared libraries export their public functions and nothing else.

exports.py SOURCE LIBHEDDLE [DRIVER]: libheddle exports the functions that heddle.h declares; the OpenCL driver exports the names of its exports.map."""
import pathlib
import re
import subprocess
import sys


def exported(library):
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    # Type A is the name of a version, not a symbol of the program.
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def declared(header):
    text = re.sub(r"/\*.*?\*/|^#.*?$", "", header.read_text(), flags=re.S | re.M)
    names = re.findall(r"^(?!static)[a-z].*?\b(heddle_\w+)\([^{}]*?\);", text, flags=re.M)
    return set(names)


def named(script):
    return set(re.findall(r"^\s*(\w+);", script.read_text(), flags=re.M))


source = pathlib.Path(sys.argv[1])
expected = [declared(source / "include/heddle/heddle.h"), named(source / "src/opencl/exports.map")]
wrong = False
for library, names in zip(sys.argv[2:], expected):
    found = exported(library)
    for name in sorted(found - names):
        print(f"{library}: error: exports {name}, which is not public")
    for name in sorted(names - found):
        print(f"{library}: error: does not export {name}")
    wrong |= found != names or not names
    print(f"{pathlib.Path(library).name}: {len(found)} symbols")
sys.exit(1 if wrong else 0)
