#!/usr/bin/env python3
"""A unit stays readable: no C file above 700 lines."""
import pathlib
import sys

LIMIT = 700
root = pathlib.Path(sys.argv[1])
files = [path for folder in ("src", "include", "tests", "bench", "examples", "rtl") for path in (root / folder).rglob("*") if path.suffix in (".c", ".h", ".sv")]
long = [(path, len(path.read_bytes().splitlines())) for path in sorted(files)]
long = [(path, lines) for path, lines in long if lines > LIMIT]
for path, lines in long:
    print(f"{path.relative_to(root)}:{LIMIT + 1}: error: {lines} lines, at most {LIMIT}: is it one unit?")
print(f"{len(files)} files looked at")
sys.exit(1 if long or not files else 0)
