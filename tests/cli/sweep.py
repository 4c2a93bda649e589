"""heddle sweep: plans (ST-1), the file of results (ST-2), workers, jobs and shards (ST-3), progress and interruption (ST-4), and what is refused."""
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import time

from harness import Cases, FOREVER, HEDDLE, npy
from sweep_tables import SCALE, dump, query, statuses

c = Cases()
c.file("scale.ptx", SCALE)
c.file("forever.ptx", FOREVER)
c.file("trap.ptx", SCALE.replace("ld.global.u32 %r2, [%d4];", "ld.global.u32 %r2, [%d4+4096];"))
c.file("x.npy", npy(range(32), "u4"))
STUDY = """name: three kinds
launches:
  - scale.ptx --block 32 --arg in:x.npy --arg out:y.npy:u32:32
  - trap.ptx --block 32 --arg in:x.npy --arg out:y.npy:u32:32
  - forever.ptx --arg zero:u32:1
examples:
  - saxpy
  - goto
axes:
  multi_issue.window: [1, 4]
  fence.counters: 2..4
  queue.*.hazard: 2..8 times 2
where:
  - multi_issue.window = 4 or queue.alu.hazard < 8
limits: {cycles: 20000, seconds: 100}
area: 10 * fence.counters + state_bits
"""
c.file("study.yaml", STUDY)
REFERENCE = "one.db"


def sweep(*arguments, **options):
    return c.run("sweep", *arguments, **options)


# ST-1, ST-2: the whole product, less what the rule excludes; every end is a row.
r = sweep("study.yaml", "--db", REFERENCE, "--jobs", 1)
c.check(r.status == 1 and "15 machines, 5 launches, 75 runs; constraints exclude 3 points" in r.out, "the product less what the rule excludes", r)
found = statuses(c.root / REFERENCE)
# Two counters, both for high latency, can be no machine: five points of the fifteen.
c.check(found == {"done": 30, "trap": 10, "limit": 10, "refused": 25}, f"ST-2: every end is a row: {found}", r)
reference = dump(c.root / REFERENCE)
rows = query(c.root / REFERENCE, "SELECT l.kind, count(DISTINCT r.outputs), count(*), min(run_cycles), min(energy_total_fj), min(worker_seconds) FROM run r JOIN launch l ON "
             "l.id = r.launch WHERE status = 'done' GROUP BY l.id")
c.check(len(rows) == 3 and all(row[1] == 1 and row[3] > 0 and row[4] > 0 and row[5] > 0 for row in rows), f"outputs of all machines are the same: {rows}")
c.check(query(c.root / REFERENCE, "SELECT count(*) FROM machine m JOIN design d ON d.machine = m.id WHERE area = state_bits + 10 * 4")[0][0] > 0, "the area is what the study says")
c.check(query(c.root / REFERENCE, "SELECT count(*) FROM run WHERE version IS NULL OR length(build) <> 64")[0][0] == 0, "rows name version and build")
c.check("address" in query(c.root / REFERENCE, "SELECT message FROM run WHERE status = 'trap'")[0][0], "a trap has its message")
c.check(not (c.root / "y.npy").exists(), "a study writes no outputs")

# ST-2: nothing is run twice.
before = (c.root / REFERENCE).read_bytes()
r = sweep("study.yaml", "--db", REFERENCE)
c.check(r.status == 0 and "0 runs now" in r.out and "75 were there" in r.out and dump(c.root / REFERENCE) == reference, "nothing is run twice", r)
# An input that changed is another run.
c.file("x.npy", npy(range(1, 33), "u4"))
r = sweep("study.yaml", "--db", REFERENCE)
c.check("30 runs now" in r.out and "45 were there" in r.out, "an input with another content is another run", r)
c.file("x.npy", npy(range(32), "u4"))
c.file("other.yaml", STUDY.replace("2..4", "2..5"))
r = sweep("other.yaml", "--db", REFERENCE)
c.check("20 machines" not in r.out or "75 were there" in r.out, "a larger study takes what the file has", r)

