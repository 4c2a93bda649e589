#!/usr/bin/env python3
"""tools/tables.py: each line of its list names a page and programs that there are, and the comparison notices a figure that changed."""
import contextlib
import importlib.util
import io
import pathlib
import re
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
specification = importlib.util.spec_from_file_location("tables", root / "tools/tables.py")
tables = importlib.util.module_from_spec(specification)
specification.loader.exec_module(tables)
bad = []

# The list.
sources = "".join((root / folder / "meson.build").read_text() for folder in ("bench", "tests/litmus"))
for page, commands in tables.commands([], root).items():
    text = (root / page).read_text()
    for command in commands:
        for program in re.findall(r"\bheddle-([a-z-]+)", command):
            if f"'heddle-{program}'" not in sources and f"'{program}'" not in sources:
                bad.append(f"tools/tables.list: {command}: no build file makes heddle-{program}")
            if program not in text:
                bad.append(f"tools/tables.list: {page} does not name heddle-{program}")

# The comparison: one row is the same, one stale with the head of the printed table, one stale with another head, one by hand.
PAGE = """# A page

| example | cycles | ratio |
|---|--:|--:|
| saxpy | 100 | 1.000 |
| **scan** | **250** | **1.100** |

Text between.

| kernel | cycles | ratio |
|---|--:|--:|
| reduce | 5 | 6 |
| all of them | 1 | 2 |
"""
PRINTED = """Another table with a row of that name
| example | energy | ratio |
|---|---|---|
| scan | 9 | 9.000 |
A title
| example | cycles | ratio |
|---|---|---|
| saxpy | 100 | 1.000 |
| scan | 251 | 1.104 |
| reduce | 7 | 8 |
"""


def compared(write):
    """How many stale rows remain, and the page afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "page.md"
        path.write_text(PAGE)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            stale = tables.compare("page.md", tables.tables(PRINTED), write, pathlib.Path(directory))
        return stale, path.read_text(), said.getvalue()


stale, page, said = compared(False)
if stale != 2 or page != PAGE:
    bad.append(f"two rows are stale, and the page stays: {stale}\n{page}")
if "page.md:6: stale" not in said or "page.md:12: stale" not in said or "1 rows the same, 2 stale, 0 written anew, 1 by hand" not in said:
    bad.append(f"what is said of stale rows: {said}")
stale, page, said = compared(True)
if stale != 1 or page != PAGE.replace("| **scan** | **250** | **1.100** |", "| **scan** | **251** | **1.104** |"):
    bad.append(f"one row is written anew, with its marks, and one remains: {stale}\n{page}")

print("\n".join(bad) or f"{sum(len(c) for c in tables.commands([], root).values())} commands, and the comparison")
sys.exit(bool(bad))
