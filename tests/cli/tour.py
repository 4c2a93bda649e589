"""docs/course/tour.md can be pasted line by line: every command of its `sh` blocks, in a new folder, ends as the page says."""
import os
import pathlib
import re
import subprocess

from harness import HEDDLE, SOURCE, Cases

# Commands that must fail, with the line of `|| echo` that they print.
SAID = ["exit status 1", "wrong numbers", "exit status 1"]

c = Cases()
blocks = re.findall(r"^```sh\n(.*?)^```$", (SOURCE / "docs/course/tour.md").read_text(), re.S | re.M)
first = blocks.pop(0)
c.check(first.splitlines()[0] == "make" and "build" in first, "the first block builds, and puts the build folder into PATH")
script = "".join(blocks)
c.check("..." not in script, "no command is left incomplete")
environment = dict(os.environ, PATH=f"{os.path.dirname(HEDDLE)}:{os.environ['PATH']}")
# As in an interactive shell a line may fail; unlike there, the first one that does ends the test.
process = subprocess.run(["bash", "-e"], input=script, cwd=c.root, env=environment, capture_output=True, text=True, timeout=250)
c.check(process.returncode == 0, f"status {process.returncode}\n{process.stdout[-3000:]}\n{process.stderr[-3000:]}")
said = re.findall(r"^(?:exit status \d+|wrong numbers)$", process.stdout, re.M)
c.check(said == SAID, f"commands that fail on purpose: expected {SAID}, got {said}")
message = re.search(r"^outside\.cl:5:17: error: kernel 'scale': store of 4 bytes at address 0x\w+ is outside of every buffer", process.stderr, re.M)
c.check(message is not None, f"the message of the store outside\n{process.stderr}")
c.check(re.search(r"^bare\.hko: error: scale: RAW on r\d+ is not covered", process.stderr, re.M) is not None, f"the checker's objection\n{process.stderr}")
for name in ("page.html", "scale.hko", "mine.yaml", "ir.txt"):
    path = c.root / name
    c.check(path.exists() and path.stat().st_size > 100, f"{name} is written")

# The terminal of the README: what it shows of each command's output is there, line breaks apart.
[terminal] = re.findall(r"^```console\n(.*?)^```$", (SOURCE / "README.md").read_text(), re.S | re.M)
folder = c.root / "readme"
folder.mkdir()
script = []
for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", terminal, re.M):
    if command == "cat scale.cl":
        (folder / "scale.cl").write_text(shown)
        continue
    script.append(command)
    process = subprocess.run(["bash", "-c", "\n".join([*[line for line in script[:-1] if line.startswith("launch=")], command])], cwd=folder, env=environment,
                             capture_output=True, text=True, timeout=100)
    printed = " ".join((process.stdout + process.stderr).split())
    for text in [" ".join(shown.split())] if "error:" in shown else [line.strip() for line in shown.splitlines()]:
        c.check(text in printed, f"README: {command}: expected {text}\n{printed}")
c.check(len(script) == 8, f"README: {len(script)} commands")
c.end()
