#!/usr/bin/env python3
"""embed.py MACRO OUTPUT FILE...: text files as C string literals, one `MACRO("file name without ending", "text")` each."""
import pathlib
import sys

macro, output, *files = sys.argv[1:]
rows = []
for file in map(pathlib.Path, files):
    lines = [line.replace("\\", "\\\\").replace('"', '\\"') for line in file.read_text().splitlines()]
    rows.append(f'{macro}("{file.stem}",\n' + "\n".join(f'\t"{line}\\n"' for line in lines) + ")\n")
pathlib.Path(output).write_text("".join(rows))
