"""Long runs: a line of progress when standard error is a terminal, and none when it is not; Ctrl-C ends cleanly with the report so far, no output file and
exit status 130; a second one ends at once."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from harness import Cases, FOREVER, HEDDLE

c = Cases()
c.file("forever.ptx", FOREVER)
launch = ["forever.ptx", "--grid", "4", "--block", "64", "--arg", "out:y.npy:u32:4"]


def on_terminal(*arguments, until, limit=60):
    """Runs with a terminal as standard error; Ctrl-C when `until` is found in what it says. Exit status and text."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([HEDDLE, *map(str, arguments)], cwd=c.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    text, sent, end = "", False, time.time() + limit
    while time.time() < end:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                got = os.read(ours, 65536).decode(errors="replace")
            except OSError:
                break
            if not got:
                break
            text += got
        elif process.poll() is not None:
            break
        if not sent and re.search(until, text):
            process.send_signal(signal.SIGINT)
            sent = True
    os.close(ours)
    if process.poll() is None:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait(), text


status, text = on_terminal("run", *launch, "--report", "r.json", until=r"million cycles, 0 of 4 CTAs done, [\d.]+ million a second")
c.check(status == 130, f"Ctrl-C ends a run with 130, not {status}: {text}")
c.check(text.count("\r") > 0 and "\x1b[K" in text, "one line that is written over")
report = json.loads((c.root / "r.json").read_text())
c.check(report["result"] == "interrupted" and report["cycles"] > 0, "the report so far")
c.check(sum(report["stall_cycles"].values()) + report["run"]["slots_used"] == report["run"]["issue_slots"] > 0, "its issue slots add up")
c.check(not (c.root / "y.npy").exists(), "no output of a run that did not end")

# PA-1: in the middle of windows of time, whose clusters several threads run.
status, text = on_terminal("run", *launch, "--set", "machine.clusters=4", "--threads", "3", "--report", "t.json", until="million cycles")
report = json.loads((c.root / "t.json").read_text())
c.check(status == 130 and report["result"] == "interrupted" and report["cycles"] > 0, f"a run on three threads: {status} {text}")
c.check(sum(report["stall_cycles"].values()) + report["run"]["slots_used"] == report["run"]["issue_slots"] > 0, "its issue slots add up, too")
c.check(not (c.root / "y.npy").exists(), "no output of a run on three threads that did not end")

status, text = on_terminal("run", *launch, "--functional", "--report", "f.json", until="million warp instructions")
c.check(status == 130 and json.loads((c.root / "f.json").read_text())["result"] == "interrupted", f"the interpreter, too: {status} {text}")
status, text = on_terminal("run", *launch, "--report", "r.html", until="million cycles")
c.check(status == 130 and "interrupted" in (c.root / "r.html").read_text(), f"a page of a run so far: {status}")
status, text = on_terminal("compare", *launch, "--machine", "heddle", "--machine", "baseline", until="0 of 2 runs done")
c.check(status == 130, f"a comparison: {status} {text}")

r = c.run("run", *launch, "--max-cycles", "200000")
c.check(r.status == 1 and "million" not in r.err and "\r" not in r.err, "no progress where nobody looks", r)
c.end()
