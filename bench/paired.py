#!/usr/bin/env python3
"""bench/paired.py BEFORE AFTER [--rounds N] [--machine NAME] [--set KEY=VALUE]... [--set-before KEY=VALUE]... [--set-after KEY=VALUE]... [EXAMPLE]...

Speed of two builds, measured alternately on one host: warp instructions a second of processor time (heddle-bench) of every example, timed and functional.
BEFORE and AFTER are build directories, each below its own checkout, whose examples it runs. A ratio is the median over the rounds, each of which
runs both builds one after the other; speeds are those of each build's median. The last line tells whether all statistics are the same, if both builds
print a hash of them. `--set` is for both builds. `--set-before` and `--set-after` are for one of them: the later build may simulate what the earlier
one had no key for, and a setting turns that off."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

KINDS = ("timed", "functional")


def measure(build, options, examples):
    """{example: {kind: warp instructions a second, "statistics": their hash}} of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "speed.json")
        subprocess.run([os.path.join(build, "bench", "heddle-bench"), *options, "--json", path, *examples], cwd=os.path.dirname(build),
                       env={**os.environ, "HEDDLE_EXAMPLES": "examples"}, stdout=subprocess.DEVNULL, check=True)
        with open(path, encoding="utf-8") as text:
            rows = json.load(text)["examples"]
    return {row["example"]: {"statistics": row.get("statistics"),
                             **{kind: row["warp_instructions"] / max(row[kind + "_seconds"], 1e-9) for kind in KINDS}} for row in rows}


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("before")
    options.add_argument("after")
    options.add_argument("examples", nargs="*", metavar="EXAMPLE")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--size", default=None)
    options.add_argument("--machine", default=None)
    options.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    for which in ("before", "after"):
        options.add_argument("--set-" + which, action="append", default=[], metavar="KEY=VALUE")
    wanted = options.parse_args()
    builds = [os.path.abspath(wanted.before), os.path.abspath(wanted.after)]
    both = (["--machine", wanted.machine] if wanted.machine else []) + (["--size", wanted.size] if wanted.size else [])
    passed = [both + [word for setting in wanted.set + own for word in ("--set", setting)] for own in (wanted.set_before, wanted.set_after)]
    rounds = []
    for number in range(wanted.rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        pair = {which: measure(builds[which], passed[which], wanted.examples) for which in order}
        rounds.append((pair[0], pair[1]))
    names = [name for name in rounds[0][0] if name in rounds[0][1]]
    print("| example | " + " | ".join(f"{kind} before | now | ratio" for kind in KINDS) + " |")
    print("|---|" + "---:|" * 6)
    ratios = {kind: [] for kind in KINDS}
    for name in names:
        cells = []
        for kind in KINDS:
            before, after = ([pair[which][name][kind] for pair in rounds] for which in (0, 1))
            ratio = statistics.median(b / a for a, b in zip(before, after))
            ratios[kind].append(ratio)
            cells += [f"{statistics.median(before) / 1e6:.2f}", f"{statistics.median(after) / 1e6:.2f}", f"{ratio:.2f}"]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("| geometric mean | " + " | ".join(f"| | {geometric_mean(ratios[kind]):.2f}" for kind in KINDS) + " |")
    before, after = rounds[0]
    differ = [name for name in names if before[name]["statistics"] != after[name]["statistics"]]
    if None not in {pair[name]["statistics"] for pair in rounds[0] for name in names}:
        print("\nStatistics: " + ("different in " + ", ".join(differ) if differ else "the same"))


if __name__ == "__main__":
    sys.exit(main())
