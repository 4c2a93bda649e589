"""heddle sweep: what the name of a run has in it (ST-2), which runs are missing, labels of launches, and what a study does not leave behind."""
import os
import signal
import subprocess
import time

from harness import Cases, FOREVER, HEDDLE, npy
from sweep_tables import SCALE, query, statuses

c = Cases()
c.file("scale.ptx", SCALE)
c.file("two.ptx", SCALE + SCALE[SCALE.index(".visible") :].replace("scale", "other"))
c.file("forever.ptx", FOREVER)
c.file("x.npy", npy(range(32), "u4"))
c.file("data", "first\n")
c.file("app.sh", "#!/bin/sh\nexit ${HEDDLE_FUNCTIONAL:-3}\n")
os.chmod(c.root / "app.sh", 0o755)
(c.root / "folders").mkdir()
os.environ["TMPDIR"], os.environ["HEDDLE_FUNCTIONAL"] = str(c.root / "folders"), "1"
LINE = "scale.ptx --block 32 --arg in:x.npy --arg out:y.npy:u32:32"


def study(text, *arguments):
    c.file("s.yaml", text)
    return c.run("sweep", "s.yaml", *arguments)


def missing(text, expected, what):
    r = study(text, "--dry-run")
    c.check(r.status == 0 and f"{expected} runs are missing in s.db" in r.out, what, r)


# Lines: program, kernel, grid, contents of inputs, and limits.cycles are in the name; names of files are not.
ONE = f"launches: ['{LINE}']\nlimits: {{cycles: 20000}}\n"
missing(ONE, "1 of 1", "all runs are missing before a file is there")
r = study(ONE)
c.check(r.status == 0 and not query(c.root / "s.db", "SELECT 1 FROM run WHERE outputs IS NULL"), "a run has a digest of its outputs", r)
missing(ONE, "0 of 1", "a run that is there")
c.file("z.npy", npy(range(32), "u4"))
missing(ONE.replace("x.npy", "z.npy").replace("y.npy", "other.npy"), "0 of 1", "another name of a file is the same run")
missing(ONE.replace("20000", "30000"), "1 of 1", "another limit of cycles is another run")
missing(ONE.replace("cycles: 20000", "cycles: 20000, seconds: 9"), "0 of 1", "a limit of seconds is the same run")
missing(f"launches: ['{LINE}', '{LINE} --grid 2', '{LINE.replace('32 --arg', '16 --arg')}']\nlimits: {{cycles: 20000}}\n", "2 of 3", "another grid or block is another run")
missing(f"launches: ['{LINE.replace('scale', 'two')} --kernel scale', '{LINE.replace('scale', 'two')} --kernel other']\n", "2 of 2", "another kernel is another run")
# The effect of an access outside of every buffer is in the name, and so the two can be merged.
os.environ["HEDDLE_BOUNDS"] = "trap"
missing(ONE, "0 of 1", "a trap is what such an access is")
os.environ["HEDDLE_BOUNDS"] = "warn"
missing(ONE, "1 of 1", "another kind of bounds is another run")
del os.environ["HEDDLE_BOUNDS"]
# A label is for people: it names the launch, and changes no run. Messages point behind it.
r = study(ONE.replace("['", "['small -> "))
c.check(r.status == 0 and "0 runs now" in r.out and query(c.root / "s.db", "SELECT name FROM launch") == [("small",)], "a label names a launch, and is no other run", r)
r = study("launches:\n  - small -> scale.ptx --grud 2\n", "--db", "bad.db")
c.check(r.status == 2 and "s.yaml:2:24: error: unknown option --grud" in r.err, "the place behind a label", r)
r = study("examples: [a -> saxpy, a -> goto]\n", "--db", "bad.db")
c.check(r.status == 2 and "the launch of line 1 is 'a', too" in r.err, "two launches with one label are refused", r)
# An axis that is no key is one error, whatever the number of its values.
r = study("examples: [saxpy]\naxes:\n  machine.corez: [1, 2, 4]\n", "--db", "bad.db")
c.check(r.status == 2 and r.err.count("error:") == 1 and "s.yaml:3:3: error: machine.corez is no key" in r.err, "one error for an axis that is no key", r)
# Limits, sizes, shards, and ends that are no faults.
r = study("launches: [forever.ptx --arg zero:u32:1 --max-cycles 4000000]\nlimits: {cycles: 3000}\n", "--db", "least.db")
c.check(query(c.root / "least.db", "SELECT status, run_cycles < 4000 FROM run") == [("limit", 1)], "the lesser limit ends a run", r)
sizes = 0
while study(f"examples: [saxpy {sizes}]\n", "--dry-run", "--db", "none.db").status == 0 and sizes < 20:
    sizes += 1