# ST-3: jobs and shards give the same table.
for jobs in (2, 3):
    r = sweep("study.yaml", "--db", f"jobs{jobs}.db", "--jobs", jobs)
    c.check(dump(c.root / f"jobs{jobs}.db") == reference, f"ST-3: {jobs} jobs give the same table", r)
for shards in (1, 2, 3):
    files = []
    for shard in range(shards, 0, -1):
        files.append(f"s{shards}-{shard}.db")
        r = sweep("study.yaml", "--db", files[-1], "--shard", f"{shard}/{shards}", "--jobs", 2)
        c.check(r.status in (0, 1) and f"shard {shard} of {shards}" in r.out, f"shard {shard}/{shards} runs", r)
    r = sweep("merge", f"m{shards}.db", *files)
    c.check(r.status == 0 and dump(c.root / f"m{shards}.db") == reference, f"ST-3: {shards} shards, merged, give the same table", r)
r = sweep("merge", "m1.db", "s3-1.db", "jobs2.db")
c.check(r.status == 0 and "0 rows are new" in r.out and dump(c.root / "m1.db") == reference, "what is there already changes nothing", r)
r = sweep("study.yaml", "--db", "rest.db", "--done", "s3-2.db")
c.check("25 were there" in r.out, "--done: what another file has is not run", r)
# A row that two files disagree about is an error that changes nothing.
with sqlite3.connect(c.root / "s3-1.db") as database:
    database.execute("UPDATE run SET run_cycles = run_cycles + 1 WHERE status = 'done'")
before = dump(c.root / "m2.db")
r = sweep("merge", "m2.db", "s3-1.db")
c.check(r.status == 2 and "other results" in r.err and dump(c.root / "m2.db") == before, "files that disagree are refused", r)

# ST-2, ST-4: killed and interrupted, then gone on with.
LONG = STUDY.replace("cycles: 20000", "cycles: 3000000")
c.file("long.yaml", LONG)
r = sweep("long.yaml", "--db", "whole.db", "--jobs", 2, timeout=280)
whole = dump(c.root / "whole.db")


def begun(db, study="long.yaml"):
    process = subprocess.Popen([HEDDLE, "sweep", study, "--db", db, "--jobs", "2"], cwd=c.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        time.sleep(0.05)
        try:
            if query(f"file:{c.root / db}?mode=ro", "SELECT count(*) FROM run")[0][0] >= 3:
                break
        except sqlite3.Error:
            pass
        if process.poll() is not None:
            break
    return process


def children(pid):
    out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(word) for word in out.split()]


