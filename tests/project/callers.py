#!/usr/bin/env python3
"""Every public function of libheddle is called by a test of the interface.

callers.py SOURCE: the functions that include/heddle/heddle.h declares, against the C files in tests/api."""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
header = (source / "include/heddle/heddle.h").read_text()
text = re.sub(r"/\*.*?\*/|^#.*?$", "", header, flags=re.S | re.M)
functions = sorted(set(re.findall(r"^(?!static)[a-z].*?\b(heddle_\w+)\([^{}]*?\);", text, flags=re.M)))
tests = "".join(path.read_text() for path in (source / "tests/api").glob("*.c*"))
missing = [name for name in functions if not re.search(rf"\b{name}\(", tests)]
for name in missing:
    print(f"include/heddle/heddle.h: error: no test in tests/api calls {name}")
print(f"{len(functions)} public functions, {len(functions) - len(missing)} with a test")
sys.exit(1 if missing or not functions else 0)
