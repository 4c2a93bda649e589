#!/usr/bin/env python3
"""line_offsets.py HEDDLE [--set KEY=VALUE]... --change KEY=VALUE RUN ARGUMENTS...: is a change of cycles more than where the code lies in its lines?

Compiles the kernel for the machine and for the changed machine. Puts 0 to 13 no-ops before its first instruction, so that every instruction comes to
every place of a line twice, runs each program and prints the cycles and their ratios. A ratio that swings about its mean from place to place is chance:
which lines are fetched late, and what the wait hides. The example of docs/divergence.md:

tools/line_offsets.py build/heddle --set divergence.mode=stack --change divergence.pop=flag examples/scan/scan.cl --kernel scan_blocks --grid 1
    --block 64 --arg rand:u32:128:7 --arg zero:u32:128 --arg zero:u32:1 --arg u32:127 --arg local:512"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

PLACES = 14


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def measure(heddle, settings, source, arguments, folder):
    """Cycles by the number of no-ops."""
    keys = [word for setting in settings for word in ("--set", setting)]
    compiled, padded, report = (os.path.join(folder, name) for name in ("k.hko", "k.hasm", "r.json"))
    call(heddle, "compile", source, *keys, "-o", compiled)
    lines = [line for line in call(heddle, "disasm", compiled).splitlines() if line.strip() != ".ss" and not line.startswith("; word")]
    kernel = arguments[arguments.index("--kernel") + 1]
    entry = re.search(rf'\.kernel "{kernel}"\n\.entry (\S+)', "\n".join(lines))[1]
    first = lines.index(f"{entry}:") + 1
    cycles = []
    for n in range(PLACES):
        with open(padded, "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:first] + ["\tnop {delay 1}"] * n + lines[first:]) + "\n")
        call(heddle, "run", padded, *arguments, *keys, "--quiet", "--report", report)
        with open(report, encoding="utf-8") as file:
            cycles.append(json.load(file)["cycles"])
    return cycles


def main():
    words, settings, change = sys.argv[1:], [], None
    heddle = words.pop(0)
    while words and words[0] in ("--set", "--change"):
        option, value = words.pop(0), words.pop(0)
        if option == "--set":
            settings.append(value)
        else:
            change = value
    if not change or "--kernel" not in words:
        sys.exit(__doc__.splitlines()[0])
    with tempfile.TemporaryDirectory(prefix="heddle-offsets-") as folder:
        before, after = (measure(heddle, keys, words[0], words[1:], folder) for keys in (settings, [*settings, change]))
    ratios = [b / a for a, b in zip(before, after)]
    for n, (a, b, ratio) in enumerate(zip(before, after, ratios)):
        print(f"{n:2} no-ops: {a:8} {b:8} {ratio:.3f}")
    print(f"from {min(ratios):.3f} to {max(ratios):.3f}, geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


main()