r = study(f"examples: [saxpy {sizes}]\n", "--dry-run", "--db", "none.db")
c.check(f"has no size '{sizes}', expected a number below {sizes}" in r.err, "the first size that an example does not have", r)
r = study("examples: [saxpy]\naxes: {fence.counters: [2, 3]}\n", "--shard", "2/2", "--jobs", 1)
c.check(r.status == 0 and (c.root / "s.shard-2-of-2.db").exists(), "a shard has a file of its own", r)
r = study("examples: [saxpy]\naxes: {fence.counters: [2, 3]}\n", "--db", "refused.db")
c.check(r.status == 0 and statuses(c.root / "refused.db") == {"done": 1, "refused": 1}, "a machine that cannot be is no fault", r)
r = study("examples: [saxpy]\npoints: [machine=baseline, multi_issue.window=2, multi_issue.window=4]\n", "--db", "points.db")
c.check(query(c.root / "points.db", "SELECT number, value FROM point WHERE axis = 'multi_issue.window' ORDER BY 1") == [(0, None), (1, "2"), (2, "4")], "a point has no value of an axis that it leaves alone", r)
# Applications: words, the files among them, and `inputs`.
APP = "commands: [./app.sh data, 'true']\n"
r = study(APP, "--db", "s.db")
ends = dict(query(c.root / "s.db", "SELECT l.name, message FROM run r JOIN launch l ON l.id = r.launch WHERE kind = 'application'"))
c.check("exit status 3" in ends["./app.sh data"] and "launched nothing" in ends["true"], f"a program of PATH, and the interpreter is not asked: {ends}", r)
c.check(not os.listdir(c.root / "folders"), f"no folder is left: {os.listdir(c.root / 'folders')}")
missing(APP, "0 of 2", "an application that ran")
missing(APP + "inputs: [data]\n", "2 of 2", "the content of an input counts")
study(APP + "inputs: [data]\n")
c.file("data", "second\n")
missing(APP + "inputs: [data]\n", "2 of 2", "another content of an input is another run")
missing(APP, "1 of 2", "another content of a file among the words is another run")
# A study that is cut off leaves no folder of its applications, and asks none that has no end for its content.
c.file("wait.sh", "#!/bin/sh\ntouch started\nsleep 100\n")
os.chmod(c.root / "wait.sh", 0o755)
c.file("s.yaml", "commands: [./wait.sh]\naxes: {multi_issue.window: 1..4}\n")
for number in (signal.SIGINT, signal.SIGTERM):
    (c.root / "started").unlink(missing_ok=True)
    process = subprocess.Popen([HEDDLE, "sweep", "s.yaml", "--db", "cut.db", "--jobs", "2"], cwd=c.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (c.root / "started").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    c.check(process.returncode == 130 and not os.listdir(c.root / "folders"), f"{number}: no folder is left: {process.returncode} {os.listdir(c.root / 'folders')}\n{out}{err}")
for text in ("commands: [/dev/zero]\n", "commands: ['true']\ninputs: [/dev/zero]\n", "commands: ['true']\ninputs: [/]\n"):
    r = study(text, "--db", "none.db")
    c.check(r.status == 2 and "is no regular file" in r.err, f"{text!r} is refused", r)
c.end()