sqlite_connect = sqlite3.connect
sqlite3.connect = lambda path: sqlite_connect(path, uri=str(path).startswith("file:"))
for name, number in (("kill", signal.SIGKILL), ("int", signal.SIGINT), ("term", signal.SIGTERM)):
    process = begun(f"{name}.db")
    workers = children(process.pid)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    kept = query(c.root / f"{name}.db", "SELECT count(*) FROM run")[0][0]
    time.sleep(0.3)
    left = [pid for pid in workers if pathlib.Path(f"/proc/{pid}").exists() and "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1][:3]]
    c.check(not left, f"{name}: no worker is left ({left} of {workers})")
    c.check(kept >= 3, f"ST-4: {name} keeps what is done ({kept} rows)\n{out}{err}")
    if name != "kill":
        c.check(process.returncode == 130 and not statuses(c.root / f"{name}.db").get("died"), f"{name}: exit status 130, no row for what was cut off ({process.returncode})\n{out}{err}")
    r = sweep("long.yaml", "--db", f"{name}.db", "--jobs", 2, timeout=280)
    c.check(dump(c.root / f"{name}.db") == whole, f"ST-2: a study goes on after {name}", r)

# Two sweeps of one file.
c.file("slow.yaml", LONG.replace("cycles: 3000000, ", ""))
process = begun("twice.db", "slow.yaml")
r = sweep("slow.yaml", "--db", "twice.db")
c.check(r.status == 2 and "in use by another sweep" in r.err, "one sweep at a time writes to a file", r)
r = sweep("status", "twice.db")
c.check(r.status == 0 and "missing" in r.out and "done" in r.out, "ST-4: status while it runs", r)
process.send_signal(signal.SIGINT)
process.communicate(timeout=60)
r = c.run("--timeout", "1", "sweep", "slow.yaml", "--db", "late.db", "--jobs", 1)
c.check(r.status == 124, "--timeout ends a study", r)

# A run that hangs, dies, or takes too much memory is a row.
c.file("hang.yaml", "launches:\n  - forever.ptx --arg zero:u32:1\n  - scale.ptx --block 32 --arg in:x.npy --arg zero:u32:32\nlimits: {seconds: 1}\n")
r = sweep("hang.yaml", "--jobs", 2)
c.check(r.status == 1 and statuses(c.root / "hang.db") == {"done": 1, "timeout": 1}, "ST-2: a run that hangs is a row", r)
r = sweep("hang.yaml", "--jobs", 2)
c.check(r.status == 0 and "0 runs now" in r.out, "it is not run again", r)
r = sweep("hang.yaml", "--jobs", 2, "--retry")
c.check(r.status == 1 and "1 runs now" in r.out, "--retry runs it again", r)
c.file("die.sh", "#!/bin/sh\nkill -SEGV $$\n")
os.chmod(c.root / "die.sh", 0o755)
c.file("sleep.sh", "#!/bin/sh\nsleep 1000 &\necho $! > sleeper\nsleep 1000\n")
os.chmod(c.root / "sleep.sh", 0o755)
c.file("commands.yaml", "commands: [./die.sh, /bin/false, /bin/true, ./sleep.sh]\nlimits: {seconds: 2}\n")
r = sweep("commands.yaml", "--jobs", 4)
ends = dict(query(c.root / "commands.db", "SELECT l.name, status || ': ' || message FROM run r JOIN launch l ON l.id = r.launch"))
c.check(r.status == 1 and "signal 11" in ends["./die.sh"] and "exit status 1" in ends["/bin/false"] and "launched nothing" in ends["/bin/true"] and ends["./sleep.sh"].startswith("timeout"), f"applications that fail are rows: {ends}", r)
time.sleep(0.2)
sleeper = (c.root / "sleeper").read_text().strip()
c.check(not pathlib.Path(f"/proc/{sleeper}").exists() or "Z" in pathlib.Path(f"/proc/{sleeper}/stat").read_text().split(")")[1][:3], "what an application started ends with it")
c.file("memory.yaml", "examples: [matmul-naive 3]\nlimits: {memory: 1}\n")
r = sweep("memory.yaml")
c.check(r.status == 1 and set(statuses(c.root / "memory.db")) <= {"memory", "died"}, "a run that takes too much memory is a row", r)

# Samples.
AXES = "examples: [saxpy]\naxes:\n  multi_issue.window: 1..8\n  fence.counters: 3..6\n  memory.dram_latency: 100..900 step 10\n"
for kind in ("random", "latin"):
    c.file(f"{kind}.yaml", AXES + f"sample: {{kind: {kind}, count: 8, seed: 5}}\n")
    c.file(f"{kind}2.yaml", AXES + f"sample: {{kind: {kind}, count: 8, seed: 6}}\n")
    r = sweep(f"{kind}.yaml")
    first = dump(c.root / f"{kind}.db")["machine"]
    r = sweep(f"{kind}.yaml", "--db", "again.db")
    c.check(r.status == 0 and len(first[1]) == 8 and dump(c.root / "again.db")["machine"] == first, f"ST-1: {kind}: a seed gives the same machines", r)
    (c.root / "again.db").unlink()
    sweep(f"{kind}2.yaml")
    c.check(dump(c.root / f"{kind}2.db")["machine"] != first, f"{kind}: another seed gives others")
windows = query(c.root / "latin.db", "SELECT value, count(*) FROM point WHERE axis = 'multi_issue.window' GROUP BY 1")
c.check(sorted(windows) == [(str(n), 1) for n in range(1, 9)], f"Latin hypercube: each of eight values once: {windows}")
c.file("list.yaml", "examples: [saxpy]\nmachines: [baseline, heddle]\npoints:\n  - machine=heddle multi_issue.window=2\n  - machine=baseline\n  - machine=heddle\n")
r = sweep("list.yaml")
c.check(r.status == 0 and "3 machines" in r.out, "ST-1: a list of points", r)

# Refused studies, each with its place.
BAD = {
    "axes: {fence.counters: [2]}\n": "has no launch",
    "examples: [nothing]\n": "bad.yaml:1:12: error: there is no example 'nothing'",
    "examples: [saxpi]\n": "did you mean saxpy",
    "examples: [saxpy 99]\n": "has no size '99'",
    "examples: [saxpy, saxpy 0]\n": "is the same launch as line 1",
    "examples: [saxpy]\naxes:\n  fence.countres: [2]\n": "bad.yaml:3:3: error: fence.countres is no key of a machine description, did you mean fence.counters?",
    "examples: [saxpy]\naxes:\n  fence.counters: [2, 99]\n": "bad.yaml:3:23: error: fence.counters cannot be",
    "examples: [saxpy]\naxes:\n  fence.counters: [2, 2]\n": "has the value '2' twice",
    "examples: [saxpy]\naxes:\n  fence.counters: 6..2\n": "is no range",
    "examples: [saxpy]\naxes:\n  fence.counters: 1..9 times 1\n": "is no range",
    "examples: [saxpy]\naxes:\n  fence.counters: []\n": "bad.yaml:3:20: error: axes.fence.counters: the list is empty",
    "examples: [saxpy]\nmachines: [nowhere]\n": "is no machine",
    "examples: [saxpy]\nwhere: [fence.counters <]\n": "bad.yaml:2:9: error: 'fence.counters <' is no expression",
    "examples: [saxpy]\nwhere: [fence.countres = 2]\n": "fence.countres is no key and no number",
    "examples: [saxpy]\nwhere: [fence.counters = 99]\n": "has no machine that its constraints allow",
    "examples: [saxpy]\nwhere: ['" + "(" * 100 + "1']\n": "nested too deep",
    "examples: [saxpy]\narea: 1 / 0\n": "division by zero",
    "examples: [saxpy]\nsample: {kind: random}\n": "has no sample.count",
    "examples: [saxpy]\nsample: {kind: magic}\n": "sample.kind cannot be 'magic'",
    "examples: [saxpy]\nexample: [goto]\n": "did you mean examples",
    "examples: [saxpy]\nlimits: {cycles: many}\n": "limits.cycles cannot be 'many'",
    "launches: [scale.ptx --arg in:none.npy]\n": "none.npy",
    "launches: [none.ptx]\n": "none.ptx",
    "launches: ['scale.ptx --set fence.counters=2']\n": "expected an axis",
    "launches: [\"scale.ptx --arg 'x\"]\n": "a quote without its partner",
    "commands: [no-such-program-anywhere]\n": "there is no program",
    "examples: [saxpy\n": "is not YAML",
    "examples: [[saxpy]]\n": "expected a list of values",
    "examples: &a [*a]\n": "expected a list of values",
    "- saxpy\n": "expected a mapping",
    "": "is empty",
}
for number, (text, expected) in enumerate(BAD.items()):
    c.file("bad.yaml", text)
    r = sweep("bad.yaml", "--db", "bad.db")
    c.check(r.status == 2 and expected in r.err, f"refused: {text!r}: {expected}", r)
    c.check(not (c.root / "bad.db").exists(), f"a study that is refused leaves no file: {text!r}")
wide = "examples: [saxpy]\naxes:\n" + "".join(f"  {key}: 1..4\n" for key in ("memory.l1_banks", "multi_issue.window", "predecode.prefetch")) + "  memory.dram_latency: 1..4000\n  memory.l2_latency: 1..4000\n"
c.file("huge.yaml", wide)
r = sweep("huge.yaml")
c.check(r.status == 2 and ("product of more than 1000000 points" in r.err or "no key" in r.err), "a huge product is refused at once", r)
c.file("many.yaml", "examples: [saxpy, goto, scan, reduce, bfs, nbody]\naxes:\n  memory.dram_latency: 1..600\n  memory.l2_latency: 1..600\n")
r = sweep("many.yaml", "--dry-run")
c.check(r.status == 2 and "expected at most 1000000 runs" in r.err, "more runs than the limit are refused", r)

# Files that are none of ours.
c.file("text.db", "this is no database\n" * 100)
with sqlite3.connect(c.root / "foreign.db") as database:
    database.execute("CREATE TABLE t(x)")
sweep("list.yaml", "--db", "future.db")
with sqlite3.connect(c.root / "future.db") as database:
    database.execute("PRAGMA user_version = 99")
sweep("list.yaml", "--db", "columns.db")
with sqlite3.connect(c.root / "columns.db") as database:
    database.execute("ALTER TABLE run ADD COLUMN more INTEGER")
for name, expected in (("text.db", "not a database"), ("foreign.db", "none that `heddle sweep` has written"), ("future.db", "version 99 of the format"), ("columns.db", "other statistics")):
    before = (c.root / name).read_bytes()
    for arguments in (("list.yaml", "--db", name), ("status", name), ("merge", "m3.db", name), ("report", name, "--report", "none.html")):
        r = sweep(*arguments)
        c.check(r.status == 2 and expected in r.err, f"{name}: {arguments[0]}: {expected}", r)
    c.check((c.root / name).read_bytes() == before or name in ("future.db", "columns.db"), f"{name} is as it was")
r = sweep("status", "nowhere.db")
c.check(r.status == 2 and "is not there" in r.err and not (c.root / "nowhere.db").exists(), "a file that is not there", r)
damaged = bytearray((c.root / "jobs2.db").read_bytes())
for at in range(5000, len(damaged) - 100, 997):
    damaged[at] ^= 0x5A
c.file("damaged.db", bytes(damaged))
for arguments in (("status", "damaged.db"), ("report", "damaged.db", "--report", "none.html"), ("study.yaml", "--db", "damaged.db"), ("merge", "m3.db", "damaged.db")):
    r = sweep(*arguments)
    c.check(r.status in (0, 1, 2), f"a damaged file ends nothing badly: {arguments}", r)
os.mkdir(c.root / "folder.db")
r = sweep("list.yaml", "--db", "folder.db")
c.check(r.status == 2 and "folder.db" in r.err, "a folder is no file", r)
r = sweep("list.yaml", "--db", "no/such/folder.db")
c.check(r.status == 2 and "cannot be written" in r.err, "a folder that is not there", r)
# A disk that is full: a limit on the size of files has the same effect.
def small():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))


r = sweep("study.yaml", "--db", "full.db", before=small)
c.check(r.status == 2 and "full.db" in r.err, "a full disk is an error with the file's name", r)
r = sweep("study.yaml", "--db", "full.db")
c.check(r.status in (0, 1) and dump(c.root / "full.db") == reference, "and the study goes on when there is room", r)

# Usage.
for arguments, expected in ((("study.yaml", "--shard", "3/2"), "--shard"), (("study.yaml", "--shard", "0/2"), "--shard"), (("study.yaml", "--jobs", "0"), "--jobs"), (("study.yaml", "--size", "8"), "a number from 0 to 7"), (("report", "m1.db", "--report", "-"), "ends in .html or .csv"), ((), "no input"),
                            (("merge", "m1.db"), "nothing to merge"), (("study.yaml", "other.yaml"), "one input"), (("study.yaml", "--slurm", "--shard", "1/2"), "--shard"),
                            (("study.yaml", "--slrum"), "did you mean --slurm"), (("report", "m1.db"), "nothing to report")):
    r = sweep(*arguments)
    c.check(r.status == 2 and expected in r.err, f"usage: {arguments}", r)
c.end()
