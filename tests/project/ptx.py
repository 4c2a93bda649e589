#!/usr/bin/env python3
"""docs/ptx.md names the instructions that the reader has and those that it refuses, neither more nor fewer."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/ptx.md").read_text()


def section(title):
    return page.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(text):
    """The names in backticks of each row's first cell."""
    return [name for row in re.findall(r"^\| (`[^|]*) \|", text, re.M) for name in re.findall(r"`([^`]+)`", row)]


header, opcodes = (root / "src/ptx/lower.h").read_text(), (root / "src/ptx/opcodes.c").read_text()
has = set(re.findall(r'^\tX\("(\w+)", \w+, \d+, \d+\)', header, re.M)) - {"heddle"}
absent = dict(re.findall(r'^    \{"(\w+)", "([^"]+)"\}', opcodes, re.M))
bad = []
for title, code in (("Instructions", has), ("What the reader refuses", set(absent))):
    written = first_cells(section(title))
    bad += [f"docs/ptx.md, {title}: {name} stands there twice" for name in sorted(set(written)) if written.count(name) > 1]
    bad += [f"docs/ptx.md, {title}: {name} is missing" for name in sorted(code - set(written))]
    bad += [f"docs/ptx.md, {title}: there is no {name} in the reader" for name in sorted(set(written) - code)]
if len(has) < 90 or len(absent) < 20:
    bad.append(f"the test finds {len(has)} opcodes and {len(absent)} refused ones in the sources: it does not read them right")
both = has & set(absent)
bad += [f"{name} is supported and refused" for name in sorted(both)]
print("\n".join(bad) or f"{len(has)} instructions, {len(absent)} refused")
sys.exit(bool(bad))
