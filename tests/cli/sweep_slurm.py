"""heddle sweep --slurm (ST-3) on a real Slurm of one node, which the test starts: the table is that of a run without it, nothing is run twice, and what
jobs leave undone is a message and is run by the next call."""
import os
import signal
import subprocess
import time

import slurm
from harness import Cases, FOREVER, HEDDLE
from sweep_tables import SCALE, dump, query

c = Cases()
c.file("scale.ptx", SCALE)
c.file("forever.ptx", FOREVER)
STUDY = """launches:
  - scale.ptx --block 32 --arg rand:u32:32:1 --arg zero:u32:32
examples: [saxpy, goto]
axes:
  multi_issue.window: [1, 2, 4]
  fence.counters: [2, 4]
limits: {cycles: 100000}
"""
c.file("study.yaml", STUDY)
c.file("fault.yaml", STUDY.replace("cycles: 100000", "cycles: 100"))
r = c.run("sweep", "study.yaml", "--db", "plain.db", "--jobs", 2)
c.check(r.status == 0, "without Slurm", r)
r = c.run("sweep", "study.yaml", "--slurm", "--db", "nowhere.db", "--shards", 2, before=lambda: os.environ.update(SLURM_CONF="/dev/null"))
c.check(r.status == 2 and "left runs" in r.err, "no cluster", r)
with slurm.Slurm() as cluster:
    def sweep(*arguments):
        process = subprocess.run([HEDDLE, "sweep", *map(str, arguments)], cwd=c.root, capture_output=True, text=True, env=cluster.env, timeout=200, stdin=subprocess.DEVNULL)
        return process

    def shown(process):
        return f"exit status {process.returncode}\n{process.stdout}\n{process.stderr}\n" + "\n".join(f"{p.name}: {p.read_text()}" for p in c.root.glob("*.slurm/*.log"))

    r = sweep("study.yaml", "--slurm", "--shards", 3, "--db", "slurm's.db", "--sbatch", "--comment=a study")
    c.check(r.returncode == 0 and "9 done" in r.stdout and "9 refused" in r.stdout, "an array of three jobs", shown(r))
    c.check(dump(c.root / "slurm's.db") == dump(c.root / "plain.db"), "ST-3: the same table as without Slurm", shown(r))
    shards = sorted(path.name for path in (c.root / "slurm's.db.slurm").glob("shard-*.db"))
    c.check(shards == ["shard-1.db", "shard-2.db", "shard-3.db"], f"a file for each job: {shards}")
    jobs = subprocess.run(["squeue", "-h", "-t", "all", "-o", "%T"], env=cluster.env, capture_output=True, text=True).stdout.split()
    c.check(jobs.count("COMPLETED") == 3, f"three jobs ran: {jobs}")
    def arrays():
        return set(subprocess.run(["squeue", "-h", "-t", "all", "-o", "%A %F"], env=cluster.env, capture_output=True, text=True).stdout.split("\n"))

    before = arrays()
    for shards in (3, 2):
        r = sweep("study.yaml", "--slurm", "--shards", shards, "--db", "slurm's.db")
        c.check(r.returncode == 0 and "0 of 18 runs are missing" in r.stdout and arrays() == before, "nothing is run twice, and no job is submitted for nothing", shown(r))
    # A file with two studies: what counts is the one that is asked for.
    c.file("more.yaml", STUDY.replace("[2, 4]", "[2, 4, 5]"))
    r = sweep("more.yaml", "--slurm", "--shards", 2, "--db", "slurm's.db")
    log = (c.root / "slurm's.db.slurm" / "shard-1.log").read_text()
    c.check(r.returncode == 0 and "9 of 27 runs are missing" in r.stdout and "study more" in r.stdout and "study study" not in r.stdout and "9 were there" in log, "the jobs take what the file has for done", shown(r))
    # Ctrl-C leaves the jobs alone. The same command waits for them, also with another number of shards, and takes all their files in.
    c.file("long.yaml", "launches: [forever.ptx --arg zero:u32:1]\naxes: {multi_issue.window: 1..6}\nlimits: {cycles: 3000000}\n")
    process = subprocess.Popen([HEDDLE, "sweep", "long.yaml", "--slurm", "--shards", "3"], cwd=c.root, env=cluster.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(300):
        time.sleep(0.1)
        if list(c.root.glob("long.db.slurm/array")) and list(c.root.glob("long.db.slurm/shard-*.db")):
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    c.check(process.returncode == 130 and "the jobs go on" in err and "is submitted" in out, f"Ctrl-C: {process.returncode}\n{out}{err}")
    before = arrays()
    r = sweep("long.yaml", "--slurm", "--shards", 2)
    c.check(r.returncode == 0 and "waiting for array" in r.stdout and "6 limit" in r.stdout and not list(c.root.glob("long.db.slurm/array")), "the same command collects", shown(r))
    c.check(arrays() == before, "and runs nothing a second time", shown(r))
    # A job that was killed is a message; the next call runs what is missing.
    r = sweep("study.yaml", "--slurm", "--shards", 2, "--db", "killed.db", "--sbatch", "--no-such-option")
    c.check(r.returncode == 2, "an option that sbatch refuses", shown(r))
    r = sweep("study.yaml", "--slurm", "--shards", 2, "--db", "killed.db", "--sbatch", "--export=HEDDLE_DATA=/nowhere,HEDDLE_CLANG=/bin/false,PATH=/bin")
    c.check(r.returncode == 2 and "jobs ended with exit status 2 and left runs" in r.stderr and "killed.db.slurm has the logs" in r.stderr, "jobs that fail are a message", shown(r))
    r = sweep("study.yaml", "--slurm", "--shards", 2, "--db", "killed.db")
    c.check(r.returncode == 0 and dump(c.root / "killed.db") == dump(c.root / "plain.db"), "the same command runs what is missing", shown(r))
    r = sweep("fault.yaml", "--slurm", "--shards", 2)
    c.check(r.returncode == 1 and "limit" in r.stdout, "runs with faults: exit status 1", shown(r))
    r = sweep("none.yaml", "--slurm")
    c.check(r.returncode == 2 and not list(c.root.glob("none.db*slurm/job.sh")), "a study that is none submits nothing", shown(r))
c.end()
