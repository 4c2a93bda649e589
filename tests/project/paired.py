#!/usr/bin/env python3
"""bench/paired.py with two builds that only print speeds: options reach the build that they are for, builds take turns, and ratios are medians of the
rounds."""
import json
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
bad = []

# A build whose speeds come from a list, one round after the other, and that writes down how it was called.
BUILD = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(__file__).resolve().parent
speeds = json.loads((here / "speeds").read_text())
(here / "speeds").write_text(json.dumps(speeds[1:]))
with open(here.parents[2] / "calls", "a") as calls:
    calls.write(here.parent.name + " " + " ".join(word for word in sys.argv[1:] if not word.endswith(".json")) + "\\n")
row = {"example": "saxpy", "warp_instructions": 1000000, "timed_seconds": 1 / speeds[0], "functional_seconds": 0.5, "statistics": here.parent.name}
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps({"examples": [row]}))
"""


def make(folder, name, speeds):
    bench = folder / name / "bench"
    bench.mkdir(parents=True)
    (bench / "heddle-bench").write_text(BUILD)
    (bench / "heddle-bench").chmod(0o755)
    (bench / "speeds").write_text(json.dumps(speeds))


def expect(what, condition):
    if not condition:
        bad.append(what)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary) / "checkout"
    make(folder, "old", [1, 2, 4])
    make(folder, "new", [3, 4, 4])
    run = subprocess.run([sys.executable, root / "bench/paired.py", folder / "old", folder / "new", "saxpy", "--rounds", "3", "--size", "1", "--set", "a.b=1",
                          "--set-before", "c.d=2", "--set-after", "e.f=3", "--set-after", "g.h=4"], capture_output=True, text=True, check=False)
    calls = (folder.parent / "calls").read_text().splitlines()
    before, after = "--size 1 --set a.b=1 --set c.d=2 --json saxpy", "--size 1 --set a.b=1 --set e.f=3 --set g.h=4 --json saxpy"
    expect(f"exit status {run.returncode}: {run.stderr}", run.returncode == 0)
    expect(f"turns and options: {calls}", calls == ["old " + before, "new " + after, "new " + after, "old " + before, "old " + before, "new " + after])
    # Ratios 3, 2 and 1: the median is 2. The speeds' own medians are 2 and 4.
    expect(f"ratios: {run.stdout}", "| saxpy | 2.00 | 4.00 | 2.00 | 2.00 | 2.00 | 1.00 |" in run.stdout)
    expect(f"mean: {run.stdout}", "| geometric mean | | | 2.00 | | | 1.00 |" in run.stdout)
    expect(f"statistics: {run.stdout}", "Statistics: different in saxpy" in run.stdout)

for fault in bad:
    print(fault)
sys.exit(bool(bad))
