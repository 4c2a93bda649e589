#!/usr/bin/env python3
"""The first commands of docs/course/tour.md: those of a new user, mistakes included, as a transcript of commands that this script runs.

  tools/first_minutes.py HEDDLE            writes that part of the page anew (tools/docs.sh does so)
  tools/first_minutes.py HEDDLE --check    fails when it is not what the commands say. Numbers may differ, and which causes a run names first,
                                           because every change of the compiler or the machine changes them."""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/course/tour.md"
PART = re.compile(r"<!-- first minutes -->\n(.*?)<!-- end -->", re.S)
SCALE = """kernel void scale(uint n, float by, global const float *in, global float *out)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = in[i] * by;
}
"""
LAUNCH = "--grid 16 --block 64 --arg u32:1000 --arg f32:2.5 --arg rand:f32:1000:7 --arg out:out.npy:f32:1000"
# A text, or a command and how many lines of what it prints are shown (None: all).
STEPS = [
    "The file `scale.cl` is\n\n```c\n" + SCALE + "```\n",
    ("heddle run scale.cl", None),
    "The message names what the kernel takes. `--arg` gives one argument, in the kernel's order. `--grid` is the number of\n"
    "blocks, `--block` the number of threads in one. The type of an array is that of the source:\n",
    (f"heddle run scale.cl {LAUNCH.replace('rand:f32', 'rand:f64')}", None),
    f'A variable keeps the lines short:\n\n```\n$ launch="{LAUNCH}"\n```\n',
    ("heddle run scale.cl $launch", None),
    "The outputs are in `out.npy`. The short answer is on standard error, so that standard output belongs to the kernel's\n`printf`. The whole report:\n",
    ("heddle run scale.cl $launch --reprot -", None),
    ("heddle run scale.cl $launch --report -", 12),
    "When a program is wrong, the message names the source line, the array and the thread:\n",
    (f"heddle run scale.cl {LAUNCH.replace('out.npy:f32:1000', 'out.npy:f32:999')} --quiet", None),
    "The compiler, the proof of its annotations, and another machine:\n",
    ("heddle compile scale.cl", None),
    ("heddle check scale.hko", None),
    ("heddle compare scale.cl $launch --machine baseline --machine heddle", 6),
    ("heddle run scale.cl $launch --set fence.countres=4", None),
]


def transcript(heddle):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HEDDLE_") or key in ("HEDDLE_CLANG", "HEDDLE_LIBCLC", "HEDDLE_DATA")}
    environment["launch"] = LAUNCH
    environment["PATH"] = f"{heddle.parent}:{environment['PATH']}"
    parts = []
    with tempfile.TemporaryDirectory(prefix="heddle-first-") as folder:
        (pathlib.Path(folder) / "scale.cl").write_text(SCALE)
        for step in STEPS:
            if isinstance(step, str):
                parts.append(step)
                continue
            command, lines = step
            process = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            said = process.stdout.splitlines()
            if lines is not None and len(said) > lines:
                said = said[:lines] + ["..."]
            if process.returncode:
                said.append(f"(exit status {process.returncode})")
            parts.append("```\n$ " + command + "\n" + "".join(line.rstrip() + "\n" for line in said) + "```\n")
    return "\n".join(parts)


def words(page):
    """The part without numbers, addresses, registers and causes of lost slots. A row of blanks counts as one."""
    page = re.sub(r"^ +[\d.]+ %  .*$", "CAUSE", page, flags=re.M)
    page = re.sub(r"^\t.*$", "INSTRUCTION", page, flags=re.M)
    page = re.sub(r"^(?:L\d+:|\.ss)\n", "", page, flags=re.M)
    page = re.sub(r"(?:INSTRUCTION\n)+", "INSTRUCTIONS\n", page)
    return re.sub(r" +", " ", re.sub(r"0x[0-9a-f]+|-?\d[\d,.]*", "N", page))


def main():
    text = PAGE.read_text()
    page = transcript(pathlib.Path(sys.argv[1]).resolve())
    if "--check" not in sys.argv[2:]:
        PAGE.write_text(PART.sub(lambda _: f"<!-- first minutes -->\n{page}<!-- end -->", text))
        return 0
    old, new = words(PART.search(text)[1]), words(page)
    print("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "docs/course/tour.md", "what the commands say now")), end="")
    if old != new:
        print("run tools/docs.sh")
    return old != new


sys.exit(main())
