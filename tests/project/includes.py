#!/usr/bin/env python3
"""Include direction: a room may include only what its row in the table names (docs/architecture.md tells why).

The toolchain (ptx, passes, front), the machine (interp, memory, core, device) and the checker meet only at the encoded program."""
import pathlib
import re
import sys

MACHINE = "base isa object semantics launch tasks config"
TOOLCHAIN = "base isa object config ir"
MAY_SEE = {
    "base": "",
    "isa": "base",
    "object": "base isa",
    "semantics": "base isa",
    "config": "base isa",
    "ir": "base isa object",
    "launch": "base isa object semantics",
    "tasks": "base isa object semantics launch",
    "front": TOOLCHAIN,
    "ptx": TOOLCHAIN,
    "passes": TOOLCHAIN,
    "interp": MACHINE,
    "memory": MACHINE,
    "core": MACHINE + " memory",
    "device": MACHINE + " memory core",
    "check": "base isa object config",
    "sass": "base",
    "sm": "base isa object semantics launch sass",
    "sanitizer": "base isa object semantics launch",
    "trace": "base isa object launch config",
    "report": "base isa object launch tasks config device sanitizer sass",
    "explore": "base isa object launch config trace report",
    # The library's face puts the halves together; so does the command.
    "api": "base isa object semantics launch tasks config ir ptx passes front interp memory core device check sass sm sanitizer trace report heddle",
    # A program of its own on top of the library, as the command is.
    "runtime": "base isa object semantics launch tasks config front interp device sanitizer trace report api heddle",
    "opencl": "base isa object semantics launch tasks config front interp device sanitizer trace report api heddle runtime",
    "cuda": "base isa object semantics launch tasks config core front interp device sanitizer sass trace report api heddle runtime",
    # Plans and results of studies; the command runs them, and the examples (example.h) by name.
    "study": "base isa launch config report heddle",
    "cli": "base isa object semantics launch tasks config ir ptx passes front interp memory core device check sass sm sanitizer trace report explore api study heddle example.h backend_heddle.h",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def violations(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".c", ".h", ".def", ".inc"):
            continue
        room = path.relative_to(root / "src").parts[0]
        if room not in MAY_SEE:
            yield f"{path.relative_to(root)}:1: room '{room}' has no row in {pathlib.Path(__file__).name}"
            continue
        allowed = set(MAY_SEE[room].split()) | {room}
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1].split("/")[0] not in allowed:
                yield f"{path.relative_to(root)}:{number}: error: room '{room}' includes \"{match[1]}\", it may include {', '.join(sorted(allowed))}"
    for path in sorted((root / "include").rglob("*.h")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if INCLUDE.match(line):
                yield f"{path.relative_to(root)}:{number}: error: the public header stands alone: system headers only"


# Units of the core that reach each other by includes of their .c and .h files are read together: the rest is a road in one direction.
CIRCLE = 5


def circles(root):
    reach = {}
    for path in (root / "src/core").rglob("*.[ch]"):
        unit = str(path.relative_to(root / "src").with_suffix(""))
        names = (INCLUDE.match(line) for line in path.read_text().splitlines())
        reach.setdefault(unit, set()).update(match[1].rsplit(".", 1)[0] for match in names if match and match[1].startswith("core/"))
    for middle in reach:  # the transitive closure
        for unit in reach:
            if middle in reach[unit]:
                reach[unit] |= reach[middle]
    for unit in sorted(reach):
        circle = sorted(other for other in reach[unit] & reach.keys() if unit in reach[other])
        if len(circle) > CIRCLE and circle[0] == unit:
            yield f"src/core: error: {len(circle)} units include each other, {CIRCLE} may: {', '.join(circle)}"


root = pathlib.Path(sys.argv[1])
found = [*violations(root), *circles(root)]
print("\n".join(found) if found else "every include runs downwards")
sys.exit(1 if found else 0)
